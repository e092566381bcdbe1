import type { ListenerDeps } from '../deps.ts';

/** A channel was shared with another company, or no longer is: what it may show is looked up again. */
export function channelChanged({ visibilityChanged, log }: ListenerDeps) {
  return async (): Promise<void> => {
    try {
      await visibilityChanged();
    } catch (error) {
      log.warn({ err: error }, 'could not record a channel change; it takes effect within minutes');
    }
  };
}
