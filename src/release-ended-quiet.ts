import type { Outbox } from './store/outbox.ts';
import type { QuietHoursStore } from './store/quiet-hours.ts';

interface Deps {
  readonly outbox: Pick<Outbox, 'channels' | 'releaseHeld'>;
  readonly quietHours: Pick<QuietHoursStore, 'all'>;
}

/**
 * Lets go what is held in channels that have no quiet hours any more: an alert may have been put back the very moment
 * when somebody took them away.
 */
export async function releaseEndedQuiet({ outbox, quietHours }: Deps): Promise<void> {
  const quiet = new Set((await quietHours.all()).map(({ channel }) => channel));
  for (const channel of await outbox.channels()) {
    if (!quiet.has(channel)) await outbox.releaseHeld(channel);
  }
}
