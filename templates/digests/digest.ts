import type { DataTableBlock } from '@slack/types';
import { isSensitive } from '../../src/alerts/decline-reason.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ChannelVisibility } from '../../src/core/channel-visibility.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode, serviceDay, serviceZone, slashCommand } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { DigestApproval } from '../../src/digests/approved-changes.ts';
import type { OpenException } from '../../src/digests/open-exceptions.ts';
import type { DigestKind } from '../../src/digests/schedule-store.ts';
import type { Sums } from '../../src/digests/tally-store.ts';
import { withoutDataTables } from '../../src/slack/data-tables.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { shownReason } from '../alerts/decline-words.ts';
import { context, countOf, escapeUntrusted, formatCount, header, section, sentence } from '../core/blocks.ts';
import { cardHandle, cardOfHolderRaw, isNoCard } from '../core/card-words.ts';
import { changeWords } from '../core/change-words.ts';
import { type Column, dataTable } from '../core/data-table.ts';
import type { ControllersRows } from './digest-csv.ts';

/** One row: its sums, and the number of declines in the previous period. */
interface DigestRow extends Sums {
  readonly name: string;
  readonly before: number;
}

export interface Digest extends Omit<ControllersRows, 'declines'> {
  readonly kind: DigestKind;
  /** Whether it is about exactly a day, a week or a month. */
  readonly isExact: boolean;
  /** UTC ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly total: Sums;
  /** Declines of the previous period; null when not all of it was counted. */
  readonly before: number | null;
  /** Since when declines are counted, UTC ISO 8601, if that is later than `from`; else null. */
  readonly countedSince: string | null;
  /** Largest first. */
  readonly reasons: readonly (DigestRow & { readonly code: string })[];
  readonly merchants: readonly DigestRow[];
  readonly groups: readonly DigestRow[];
}

const spans = { daily: 'day', weekly: 'week', monthly: 'month' } as const;

/**
 * The declines and approvals of a day, a week or a month, with the declines of the previous period for comparison.
 *
 * @param instead the channel whose digest it is, if another channel gets it because that one could not.
 * @returns also whether every row fits, in tables and in the lines of a workspace without tables; the others are in the
 * controller's file.
 */
export function digest(
  facts: Digest,
  place: ChannelVisibility,
  instead?: string,
): { message: Message; isWhole: boolean } {
  const { kind, isExact, from, to, total, merchants, groups, approvals, open, inactive } = facts;
  const reasons = facts.reasons.map((row) => ({ ...row, name: reasonName(row, place) }));
  const usual = kind === 'monthly' ? 'Declines of the month' : `Declines of the last ${spans[kind]}`;
  const title = isExact ? usual : `Declines ${sinceWords(from)}`;
  const counted = [declinesWords(total), compared(facts)].filter(Boolean).join(', ');
  const [first] = reasons;
  const most =
    first === undefined || first.count === 0
      ? ''
      : ` Most often: ${escapeUntrusted(first.name, 80)}, ${times(first.count)}.`;
  const others = [countedWords(facts), approvalWords(approvals), openWords(open), waitingWords(inactive.length)].filter(
    Boolean,
  );
  const tables = [
    rowsOf('By reason', 'Reason', reasons, facts),
    rowsOf('By merchant', 'Merchant', merchants, facts),
    rowsOf('By group', 'Group', groups, facts),
    dataTable('Approved changes and orders', approvalColumns(to), approvals),
    dataTable('Temporary changes and open requests', openColumns(to), open),
    dataTable('Waiting to be activated', inactiveColumns, inactive, 1000),
  ];
  const whose = instead === undefined ? '' : `Digest of ${channelMention(instead)}, where it could not be posted.`;
  const message = {
    text: sentence(`${whose} ${title}: ${counted}.${most}${others.map((words) => ` ${words}.`).join('')}`.trim()),
    blocks: [
      header(title),
      ...context(whose === '' ? null : `${whose} To end it: ${commandCode(`digest off ${instead}`)}`),
      section(`*${counted}.*`, others.length === 0 ? null : `${others.join('. ')}.`),
      ...tables.flatMap(withRest),
      ...context(`${dateToken(from)} ${dateAfter('to', to)}`),
    ],
  };
  const isWhole = tables.every(({ left }) => left === 0) && withoutDataTables(message.blocks).left === 0;
  return { message, isWhole };
}

