import type { Progress } from '../actions/progress-store.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { Enqueue } from './enqueue.ts';

/** What is later than this has lost its timer. */
const LATE_MS = 30_000;

interface Deps {
  readonly enqueue: Enqueue;
  readonly now: () => Date;
  readonly outbox: Pick<Outbox, 'channels' | 'waiting'>;
  /** True when messages of a channel wait to be edited. */
  readonly hasEdits: (channel: string) => Promise<boolean>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly mutes: Pick<Mutes, 'inForce' | 'ended'>;
  readonly progress: Pick<Progress, 'awaited'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly requests: Pick<Requests, 'open'>;
  /** Sets the timers of digests that are not set, or at another time. */
  readonly keepDigestTimers: () => Promise<void>;
  /** Holds what came into an outbox before somebody set quiet hours there. */
  readonly holdAllAsQuiet: () => Promise<void>;
}

/**
 * Takes up what a crash between two steps left lying: channels that nobody was woken for, changes that nobody ended. Each
 * job is added under the id of the one that may be there already.
 */
export function createSweep(deps: Deps): () => Promise<void> {
  const { enqueue, now, hasEdits, outbox, temporaryChanges, mutes, progress, claims, requests, holdAllAsQuiet } = deps;
  const isLate = (endsAt: string): boolean => Date.parse(endsAt) + LATE_MS < now().getTime();

  return async function sweep() {
    for (const channel of await outbox.channels()) {
      if ((await outbox.waiting(channel)) > 0 || (await hasEdits(channel))) await enqueue('flush-outbox', { channel });
    }
    for (const { id, endsAt, state } of await temporaryChanges.all()) {
      if (state === 'open' && isLate(endsAt)) {
        await enqueue('end-temporary-change', { temporaryChangeId: id }, { id: `temporary-change-${id}-now` });
      }
    }
    for (const { id, endsAt } of await mutes.inForce()) {
      if (isLate(endsAt)) await enqueue('end-mute', { muteId: id });
    }
    for (const { id } of await mutes.ended()) await enqueue('end-mute', { muteId: id }, { id: `mute-${id}-now` });
    for (const { action } of await progress.awaited()) await enqueue('verify-action', { actionId: action.id });
    for (const { id, expiresAt } of await claims.open()) {
      if (isLate(expiresAt)) await enqueue('end-claim', { claimId: id });
    }
    for (const { id } of await requests.open()) await enqueue('expire-request', { requestId: id });
    await deps.keepDigestTimers();
    // Last: it reads alerts, and one that cannot be read must not hold up the others.
    await holdAllAsQuiet();
  };
}
