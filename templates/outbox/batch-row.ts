import type { Outcome } from '../../src/actions/action-state.ts';
import {
  type Alert,
  type CardTestingAlert,
  type StatusAlert,
  statusNow,
  type TransactionAlert,
} from '../../src/alerts/alert.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import { isUndated, kindTraits } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { serviceTime } from '../../src/core/installation.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import * as limits from '../../src/slack/limits.ts';
import { dateToken, truncate } from '../../src/slack/mrkdwn.ts';
import { mainOutcome } from '../actions/outcomes.ts';
import { isStillWaiting } from '../alerts/activation-reminder.ts';
import { placesOf } from '../alerts/card-testing.ts';
import { howPaid, otherRequestedCents } from '../alerts/decline.ts';
import { reasonOf } from '../alerts/decline-words.ts';
import { isCardCheck } from '../alerts/money-line.ts';
import { isAnywhere, paidAmong, repeatsIn } from '../alerts/repeats.ts';
import { orderOutcomes } from '../alerts/virtual-card.ts';
import { countOf, escapeUntrusted, formatCount } from '../core/blocks.ts';
import { cardOf, cardRaw, holderRaw, statusWord } from '../core/card-words.ts';
import { needsDay, seenAt, type View } from '../core/view.ts';

/** One alert of a batch: who, how much, where, why. All fields are raw; the caller escapes them. */
export interface BatchRow {
  readonly id: string;
  readonly kind: Alert['event']['kind'];
  /** `decline`, `declines`: what it counts as. */
  readonly nouns: readonly [one: string, many: string];
  /** `Declined`, `Shipped`. */
  readonly what: string;
  readonly who: string;
  /** Last four digits of the card; empty when unknown. */
  readonly last4: string;
  /** Null when it is not about money, or unknown. */
  readonly cents: number | null;
  /** The highest amount of several declines of which `cents` is the lowest; else null. */
  readonly maxCents: number | null;
  /** It counts several declines, which may add up to more than `cents` and `maxCents`. */
  readonly isAtLeast: boolean;
  /** The amount that the merchant requested, if different; else null. */
  readonly requestedCents: number | null;
  readonly merchant: string;
  /** City, state or country. */
  readonly place: string;
  readonly why: string;
  /** How often it was tried; 1: once. */
  readonly times: number;
  /** How many webhooks it covers: attempts, cards of a warning, statuses that a card went through. */
  readonly events: number;
  /** The service's decline code, if it may be shown here; else empty. */
  readonly code: string;
  /** UTC ISO 8601; empty when unknown. */
  readonly at: string;
  /** The time needs its day. */
  readonly needsDay: boolean;
  /** When people first see it, UTC ISO 8601. */
  readonly seenAt: string;
  /** What became of it. */
  readonly done: Outcome | null;
}

/** Every field, so that all rows have the same shape, which V8 reads and copies fastest. Most rows lack some of them. */
const blank: BatchRow = {
  id: '',
  kind: 'decline',
  nouns: ['alert', 'alerts'],
  what: '',
  who: '',
  why: '',
  at: '',
  needsDay: false,
  seenAt: '',
  last4: '',
  cents: null,
  maxCents: null,
  isAtLeast: false,
  requestedCents: null,
  merchant: '',
  place: '',
  times: 1,
  events: 1,
  code: '',
  done: null,
};

/** An alert that another version stored. */
export function unreadableRow(id: string): BatchRow {
  const words = { what: 'Alert', who: 'Could not be shown', why: `Kept as ${id}` };
  return { ...blank, ...words, id };
}

const spendWords = { authorization: 'Spent', pin: 'Spent', settlement: 'Settled', reversal: 'Reversed' } as const;

/** An alert as a row. It shows no more than the alert's own message would show in this channel. */
export function batchRow(alert: Alert, view: View): BatchRow {
  const row = rowOf(alert, view);
  return { ...row, needsDay: needsDay(row.at, alert, view), seenAt: seenAt(alert, view).toISOString() };
}

type Row = Omit<BatchRow, 'needsDay' | 'seenAt'>;

