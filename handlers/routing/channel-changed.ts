import type { ListenerDeps } from '../deps.ts';

/** A channel is shared with another company, or is so no more: what may be shown in it is looked up again. */
export function channelChanged({ visibilityChanged, log }: ListenerDeps) {
  return async (): Promise<void> => {
    try {
      await visibilityChanged();
    } catch (error) {
      log.warn({ err: error }, 'a change of channels could not be noted, it is seen within minutes');
    }
  };
}
