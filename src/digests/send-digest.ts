import { countOf } from '../../templates/core/blocks.ts';
import { digest, reasonName } from '../../templates/digests/digest.ts';
import type { ControllersRows } from '../../templates/digests/digest-csv.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { merchantName } from '../core/merchant-name.ts';
import type { Message } from '../slack/message.ts';
import type { ApprovedChange, OpenException } from './exceptions.ts';
import type { Counted, ShownDeclines } from './late-declines.ts';
import {
  type DigestKind,
  type Digests,
  kindOf,
  periodBefore,
  periodBeforeThat,
  periodOf,
  periodsUntil,
  type Span,
} from './schedule-store.ts';
import { added, noSums, sumBy, type Tallies, type TallyRow } from './tally-store.ts';

/** The period of a digest on request: until now, or the previous calendar month. */
export type DigestOf = DigestKind | 'last-month';

interface Deps {
  readonly digests: Pick<Digests, 'get' | 'ofChannel' | 'all'>;
  readonly tallies: Pick<Tallies, 'sum'>;
  /** Which digests were sent, and what they counted. */
  readonly sent: ShownDeclines & {
    readonly has: (id: string) => Promise<boolean>;
    readonly add: (id: string, keptMs: number) => Promise<void>;
  };
  readonly exceptions: {
    readonly approved: (fromMs: number, toMs: number) => Promise<ApprovedChange[]>;
    readonly open: () => Promise<OpenException[]>;
    readonly inactive: () => Promise<CardFacts[]>;
  };
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly post: PostDigest;
  /** Reports that a channel is shared with another company and gets no more alerts. */
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  /** Audits that a channel got a digest. Idempotent. */
  readonly record: (channel: string, id: string, what: string) => Promise<void>;
  readonly now: () => Date;
}

/** Posts a digest once per id. */
type PostDigest = (
  channel: string,
  id: string,
  posted: {
    readonly message: Message;
    /** The same, worded for everyone, in case another channel gets it. */
    readonly elsewhere: Message;
    /** Rows of the controller's file; null when the message shows everything. */
    readonly rows: ControllersRows | null;
  },
) => Promise<void>;

/** Nobody reads a digest later than this. A monthly digest is still needed for longer. */
const lateMs: Readonly<Record<DigestKind, number>> = {
  daily: 12 * 3_600_000,
  weekly: 12 * 3_600_000,
  monthly: 5 * 24 * 3_600_000,
};

interface DueDigest {
  readonly channel: string;
  readonly kind: DigestKind;
  readonly date: string;
}

const idOf = ({ channel, kind, date }: DueDigest): string => `digest-${channel}-${kind}-${date}`;

