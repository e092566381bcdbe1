import { countOf } from '../../templates/core/blocks.ts';
import { digest, reasonName } from '../../templates/digests/digest.ts';
import type { ControllersRows } from '../../templates/digests/digest-csv.ts';
import { isSensitive } from '../alerts/decline-reason.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { merchantName } from '../core/merchant-name.ts';
import type { Message } from '../slack/message.ts';
import type { DigestApproval } from './approved-changes.ts';
import type { OpenException } from './open-exceptions.ts';
import {
  type DigestKind,
  type DigestPeriod,
  type DigestSchedule,
  type Digests,
  kindOf,
  periodBefore,
  periodBeforeThat,
  periodsUntil,
  type Span,
  scheduleId,
} from './schedule-store.ts';
import { coveredSpan, type ShownDeclines } from './shown-declines.ts';
import { added, noSums, sumBy, type Tallies, type TallyRow, wholeQuarter } from './tally-store.ts';

interface Deps {
  readonly digests: Pick<Digests, 'get' | 'ofChannel' | 'all'>;
  readonly tallies: Pick<Tallies, 'sum' | 'countedSinceMs'>;
  readonly shownDeclines: ShownDeclines;
  readonly exceptions: {
    readonly approved: (fromMs: number, toMs: number) => Promise<DigestApproval[]>;
    readonly open: () => Promise<OpenException[]>;
    readonly inactive: () => Promise<CardFacts[]>;
  };
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  /** Posts a digest once per id. The outbox moves it if another company can read the channel. */
  readonly post: (
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
  /** Audits that a channel gets a digest that nobody asked for at the moment. Idempotent. */
  readonly record: (channel: string, id: string, what: string) => Promise<void>;
  readonly now: () => Date;
}

/** A digest on request. */
export interface DigestNow {
  /** Its period: until now, or the previous calendar month. */
  readonly of: DigestKind | 'last-month' | null;
  /** The time zone, if the channel has no schedule. */
  readonly zone: string;
}

/** Records what is about to be posted: `daily digest of 3 declines`. Idempotent. */
export type RecordDigest = (what: string) => Promise<void>;

/** Nobody reads a digest later than this. A monthly digest is still needed for longer. */
const lateMs: Readonly<Record<DigestKind, number>> = {
  daily: 12 * 3_600_000,
  weekly: 12 * 3_600_000,
  monthly: 5 * 24 * 3_600_000,
};

interface DueDigest {
  readonly channel: string;
  readonly kind: DigestKind;
  readonly dueMs: number;
}

/** Digests of declines and approvals. Each is posted once per channel and period, however often it is requested. */
export function createSendDigest(deps: Deps) {
  const { digests, tallies, shownDeclines, visibilityOf, post, record, now } = deps;
  return {
    /** Digests that are due and were not sent, including those due while no worker was running. */
    async due(): Promise<DueDigest[]> {
      const due: DueDigest[] = [];
      for (const schedule of await digests.all()) {
        const period = await duePeriod(schedule, deps);
        if (period !== null) due.push({ channel: schedule.channel, kind: kindOf(schedule), dueMs: period.dueMs });
      }
      return due;
    },

    /** Idempotent. Does nothing if the schedule was replaced meanwhile: its next digest covers this one's declines, too. */
    async send({ channel, kind, dueMs }: DueDigest): Promise<void> {
      const id = `digest-${channel}-${kind}-${dueMs}`;
      const schedule = await digests.get(channel, kind);
      const due = schedule === null ? null : await duePeriod(schedule, deps);
      if (schedule === null || due === null || due.dueMs !== dueMs) return;
      const covered = await coveredBy(schedule, due, deps);
      await postDigest(channel, id, { kind, ...covered }, (what) => record(channel, id, what));
      await shownDeclines.setShown(scheduleId(channel, kind), covered.period);
    },

    /**
     * Posts a digest until now. Defaults to the kind of the channel's first digest, else daily.
     *
     * @param recorded records who asked for what is about to be posted.
     */
    async now(channel: string, id: string, { of, zone }: DigestNow, recorded: RecordDigest): Promise<void> {
      const schedules = await digests.ofChannel(channel);
      const [first] = schedules;
      const kind = of === 'last-month' ? 'monthly' : (of ?? (first === undefined ? 'daily' : kindOf(first)));
      const schedule = schedules.find((one) => kindOf(one) === kind) ?? first;
      const covered = coveredUntil(now(), { kind, isLast: of === 'last-month', zone: schedule?.zone ?? zone });
      await postDigest(channel, id, { kind, ...covered }, recorded);
    },
  };

  async function postDigest(channel: string, id: string, asked: Asked, recorded: RecordDigest): Promise<void> {
    const { kind, period } = asked;
    const declines = await tallies.sum(period.fromMs, period.toMs);
    const facts = await readFacts(asked, declines, deps);
    const { approvals, open, inactive } = facts;
    const { message, isWhole } = digest(facts, await visibilityOf(channel));
    // A file may be forwarded, so it uses the wording for public channels.
    const worded = declines.map((row) => ({
      ...row,
      reason: reasonName({ ...row, name: row.reason }, 'public'),
      code: isSensitive(row) ? '' : row.code,
    }));
    const rows = isWhole && kind !== 'monthly' ? null : { declines: worded, approvals, open, inactive };
    // Recorded first: nobody reads a digest that is not on record.
    await recorded(`${kind} digest of ${countOf(facts.total.count, 'decline')}`);
    await post(channel, id, { message, elsewhere: digest(facts, 'public', channel).message, rows });
  }
}

/** What a channel's digest is about. */
interface Covered {
  readonly period: Span;
  /** Whether the period is exactly a day, a week or a month. */
  readonly isExact: boolean;
  /** What it is compared with. */
  readonly before: Span;
}

async function coveredBy(
  schedule: DigestSchedule,
  due: DigestPeriod,
  { shownDeclines }: Pick<Deps, 'shownDeclines'>,
): Promise<Covered> {
  const last = await shownDeclines.lastShown(scheduleId(schedule.channel, kindOf(schedule)));
  const sinceMs = Date.parse(schedule.startedAt ?? schedule.at);
  const period = coveredSpan({ period: due, last, sinceMs });
  const isExact = period.fromMs === due.fromMs;
  return { period, isExact, before: isExact ? periodBeforeThat(schedule, due) : spanBefore(period) };
}

/** The period of a schedule whose digest is due and was not sent; null: none. */
async function duePeriod(
  schedule: DigestSchedule,
  deps: Pick<Deps, 'shownDeclines' | 'now'>,
): Promise<DigestPeriod | null> {
  const kind = kindOf(schedule);
  const now = deps.now();
  const period = periodBefore(schedule, now);
  const wasScheduled = period.dueMs > Date.parse(schedule.at);
  if (!wasScheduled || now.getTime() - period.dueMs >= lateMs[kind]) return null;
  const last = await deps.shownDeclines.lastShown(scheduleId(schedule.channel, kind));
  return last !== null && last.toMs >= period.toMs ? null : period;
}

/** A digest to post. */
interface Asked extends Covered {
  readonly kind: DigestKind;
}

/** What a digest on request covers. @param isLast the previous calendar month. */
function coveredUntil(
  now: Date,
  { kind, isLast, zone }: { readonly kind: DigestKind; readonly isLast: boolean; readonly zone: string },
): Covered {
  const [current, previous] = periodsUntil(kind, now, zone);
  if (isLast) {
    const [, before] = periodsUntil(kind, new Date(previous.fromMs), zone);
    return { period: previous, isExact: true, before };
  }
  // A month that is not over cannot be compared with a whole one.
  if (kind === 'monthly') return { period: current, isExact: false, before: spanBefore(current) };
  return { period: current, isExact: true, before: previous };
}

/** The time before a span, as long as the span, in whole quarters of an hour. */
function spanBefore({ fromMs, toMs }: Span): Span {
  return { fromMs: wholeQuarter(2 * fromMs - toMs), toMs: fromMs };
}

async function readFacts(
  { kind, period, isExact, before }: Asked,
  declines: readonly TallyRow[],
  { tallies, exceptions }: Deps,
) {
  const countedSinceMs = await tallies.countedSinceMs();
  const isComparable = countedSinceMs <= before.fromMs;
  const [earlier, approvals, open, inactive] = await Promise.all([
    isComparable ? tallies.sum(before.fromMs, before.toMs) : [],
    exceptions.approved(period.fromMs, period.toMs),
    exceptions.open(),
    exceptions.inactive(),
  ]);
  return {
    kind,
    isExact,
    from: new Date(period.fromMs).toISOString(),
    to: new Date(period.toMs).toISOString(),
    total: declines.reduce(added, noSums),
    before: isComparable ? earlier.reduce(added, noSums).count : null,
    countedSince: countedSinceMs <= period.fromMs ? null : new Date(countedSinceMs).toISOString(),
    reasons: compared(declines, earlier, reasonOf),
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

/** One code has several reasons: the limits of a card, and the statuses. Codes that Cardbell does not know share a title. */
function reasonOf({ code, reason }: TallyRow): Named {
  return { key: JSON.stringify([code, reason]), name: reason };
}

/** Cards without a group get their own row, so that the rows add up. */
function groupName({ group }: TallyRow): Named {
  return { key: JSON.stringify(group), name: group ?? 'No group' };
}
