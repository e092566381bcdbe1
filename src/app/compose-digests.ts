import { declineReason } from '../alerts/decline-reason.ts';
import { inactiveCards } from '../app-home/home-facts.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { TransactionEvent } from '../core/event.ts';
import { createDigests, cronPattern, type DigestKind, type DigestSchedule, kindOf } from '../digests/schedule-store.ts';
import { createSendDigest } from '../digests/send-digest.ts';
import type { DigestTimers } from '../digests/set-digest.ts';
import { createTallies } from '../digests/tally-store.ts';
import type { Directory } from '../directory/directory.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { forOutbox } from '../outbox/tracked-message.ts';
import type { Schedules } from './enqueue.ts';
import type { WorkerBase } from './worker-base.ts';

interface Deps {
  readonly base: WorkerBase;
  readonly notifyOps: NotifyOps;
  readonly directory: Directory;
  readonly schedules: Schedules;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
}

const keyOf = (channel: string, kind: DigestKind): string => `digest-${channel}-${kind}`;

/** Digests: who gets one when, what is counted for them, and what sends them. */
export function composeDigests({ base, notifyOps, directory, schedules, visibilityOf }: Deps) {
  const { redis, stores, send, now, config } = base;
  const digests = createDigests(redis);
  const tallies = createTallies(redis);
  const sendDigest = createSendDigest({
    digests,
    tallies,
    inactive: () => inactiveCards(directory),
    visibilityOf,
    async post(channel, id, message, elsewhere) {
      await stores.outbox.put(channel, {
        kind: 'notice',
        id,
        message: forOutbox(message),
        elsewhere: forOutbox(elsewhere),
      });
      await send.wakeOutbox(channel);
    },
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
    now,
  });
  const schedule = async (one: DigestSchedule): Promise<void> =>
    await schedules.set(
      'send-digest',
      keyOf(one.channel, kindOf(one)),
      { channel: one.channel, kind: kindOf(one) },
      cronPattern(one),
      one.zone,
    );
  const timers: DigestTimers = {
    schedule,
    unschedule: (channel, kind) => schedules.remove('send-digest', keyOf(channel, kind)),
  };
  const digest = { digests, timers, postNow: sendDigest.now, serviceZone: config.serviceZone };

  return {
    digest,
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
      for (const one of await digests.all()) {
        if (!(await schedules.has('send-digest', keyOf(one.channel, kindOf(one))))) await schedule(one);
      }
      await sendDigest.missed();
    },
  };
}
