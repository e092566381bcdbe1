import type { CardFacts } from '../alerts/alert.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { RedisClient } from '../core/redis.ts';
import { createDigests, type DigestKind, kindOf } from '../digests/digest-store.ts';
import { cronPattern, type DigestSchedule } from '../digests/schedule.ts';
import { createSendDigest } from '../digests/send-digest.ts';
import type { DigestTimers } from '../digests/set-digest.ts';
import { createTallies } from '../digests/tally-store.ts';
import type { Message } from '../slack/message.ts';
import type { Schedules } from './enqueue.ts';

interface Deps {
  readonly redis: RedisClient;
  readonly schedules: Schedules;
  readonly inactive: () => Promise<CardFacts[]>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly post: (channel: string, id: string, message: Message, elsewhere: Message) => Promise<void>;
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  readonly now: () => Date;
  readonly serviceZone: string;
}

const keyOf = (channel: string, kind: DigestKind): string => `digest-${channel}-${kind}`;

/** Everything about digests, joined. */
export function composeDigests({
  redis,
  schedules,
  inactive,
  visibilityOf,
  post,
  notifySharedChannel,
  now,
  serviceZone,
}: Deps) {
  const digests = createDigests(redis);
  const tallies = createTallies(redis);
  const sendDigest = createSendDigest({ digests, tallies, inactive, visibilityOf, post, notifySharedChannel, now });
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
  const digest = { digests, timers, postNow: sendDigest.now, serviceZone };

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
