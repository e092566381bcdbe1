import { digest } from '../../templates/digests/digest.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { Message } from '../slack/message.ts';
import {
  type DigestKind,
  type DigestPeriod,
  type DigestSchedule,
  type Digests,
  kindOf,
  periodBefore,
  periodBeforeThat,
} from './schedule-store.ts';
import type { Tallies, Tally } from './tally-store.ts';

interface Deps {
  readonly digests: Pick<Digests, 'get' | 'ofChannel' | 'all'>;
  readonly tallies: Pick<Tallies, 'sum'>;
  /** Cards that nobody has activated yet. */
  readonly inactive: () => Promise<CardFacts[]>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  /** Posts once for each id. `elsewhere`: the same in words for everybody, in case another channel gets it. */
  readonly post: (channel: string, id: string, message: Message, elsewhere: Message) => Promise<void>;
  /** A channel is shared with another company and gets nothing any more. */
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  /** Puts on record that a channel got one. Safe to repeat. */
  readonly record: (channel: string, id: string, what: string) => Promise<void>;
  readonly now: () => Date;
}

type Span = Pick<DigestPeriod, 'fromMs' | 'toMs'>;

/** A timer may fire a little early, or before an hour that spring skips has been made up for. */
const EARLY_MS = 2 * 3_600_000;
/** Nobody reads a digest that is later than this. */
const LATE_MS = 12 * 3_600_000;

/** Digests of declines. Each is posted once for its channel and period, however often it is asked for. */
export function createSendDigest(deps: Deps) {
  const { digests, tallies, inactive, visibilityOf, post, notifySharedChannel, record, now } = deps;
  return {
    /** The timer of a digest fired. */
    async due(channel: string, kind: DigestKind): Promise<void> {
      const schedule = await digests.get(channel, kind);
      if (schedule === null) return;
      await send(schedule, periodBefore(schedule, new Date(now().getTime() + EARLY_MS)));
    },

    /** Sends what was due while no worker was running. */
    async missed(): Promise<void> {
      for (const schedule of await digests.all()) {
        const period = periodBefore(schedule, now());
        const wasScheduled = period.toMs > Date.parse(schedule.at);
        if (wasScheduled && now().getTime() - period.toMs < LATE_MS) await send(schedule, period);
      }
    },

    /** The last day or week, up to this moment. */
    async now(channel: string, id: string): Promise<void> {
      const [schedule] = await digests.ofChannel(channel);
      const kind = schedule === undefined ? 'daily' : kindOf(schedule);
      const toMs = now().getTime();
      const fromMs = toMs - (kind === 'daily' ? 1 : 7) * 86_400_000;
      await postDigest(channel, id, kind, { fromMs, toMs }, { fromMs: 2 * fromMs - toMs, toMs: fromMs });
    },
  };

  async function send(schedule: DigestSchedule, period: DigestPeriod): Promise<void> {
    const { channel } = schedule;
    const kind = kindOf(schedule);
    const id = `digest-${channel}-${kind}-${period.date}`;
    await postDigest(channel, id, kind, period, periodBeforeThat(schedule, period));
  }

  async function postDigest(channel: string, id: string, kind: DigestKind, period: Span, before: Span): Promise<void> {
    const visibility = await visibilityOf(channel);
    if (visibility === 'shared') return await notifySharedChannel(channel);
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
      reasons: compared(tally.reasons, earlier.reasons),
      merchants: compared(tally.merchants, earlier.merchants),
      groups: compared(tally.groups, earlier.groups),
      inactive: cards,
    };
    await post(channel, id, digest(facts, visibility), digest(facts, 'public'));
    await record(channel, id, `${kind} digest of ${facts.count} declines`);
  }
}

/** Each row with its count in the period before. */
function compared<Row extends Tally['merchants'][number]>(rows: readonly Row[], earlier: readonly Row[]) {
  return rows.map((row) => ({
    ...row,
    before: earlier.filter(({ name }) => name === row.name).reduce((sum, { count }) => sum + count, 0),
  }));
}
