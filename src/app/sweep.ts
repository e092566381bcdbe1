import type { RedisClient } from '../core/redis.ts';
import { wakeSkewedJobs } from '../ops/clock-skew.ts';
import { holdAllAsQuiet } from '../routing/hold-for-quiet-hours.ts';
import type { WorkerParts } from './compose-worker.ts';

/** What is later than this has lost its timer. */
const LATE_MS = 30_000;

/** Takes up what a crash between two steps left lying: channels that nobody was woken for, limits that nobody put back. */
export async function sweep(parts: WorkerParts, redis: RedisClient): Promise<void> {
  const { queues, outbox, alerts, eventLog, temporaryChanges, claims, requests, confirmations, now } = parts;
  const { mutes, quietHours } = parts.actionDeps.routing;
  for (const name of ['alerts', 'outbox', 'updates', 'actions'] as const)
    await wakeSkewedJobs(queues.queue(name), redis);
  for (const channel of await outbox.channels()) {
    if ((await outbox.waiting(channel)) > 0) await queues.flushOutbox(channel);
  }
  for (const { id: temporaryChangeId, endsAt, state } of await temporaryChanges.all()) {
    if (state === 'open' && Date.parse(endsAt) + LATE_MS < Date.now())
      await queues.endTemporaryChangeNow(temporaryChangeId);
  }
  for (const { id, endsAt } of await mutes.inForce()) {
    if (Date.parse(endsAt) + LATE_MS < Date.now()) await queues.endMute(id, Date.parse(endsAt));
  }
  for (const { id } of await mutes.ended()) await queues.endMute(id, 0);
  for (const { action } of await confirmations.all()) await queues.confirmAction(action.id, Date.now());
  for (const { id: claimId, expiresAt } of await claims.open()) {
    if (Date.parse(expiresAt) + LATE_MS < Date.now()) await queues.endClaim(claimId, Date.now());
  }
  for (const { id: requestId } of await requests.open()) await queues.ageRequest(requestId);
  // Last: it reads alerts, and one that cannot be read must not hold up the others.
  await holdAllAsQuiet({ outbox, quietHours, alerts, eventLog, now });
}