/** A reason that helps a person who has another's card gets a different name where many people read it. */
export function reasonName(
  { code, name }: { readonly code: string; readonly name: string },
  place: ChannelVisibility,
): string {
  return isSensitive({ code }) ? shownReason({ decline: { code, message: '' } }, place).title : name;
}

/** `12 declines (30 attempts), $1,234.50`: retries of a purchase count once, and so do their dollars. */
function declinesWords({ count, attempts, cents }: Sums): string {
  if (count === 0)
    return attempts === 0 ? 'No declines' : `No new declines (${countOf(attempts, 'attempt')} at earlier ones)`;
  const tries = attempts > count ? ` (${countOf(attempts, 'attempt')})` : '';
  return `${countOf(count, 'decline')}${tries}, ${formatCents(cents)}`;
}

/** `since Nov 19, 12:00 PM ET`. */
export function sinceWords(from: string): string {
  return `since ${serviceDay(from, from)} ${serviceZone().short}`;
}

/** `4 more than the week before (8)`; empty when not all of the time before was counted. */
function compared({ kind, isExact, total: { count }, before }: Digest): string {
  if (before === null) return '';
  const timeBefore = isExact ? `the ${spans[kind]} before` : 'in the same time before';
  if (count === 0 && before === 0) return `and none ${timeBefore}`;
  const difference = `${formatCount(Math.abs(count - before))} ${count > before ? 'more' : 'fewer'} than`;
  return `${count === before ? 'as many as' : difference} ${timeBefore} (${formatCount(before)})`;
}

/** `Only declines since Nov 19 at 12:00 PM are counted`. Empty when all of the period is. */
function countedWords({ countedSince }: Digest): string {
  return countedSince === null ? '' : `Only declines ${dateAfter('since', countedSince)} are counted`;
}

function times(count: number): string {
  return count === 1 ? 'once' : countOf(count, 'time');
}

/** `3 raises, $700.00 in all; 1 virtual card ordered, funded with $250.00; 2 restrictions lifted`. */
function approvalWords(approvals: readonly DigestApproval[]): string {
  const of = (wanted: DigestApproval['kind']) => approvals.filter(({ kind }) => kind === wanted);
  const lifted = of('lifted');
  const liftedWords = lifted.length === 0 ? '' : `${countOf(lifted.length, 'restriction')} lifted`;
  return [raiseWords(of('raise')), orderWords(of('order')), liftedWords && liftedWords + partWords(lifted)]
    .filter(Boolean)
    .join('; ');
}

/** `3 raises, $700.00 in all, 1 of them without an amount, 1 of them by emergency override`. */
function raiseWords(raises: readonly DigestApproval[]): string {
  if (raises.length === 0) return '';
  const amounts = amountsOf(raises);
  const without = raises.length - amounts.length;
  return [
    countOf(raises.length, 'raise'),
    amounts.length === 0 ? ' without an amount' : `, ${summed(amounts, raises)}`,
    amounts.length === 0 || without === 0 ? '' : `, ${without} of them without an amount`,
    partWords(raises),
  ].join('');
}

function orderWords(orders: readonly DigestApproval[]): string {
  if (orders.length === 0) return '';
  const amounts = amountsOf(orders);
  const funds = amounts.length === 0 ? 'not funded' : `funded with ${summed(amounts, orders)}`;
  return `${countOf(orders.length, 'virtual card')} ordered, ${funds}`;
}

function amountsOf(changes: readonly DigestApproval[]): number[] {
  return changes.flatMap(({ cents }) => cents ?? []);
}

function summed(amounts: readonly number[], all: readonly DigestApproval[]): string {
  const sum = formatCents(amounts.reduce((total, cents) => total + cents, 0));
  return all.length === 1 ? sum : `${sum} in all`;
}