/** Digests of declines and approvals. Each is posted once per channel and period, however often it is requested. */
export function createSendDigest(deps: Deps) {
  const { digests, tallies, sent, visibilityOf, post, notifySharedChannel, record, now } = deps;
  return {
    /** Digests that are due and were not sent, including those due while no worker was running. */
    async due(): Promise<DueDigest[]> {
      const due: DueDigest[] = [];
      for (const schedule of await digests.all()) {
        const { dueMs, date } = periodBefore(schedule, now());
        const digestDue = { channel: schedule.channel, kind: kindOf(schedule), date };
        const wasScheduled = dueMs > Date.parse(schedule.at);
        const isTooLate = now().getTime() - dueMs >= lateMs[digestDue.kind];
        if (wasScheduled && !isTooLate && !(await sent.has(idOf(digestDue)))) due.push(digestDue);
      }
      return due;
    },

    /** Idempotent. */
    async send(due: DueDigest): Promise<void> {
      const { channel, kind, date } = due;
      const id = idOf(due);
      const schedule = await digests.get(channel, kind);
      if (schedule === null || (await sent.has(id))) return;
      const period = periodOf(schedule, date);
      const ofSchedule = `${channel}:${kind}`;
      const counted = await sent.count(tallies, {
        id,
        schedule: ofSchedule,
        period,
        sinceMs: Date.parse(schedule.at),
        keptMs: 2 * lateMs[kind],
      });
      await postDigest(channel, id, { kind, period, before: periodBeforeThat(schedule, period), ...counted });
      await sent.setShown(ofSchedule, counted);
      await sent.add(id, 2 * lateMs[kind]);
    },

    /** Posts a digest until now. Defaults to the kind of the channel's first digest, else daily. */
    async now(channel: string, id: string, of: DigestOf | null, zone: string): Promise<void> {
      const [schedule] = await digests.ofChannel(channel);
      const kind = of === 'last-month' ? 'monthly' : (of ?? (schedule === undefined ? 'daily' : kindOf(schedule)));
      const [current, previous] = periodsUntil(kind, now(), schedule?.zone ?? zone);
      const [period, before] =
        of === 'last-month'
          ? [previous, periodsUntil(kind, new Date(previous.fromMs), schedule?.zone ?? zone)[1]]
          : [current, previous];
      const declines = await tallies.sum(period.fromMs, period.toMs);
      await postDigest(channel, id, { kind, period, before, declines, late: noSums });
    },
  };

  async function postDigest(channel: string, id: string, asked: Asked): Promise<void> {
    const visibility = await visibilityOf(channel);
    if (visibility === 'shared') return await notifySharedChannel(channel);
    const { kind, declines, late } = asked;
    const facts = await readFacts(asked, deps);
    const { approvals, open, inactive } = facts;
    const { message, isWhole } = digest(facts, visibility);
    // A file may be forwarded, so it uses the wording for public channels.
    const told = declines.map((row) => ({ ...row, reason: reasonName({ ...row, name: row.reason }, 'public') }));
    const rows = isWhole && kind !== 'monthly' ? null : { declines: told, late, approvals, open, inactive };
    await post(channel, id, { message, elsewhere: digest(facts, 'public').message, rows });
    await record(channel, id, `${kind} digest of ${countOf(facts.total.count, 'decline')}`);
  }
}

/** A digest to post, with the declines that it shows. */
interface Asked extends Pick<Counted, 'declines' | 'late'> {
  readonly kind: DigestKind;
  readonly period: Span;
  readonly before: Span;
}

async function readFacts({ kind, period, before, declines, late }: Asked, { tallies, exceptions }: Deps) {
  const [earlier, approvals, open, inactive] = await Promise.all([
    tallies.sum(before.fromMs, before.toMs),
    exceptions.approved(period.fromMs, period.toMs),
    exceptions.open(),
    exceptions.inactive(),
  ]);
  return {
    kind,
    from: new Date(period.fromMs).toISOString(),
    to: new Date(period.toMs).toISOString(),
    late,
    total: declines.reduce(added, noSums),
    before: earlier.reduce(added, noSums).count,
    reasons: compared(declines, earlier, ({ code, reason }) => ({ key: code, name: reason })),
    merchants: compared(declines, earlier, ({ merchant }) => merchantName(merchant)),
    groups: declines.every(({ group }) => group === null) ? [] : compared(declines, earlier, groupName),
    approvals,
    open,
    inactive,
  };
}

/** The key of rows that belong together, and their name. */
type Named = ReturnType<typeof merchantName>;

/** The rows of each name, largest first, with their count in the previous period. */
function compared(rows: readonly TallyRow[], earlier: readonly TallyRow[], nameOf: (row: TallyRow) => Named) {
  const keyOf = (row: TallyRow): string => nameOf(row).key;
  const before = new Map(sumBy(earlier, keyOf).map((row) => [keyOf(row), row.count]));
  return sumBy(rows, keyOf).map((row) => ({ ...row, name: nameOf(row).name, before: before.get(keyOf(row)) ?? 0 }));
}

/** Cards without a group get their own row, so that the rows add up. */
function groupName({ group }: TallyRow): Named {
  return { key: JSON.stringify(group), name: group ?? 'No group' };
}