function rowOf(alert: Alert, view: View): Row {
  const { event } = alert;
  const card = cardOf(alert);
  const row: Known = {
    ...blank,
    id: event.id,
    kind: event.kind,
    nouns: ownNouns[alert.kind] ?? kindTraits[event.kind].nouns,
    who: holderRaw(card),
    last4: card.last4 ?? '',
    done: mainOutcome(paidAmong(alert, view).outcomes) ?? null,
  };
  // Another company reads this channel: it may only know that something happened.
  if (!mayShow('details', view.place)) {
    const hidden = { nouns: ['alert', 'alerts'], who: 'Not shown here', last4: '', what: 'News', why: '' } as const;
    return { ...row, ...hidden, at: event.callbackAt, done: null };
  }
  if (alert.kind === 'card-testing') return testingRow(alert, row);
  if (alert.kind === 'fraud-case') {
    const { event: decline, reported } = alert;
    const merchant = decline.merchant.name.trim();
    return {
      ...row,
      what: 'Fraud reported',
      cents: decline.amountCents,
      merchant,
      why: 'The cardholder did not make this purchase',
      at: reported.at,
    };
  }
  if (alert.kind === 'card-status') {
    const events = alert.changes.reduce((sum, { steps }) => sum + steps.length, 0);
    return { ...row, events, what: 'Card status', why: statusWay(alert), at: event.callbackAt };
  }
  if (alert.kind === 'virtual-card') {
    return { ...row, what: 'Virtual card', why: capital(orderOutcomes[alert.event.outcome]), at: event.callbackAt };
  }
  if (alert.kind === 'transaction') return transactionRow(alert, row, view);
  if (alert.kind === 'activation-reminder') {
    const what = isStillWaiting(alert) ? 'Still not activated' : 'No longer waiting';
    return { ...row, what, why: `Shipped ${serviceTime(event.callbackAt)}`, at: '' };
  }
  const how = [alert.event.shippingMethod, alert.event.trackingNumber].map((text) => text.trim()).filter(Boolean);
  return { ...row, what: 'Card shipped', why: how.join(', '), at: event.callbackAt };
}

/** Alerts that several events cause, or none. */
const ownNouns: Readonly<Partial<Record<Alert['kind'], BatchRow['nouns']>>> = {
  'card-testing': ['card-testing warning', 'card-testing warnings'],
  'fraud-case': ['fraud report', 'fraud reports'],
  'activation-reminder': ['activation reminder', 'activation reminders'],
};

type Known = Omit<Row, 'what' | 'why' | 'at'>;

function testingRow({ event, tried }: CardTestingAlert, row: Known): Row {
  const places = placesOf(tried);
  return {
    ...row,
    merchant: event.merchant.name.trim(),
    place: places.length > 1 ? countOf(places.length, 'place') : (places[0] ?? ''),
    who: countOf(tried.length, 'card'),
    last4: '',
    events: tried.length,
    what: 'Possible card testing',
    why: 'Several cards declined at one merchant',
    at: event.occurredAt,
  };
}

function transactionRow(alert: TransactionAlert, row: Known, view: View): Row {
  const { event } = alert;
  const money = {
    ...row,
    cents: event.amountCents,
    requestedCents: otherRequestedCents(event),
    merchant: event.merchant.name.trim(),
    place: locationLine(event.merchant),
    at: isUndated(event) ? '' : event.occurredAt,
  };
  if (event.kind === 'decline') {
    const reason = reasonOf(alert, view.place);
    const repeats = repeatsIn(alert, view);
    const times = repeats?.count ?? 1;
    const isOfSeveral = repeats !== null && isAnywhere(alert, repeats);
    const all = isOfSeveral && { requestedCents: null, merchant: '', place: '' };
    const isRange = isOfSeveral && repeats.minCents < repeats.maxCents;
    const range = isRange && { cents: repeats.minCents, maxCents: repeats.maxCents };
    const isAtLeast = isOfSeveral && times > (isRange ? 2 : 1);
    const what = times === 1 ? 'Declined' : `Declined ${countOf(times, 'time')}`;
    return {
      ...money,
      ...all,
      ...range,
      isAtLeast,
      what,
      times,
      events: times,
      why: reason.title,
      code: reason.isWithheld ? '' : reason.code,
    };
  }
  const why = [howPaid(event), merchantCategory(event.mcc) ?? ''].filter(Boolean).join(', ');
  if (isCardCheck(event)) return { ...money, nouns: ['card check', 'card checks'], what: 'Card checked', why };
  const what = event.direction === 'credit' && event.kind !== 'reversal' ? 'Refunded' : spendWords[event.kind];
  return { ...money, what, why };
}

