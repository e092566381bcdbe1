import { declineReason } from '../alerts/decline-reason.ts';
import { inactiveCards } from '../app-home/home-facts.ts';
import { nobody } from '../audit/audit.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent } from '../core/event.ts';
import { cronPattern, type DigestKind, kindOf } from '../digests/schedule-store.ts';
import { createSendDigest } from '../digests/send-digest.ts';
import type { DigestTimers } from '../digests/set-digest.ts';
import { createTallies } from '../digests/tally-store.ts';
import * as opsIssue from '../ops/issue.ts';
import { forOutbox } from '../outbox/tracked-message.ts';
import type { Schedules } from './enqueue.ts';
import type { WorkerContext } from './worker-context.ts';

const keyOf = (channel: string, kind: DigestKind): string => `digest-${channel}-${kind}`;

/** Digests: when each is sent, what is counted for them, and what sends them. */
export function composeDigests(context: WorkerContext, schedules: Schedules) {
  const { redis, outbox, wakeOutbox, digests, directory, notifyOps, audit, now } = context;
  const tallies = createTallies(redis);
  const sendDigest = createSendDigest({
    ...context,
    tallies,
    inactive: () => inactiveCards(directory),
    async post(channel, id, message, elsewhere) {
      const entry = { kind: 'notice', id, message: forOutbox(message), elsewhere: forOutbox(elsewhere) } as const;
      await outbox.put(channel, entry);
      await wakeOutbox(channel);
    },
    record: (channel, id, detail) =>
      audit.append({
        ...nobody,
        at: now().toISOString(),
        actionId: id,
        event: 'done',
        verb: 'digest',
        channel,
        detail,
      }),
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
  });
  const digestTimers: DigestTimers = {
    async schedule(digest) {
      const { channel, zone } = digest;
      const kind = kindOf(digest);
      await schedules.set('send-digest', keyOf(channel, kind), { channel, kind }, cronPattern(digest), zone);
    },
    unschedule: (channel, kind) => schedules.remove('send-digest', keyOf(channel, kind)),
  };

  return {
    digestTimers,
    sendDigest,

    async countDecline({ id, occurredAt, amountCents, decline, merchant }: TransactionEvent, { group }: CardFacts) {
      const { code, title } = declineReason(decline ?? { code: '', message: '' });
      await tallies.count({
        eventId: id,
        at: occurredAt,
        cents: amountCents,
        reason: { code, title },
        merchant: merchant.name.trim().slice(0, 80),
        group,
      });
    },

    /** At start: timers that were lost ring again, and what rang meanwhile is made up for. */
    async keepDigests(): Promise<void> {
      for (const digest of await digests.all()) {
        if (!(await schedules.has('send-digest', keyOf(digest.channel, kindOf(digest)))))
          await digestTimers.schedule(digest);
      }
      await sendDigest.missed();
    },
  };
}
