import type { ListenerDeps } from '../deps.ts';

type Deps = Pick<ListenerDeps, 'rolesChanged' | 'homeViewers' | 'renderHome' | 'log'>;

/**
 * A user group changed. Every process reloads it before it permits anyone, and App Home shows only what is still
 * permitted.
 */
export function userGroupChanged(deps: Deps) {
  return async (): Promise<void> => {
    await changed(deps);
    for (const userId of await deps.homeViewers.all()) await deps.renderHome(userId, false);
  };
}

/**
 * A user's account changed. Slack sends this for every new status and picture, but only deactivating an account removes
 * it from user groups. Nothing else about people is cached, so new colleagues need no event.
 */
export function personChanged(deps: Deps) {
  return async ({ event }: { event: object }): Promise<void> => {
    const { user } = event as { readonly user?: { readonly deleted?: boolean } };
    if (user?.deleted === true) await changed(deps);
  };
}

async function changed({ rolesChanged, log }: Deps): Promise<void> {
  try {
    await rolesChanged();
  } catch (error) {
    log.warn({ err: error }, 'could not announce the role change; it takes effect within seconds');
  }
}