/** `, 1 of them by emergency override, 2 of them not confirmed`. */
function partWords(changes: readonly DigestApproval[]): string {
  const part = (is: 'isOverride' | 'isUnconfirmed', words: string): string => {
    const count = changes.filter((one) => one[is]).length;
    return count === 0 ? '' : `, ${changes.length === 1 ? '' : `${count} of them `}${words}`;
  };
  return part('isOverride', 'by emergency override') + part('isUnconfirmed', 'not confirmed');
}

function openWords(open: readonly OpenException[]): string {
  const requests = open.filter(({ kind }) => kind === 'request').length;
  const changes = open.length - requests;
  return [
    changes === 0 ? '' : countOf(changes, 'temporary change'),
    requests === 0 ? '' : countOf(requests, 'open request'),
  ]
    .filter(Boolean)
    .join(', ');
}

function waitingWords(count: number): string {
  if (count === 0) return '';
  return `${countOf(count, 'card')} ${count === 1 ? 'waits' : 'wait'} to be activated`;
}

function rowsOf(
  caption: string,
  head: string,
  rows: readonly DigestRow[],
  { kind, isExact, before: totalBefore }: Digest,
): ShownTable {
  const number = (value: number) => ({ value, text: formatCount(value) });
  const columns: readonly Column<DigestRow>[] = [
    { head, of: ({ name }) => name || 'No name' },
    { head: 'Declines', of: ({ count }) => number(count) },
    ...(rows.every(({ attempts, count }) => attempts === count)
      ? []
      : [{ head: 'Attempts', of: ({ attempts }: DigestRow) => number(attempts) }]),
    { head: 'Amount', of: ({ cents }) => ({ value: cents / 100, text: formatCents(cents) }) },
    ...(totalBefore === null
      ? []
      : [
          {
            head: `${isExact ? capital(spans[kind]) : 'Time'} before`,
            of: ({ before }: DigestRow) => number(before),
          },
        ]),
  ];
  return dataTable(caption, columns, rows);
}

const approvalColumns = (to: string): Column<DigestApproval>[] => [
  { head: 'Card', of: cardOfHolderRaw },
  { head: 'Added', of: ({ cents }) => (cents === null ? 'no amount' : formatCents(cents)) },
  { head: 'Change', of: ({ before, after }) => (before === null ? after : changeWords(before, after)) },
  { head: 'Duration', of: ({ kind, duration }) => duration ?? (kind === 'order' ? '' : 'permanent') },
  { head: `When (${serviceZone().short})`, of: ({ at }) => serviceDay(at, to) },
  {
    head: 'Decision',
    of: ({ isOverride, isUnconfirmed }) =>
      `${isOverride ? 'emergency override' : 'approved'}${isUnconfirmed ? ', not confirmed' : ''}`,
  },
  { head: 'By', of: ({ approvedBy }) => ({ users: approvedBy }) },
];

const openKinds = { temporary: 'temporary', asking: 'to be decided', request: 'waiting for approval' } as const;

const openColumns = (to: string): Column<OpenException>[] => [
  { head: 'Card', of: ({ card }) => (isNoCard(card) ? '' : cardOfHolderRaw(card)) },
  { head: 'Change', of: ({ change }) => change },
  { head: 'State', of: ({ kind }) => openKinds[kind] },
  { head: `Ends (${serviceZone().short})`, of: ({ endsAt }) => serviceDay(endsAt, to) },
  { head: 'Asked by', of: ({ by }) => ({ users: [by] }) },
];

const inactiveColumns: readonly Column<CardFacts>[] = [
  { head: 'Card', of: cardOfHolderRaw },
  { head: 'To activate it', of: (card) => slashCommand(`activate ${cardHandle(card)}`) },
];

type ShownTable = ReturnType<typeof dataTable>;

function withRest({ blocks, left }: ShownTable): DataTableBlock[] {
  if (left === 0) return blocks;
  return blocks.map((table) => ({ ...table, caption: `${table.caption} (${left} more)` }));
}
