import type { ListenerDeps } from '../deps.ts';

interface HomeEvent {
  readonly user?: string;
  readonly tab?: string;
}

/** Somebody opened App Home: the worker draws it, with the roles of now. */
export function appHomeOpened({ drawHome }: ListenerDeps) {
  return async ({ event }: { event: object }): Promise<void> => {
    const { user, tab } = event as HomeEvent;
    if (user !== undefined && tab === 'home') await drawHome(user, true);
  };
}
