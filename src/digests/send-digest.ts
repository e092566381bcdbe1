import { digest } from '../../templates/digests/digest.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { Message } from '../slack/message.ts';
import { type DigestKind, type Digests, kindOf } from './digest-store.ts';
import { type DigestPeriod, type DigestSchedule, periodBefore, periodBeforeThat } from './schedule.ts';
import type { Tallies, Tally } from './tally-store.ts';

interface Deps {
  readonly digests: Digests;
  readonly tallies: Pick<Tallies, 'sum'>;
  /** Cards that nobody has activated yet. */
  readonly inactive: () => Promise<CardFacts[]>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  /** The id makes repeating it nothing. `elsewhere`: in words for everybody, should another channel get it. */
  readonly post: (channel: string, id: string, message: Message, elsewhere: Message) => Promise<void>;
  /** A channel is shared with another company and gets nothing any more. */
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  readonly now: () => Date;
}

/** A timer may ring before an hour that spring skips has been made up for, or a little early. */
const EARLY_MS = 2 * 3_600_000;
/** Nobody reads a digest that is later than this. */
const LATE_MS = 12 * 3_600_000;

/** Digests of declines, each posted once for its channel and period, however often it is asked for. */
export function createSendDigest({ digests, tallies, inactive, visibilityOf, post, notifySharedChannel, now }: Deps) {
  return {
    /** The timer rang. */
    async due(channel: string, kind: DigestKind): Promise<void> {
      const schedule = await digests.get(channel, kind);
      if (schedule === null) return;
      await send(schedule, periodBefore(schedule, new Date(now().getTime() + EARLY_MS)));
    },

    /** What rang while nobody was there to hear it. */
    async missed(): Promise<void> {
      for (const schedule of await digests.all()) {
        const period = periodBefore(schedule, now());
        const isOurs = period.toMs > Date.parse(schedule.at);
        if (isOurs && now().getTime() - period.toMs < LATE_MS) await send(schedule, period);
      }
    },

    /** The last day, or the last week, up to this moment. */
    async now(channel: string, id: string): Promise<void> {
      const [schedule] = await digests.ofChannel(channel);
      const kind = schedule === undefined ? 'daily' : kindOf(schedule);
      const toMs = now().getTime();
      const lengthMs = (kind === 'daily' ? 1 : 7) * 86_400_000;
      const period = { fromMs: toMs - lengthMs, toMs, date: '' };
      const before = { fromMs: toMs - 2 * lengthMs, toMs: toMs - lengthMs, date: '' };
      await postDigest(channel, id, kind, period, before);
    },
  };

  async function send(schedule: DigestSchedule, period: DigestPeriod): Promise<void> {
    const { channel } = schedule;
    const kind = kindOf(schedule);
    const id = `digest-${channel}-${kind}-${period.date}`;
    await postDigest(channel, id, kind, period, periodBeforeThat(schedule, period));
  }

  async function postDigest(
    channel: string,
    id: string,
    kind: DigestKind,
    period: DigestPeriod,
    before: DigestPeriod,
  ): Promise<void> {
    const place = await visibilityOf(channel);
    if (place === 'shared') return await notifySharedChannel(channel);
    const [tally, earlier, cards] = await Promise.all([
      tallies.sum(period.fromMs, period.toMs),
      tallies.sum(before.fromMs, before.toMs),
      inactive(),
    ]);
    const facts = {
      kind,
      from: new Date(period.fromMs).toISOString(),
      to: new Date(period.toMs).toISOString(),
      count: tally.count,
      before: earlier.count,
      cents: tally.cents,
      reasons: tally.reasons.map((row) => ({ ...row, before: countOf(earlier.reasons, row.name) })),
      merchants: beside(tally.merchants, earlier.merchants),
      groups: beside(tally.groups, earlier.groups),
      inactive: cards,
    };
    await post(channel, id, digest(facts, place), digest(facts, 'public'));
  }
}

function beside(rows: Tally['merchants'], earlier: Tally['merchants']) {
  return rows.map((row) => ({ ...row, before: countOf(earlier, row.name) }));
}

function countOf(rows: readonly { readonly name: string; readonly count: number }[], name: string): number {
  return rows.filter((row) => row.name === name).reduce((sum, { count }) => sum + count, 0);
}
