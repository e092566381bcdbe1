import type { ListenerDeps } from '../deps.ts';

type Deps = Pick<ListenerDeps, 'rolesChanged' | 'homeViewers' | 'renderHome' | 'log'>;

/** A user group changed: every process reads it again before anybody is let through, and App Home shows no more than that. */
export function userGroupChanged(deps: Deps) {
  return async (): Promise<void> => {
    await changed(deps);
    for (const userId of await deps.homeViewers.all()) await deps.renderHome(userId, false);
  };
}

/**
 * Somebody's account changed. Slack sends this for every new status and picture; only a deactivated account leaves user
 * groups. Nothing else about people is kept, so a new colleague needs no event.
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
    log.warn({ err: error }, 'a change of roles could not be noted, it is seen within seconds');
  }
}
