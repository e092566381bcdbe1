import type { SealCard } from '../app-home/home-facts.ts';
import type { StoredEvent } from '../core/event.ts';
import { toWallClock } from '../core/service-time.ts';
import { withThrottle } from '../limits/remedy.ts';
import { createWarnOfExpiry } from '../warnings/warn-of-expiry.ts';
import { createWarnOfLimits } from '../warnings/warn-of-limits.ts';
import { createWarnOfSubscription, mayBeSubscription } from '../warnings/warn-of-subscription.ts';
import { createWarned } from '../warnings/warned-store.ts';
import type { WorkerContext } from './worker-context.ts';

/** What people are warned of before a purchase is declined. */
export function composeWarnings(context: WorkerContext, sealCard: SealCard) {
  const { redis, card, assumptions, config, enqueue } = context;
  const common = { ...context, warned: createWarned(redis) };
  return {
    /** Has what follows from an event looked at: of a purchase the limits, of a decline whether it is a subscription. */
    async afterEvent(event: StoredEvent): Promise<void> {
      if (event.kind === 'decline') {
        if (await mayBeSubscription(event, context.history)) {
          await enqueue('warn-of-subscription', { alertId: event.id });
        }
      } else if ((event.kind === 'authorization' || event.kind === 'pin') && event.direction === 'debit')
        await enqueue('warn-of-limits', { acctId: event.acctId });
    },
    warnOfLimits: createWarnOfLimits({
      ...common,
      // People who press buttons and alerts need the rest.
      remaining: withThrottle(card.getRemainingLimits, null, {
        perMinute: Math.floor(assumptions.callsPerMinute / 4),
        atOnce: 2,
      }),
      sealCard,
    }),
    warnOfSubscription: createWarnOfSubscription({
      ...common,
      channel: config.channels.decline,
      dayOf: (instant) => toWallClock(new Date(instant), config.serviceZone).slice(0, 10),
    }),
    warnOfExpiry: createWarnOfExpiry({ ...common, getAccount: card.getAccount, channel: config.channels.status }),
  };
}
