import type { ListenerDeps } from '../../src/app/compose-web.ts';

/** Someone opened App Home: the worker renders it with their current roles. */
export function appHomeOpened({ renderHome }: ListenerDeps) {
  return async ({ event }: { event: { readonly user?: string; readonly tab?: string } }): Promise<void> => {
    const { user, tab } = event;
    if (user !== undefined && tab === 'home') await renderHome(user, true);
  };
}

/**
 * A user group changed. Every process reloads it before it permits anyone, and App Home shows only what is still
 * permitted.
 */
export function userGroupChanged(deps: ListenerDeps) {
  return async (): Promise<void> => {
    await rolesChanged(deps);
    for (const userId of await deps.homeViewers.all()) await deps.renderHome(userId, false);
  };
}

/**
 * A user's account changed. Slack sends this for every new status and picture, but only deactivating an account removes
 * it from user groups. Nothing else about people is cached, so new colleagues need no event.
 */
export function personChanged(deps: ListenerDeps) {
  return async ({ event }: { event: object }): Promise<void> => {
    const { user } = event as { readonly user?: { readonly deleted?: boolean } };
    if (user?.deleted === true) await rolesChanged(deps);
  };
}

/** A channel was shared with another company, or no longer is: what it may show is looked up again. */
export function channelChanged(deps: ListenerDeps) {
  return async ({ event }: { event: { readonly type: string; readonly channel?: string } }): Promise<void> => {
    const shared = event.type === 'channel_shared' ? (event.channel ?? null) : null;
    const announce = (): Promise<void> => deps.visibilityChanged(shared);
    await orLater(announce, 'could not record a channel change; it takes effect within minutes', deps);
  };
}

async function rolesChanged(deps: ListenerDeps): Promise<void> {
  await orLater(deps.rolesChanged, 'could not announce the role change; it takes effect within seconds', deps);
}

/** Without the announcement, a cached answer is used until it expires. */
async function orLater(announce: () => Promise<void>, failed: string, { log }: Pick<ListenerDeps, 'log'>) {
  try {
    await announce();
  } catch (err) {
    log.warn({ err }, failed);
  }
}