const STATUSES_SHOWN = 5;

function statusWay({ event, changes }: StatusAlert): string {
  const way = changes.map((change) => {
    const [from, now] = [change.from, statusNow(change)];
    const card = changes.length === 1 ? '' : `${cardRaw(change)}: `;
    return `${card}${from === null || from === now ? '' : `${statusWord(from)} → `}${statusWord(now)}`;
  });
  const more = way.length - STATUSES_SHOWN;
  const rest = `${more > 0 ? ` and ${more} more` : ''}${event.isSeen === true ? ' (seen later)' : ''}`;
  return capital(`${way.slice(0, STATUSES_SHOWN).join('; ')}${rest}`);
}

/** `$84.10`; `$12.00 to $84.10` for several declines; empty when there is no amount. */
export function rowAmount({ cents, maxCents }: Pick<BatchRow, 'cents' | 'maxCents'>): string {
  return [cents, maxCents].flatMap((one) => (one === null ? [] : formatCents(one))).join(' to ');
}

/** `$84.10 at Blue Bottle Coffee`, or the known part of it. Raw. */
export function howMuchWhere(row: BatchRow): string {
  const { requestedCents, merchant } = row;
  const requested = requestedCents === null ? '' : ` (of ${formatCents(requestedCents)} requested)`;
  const amount = rowAmount(row);
  return [amount && `${amount}${requested}`, merchant].filter(Boolean).join(' at ');
}

/** The label by which people find it in a menu: `$84.10 at Blue Bottle Coffee · Jane Doe · card 4242`. Raw. */
export function rowLabel(row: BatchRow): string {
  const card = row.last4 === '' ? '' : `card ${row.last4}`;
  const who = [truncate(row.who, 24), card].filter(Boolean).join(' · ');
  const what = card === '' && row.why !== '' ? `${row.what}: ${row.why}` : row.what;
  return [truncate(howMuchWhere(row) || what, limits.OPTION_TEXT_MAX - who.length - 3), who]
    .filter(Boolean)
    .join(' · ');
}

/** `12 declines`, `2 declines (12 attempts) and 3 purchases`; with more than three kinds `40 alerts`. */
export function countWords(rows: readonly BatchRow[]): string {
  const kinds = tally(rows.map(({ nouns: [, many] }) => many));
  if (kinds.length > 3) return countOf(rows.length, 'alert');
  return joinWithAnd(
    kinds.map(([noun, many]) => {
      const these = rows.filter(({ nouns }) => nouns[1] === noun);
      const tried = these.reduce((sum, { times }) => sum + times, 0);
      const attempts = tried > many ? ` (${countOf(tried, 'attempt')})` : '';
      return `${formatCount(many)} ${many === 1 ? these[0]?.nouns[0] : noun}${attempts}`;
    }),
  );
}

/** Each value and its number of occurrences, most frequent first. */
export function tally<T extends string>(values: readonly T[]): [value: T, times: number][] {
  const times = new Map<T, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  return [...times].toSorted((one, other) => other[1] - one[1]);
}

/** A complete row on one short line. */
export function rowLine(row: BatchRow): string {
  const head = [howMuchWhere(row), row.place].filter(Boolean).join(', ');
  const what = escapeUntrusted(`${row.what}${head === '' ? '' : `: ${head}`}`, 100);
  const when = row.at === '' ? '' : dateToken(row.at);
  return [what, ...rowHolder(row), when, escapeUntrusted(row.why, 50)].filter(Boolean).join(' · ');
}

/** Holder and card: `Sam Rivera`, `card 1234`. */
export function rowHolder({ who, last4 }: BatchRow): string[] {
  return [escapeUntrusted(who, 50), last4 === '' ? '' : `card ${escapeUntrusted(last4, 10)}`].filter(Boolean);
}

/** Holder, card and time: `Sam Rivera`, `card 1234`, a time. */
export function rowCard(row: BatchRow): string[] {
  const when = row.needsDay ? dateToken(row.at) : dateToken(row.at, '{time}');
  return [...rowHolder(row), row.at === '' ? '' : when].filter(Boolean);
}
