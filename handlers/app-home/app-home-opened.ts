import type { ListenerDeps } from '../deps.ts';

interface HomeEvent {
  readonly user?: string;
  readonly tab?: string;
}

/** Somebody opened App Home: the worker draws it, with the roles of now. */
export function appHomeOpened({ renderHome }: ListenerDeps) {
  return async ({ event }: { event: object }): Promise<void> => {
    const { user, tab } = event as HomeEvent;
    if (user !== undefined && tab === 'home') await renderHome(user, true);
  };
}
