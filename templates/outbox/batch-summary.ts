import type { Block, KnownBlock } from '@slack/types';
import { isSameServiceDay, serviceTime } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import * as limits from '../../src/slack/limits.ts';
import { dateAfter, dateToken, plain, truncate } from '../../src/slack/mrkdwn.ts';
import { outcomeLine } from '../actions/outcomes.ts';
import { countOf, escapeUntrusted, type Field, fields, formatCount, section } from '../core/blocks.ts';
import type { BatchContext } from './batch.ts';
import { type BatchRow, tally } from './batch-row.ts';

const TOP = 5;
const BARS_MAX = 10;
const DONE_SHOWN = 6;

/** A burst at a glance: how much, why, where, whose. The rows follow as a file. */
export function batchSummary({ rows, hasChart }: BatchContext): KnownBlock[] {
  const reasons = tally(rows.map(({ why }) => why).filter(Boolean));
  const merchants = tally(rows.map(({ merchant }) => merchant).filter(Boolean));
  const cards = tally(rows.map(cardWords));
  const isDrawn = hasChart && reasons.length > 1;
  const about: Field[] = [
    // Omitted when the chart shows it.
    ['Why', isDrawn ? '' : top(reasons, 'reason')],
    [`Merchants (${formatCount(merchants.length)})`, top(merchants, 'merchant')],
    [`Cards (${formatCount(cards.length)})`, top(cards, 'card')],
  ];
  return [
    ...totals(rows),
    ...(isDrawn ? [barChart('By reason', 'Alerts', barsOf(reasons))] : []),
    ...fields(about),
    ...doneLines(rows),
  ];
}

function cardWords({ who, last4 }: BatchRow): string {
  return last4 === '' ? who : `${who} · card ${last4}`;
}

/** `Over the daily limit: 1,203`, the first five, and how many more there are; `One alert per merchant`, if so. */
function top(counted: readonly (readonly [text: string, times: number])[], noun: string): string {
  if (counted.length > TOP + 1 && counted.every(([, times]) => times === 1)) return `One alert per ${noun}`;
  // A single remaining entry takes no more space than "1 more".
  const shown = counted.length === TOP + 1 ? counted : counted.slice(0, TOP);
  const lines = shown.map(([text, times]) => `${escapeUntrusted(text, 60)}: ${formatCount(times)}`);
  const rest = counted.slice(shown.length);
  if (rest.length > 0) lines.push(`and ${formatCount(rest.length)} more`);
  return lines.join('\n');
}

/** What people did about some of them, newest first. */
export function doneLines(rows: readonly BatchRow[]): KnownBlock[] {
  const acted = rows
    .filter((row) => row.done !== null)
    .toSorted((one, other) => (other.done?.at ?? '').localeCompare(one.done?.at ?? ''));
  if (acted.length === 0) return [];
  const lines = acted
    .slice(0, DONE_SHOWN)
    .map((row) =>
      row.done === null ? '' : `${escapeUntrusted(cardWords(row), 70)}: ${truncate(outcomeLine(row.done), 200)}`,
    );
  const more = acted.length - DONE_SHOWN;
  return [section('*Done about them*', ...lines, more > 0 ? `… and ${formatCount(more)} more.` : null)];
}

/** One bar: a label, possibly from outside, and a number. */
type Bar = readonly [label: string, value: number];

/** The most frequent reasons, and all others in one bar: together they are all alerts that have a reason. */
function barsOf(reasons: readonly Bar[]): readonly Bar[] {
  if (reasons.length <= BARS_MAX) return reasons;
  const others = reasons.slice(BARS_MAX - 1);
  const sum = others.reduce((all, [, times]) => all + times, 0);
  return [...reasons.slice(0, BARS_MAX - 1), [`Others (${countOf(others.length, 'reason')})`, sum]];
}

/**
 * Slack's own bar chart. Not every workspace supports it.
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
function barChart(title: string, series: string, bars: readonly Bar[]): KnownBlock {
  const known = new Set<string>();
  const data = bars.slice(0, limits.CHART_CATEGORIES_MAX).map(([label, value], i) => {
    const cut = truncate(plain(label), limits.CHART_LABEL_MAX) || '–';
    // Slack refuses two bars with the same name.
    const name = known.has(cut) ? `${truncate(cut, limits.CHART_LABEL_MAX - 5)} (${i + 1})` : cut;
    known.add(name);
    return { label: name, value };
  });
  const block: Block & { readonly title: string; readonly chart: object } = {
    type: 'data_visualization',
    title: truncate(plain(title), limits.CHART_TITLE_MAX),
    chart: {
      type: 'bar',
      series: [{ name: truncate(plain(series), limits.CHART_LABEL_MAX), data }],
      axis_config: { categories: data.map(({ label }) => label) },
    },
  };
  // The published types do not include it yet.
  return block as Block as KnownBlock;
}

/** The total amounts of some alerts, and when they happened; no block when neither is known. */
export function totals(rows: readonly BatchRow[]): KnownBlock[] {
  const words = totalWords(rows);
  return words === '' ? [] : [section(words)];
}

function totalWords(rows: readonly BatchRow[]): string {
  const times = rows.flatMap(({ at }) => at || []).toSorted();
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const amounts = sums(rows).map(([amount, words]) => `*${amount}* ${words}`);
  const since = amounts.length === 0 ? dateToken(first) : `${amounts.join(', ')}${first && dateAfter(',', first)}`;
  if (first === '' || serviceTime(first) === serviceTime(last)) return since;
  return `${since} ${isSameServiceDay(first, last) ? dateAfter('to', last, '{time}') : dateAfter('to', last)}`;
}

/**
 * Total amounts: `$84.10`, `in all`. Purchases, settlements and refunds are not added together, because they can be the
 * same money. Repeats of one decline count once. Of the declines of a blocked card, only the lowest and the highest amount
 * are known, and equal ones may be one purchase or several: `$84.10 or more`.
 */
export function sums(rows: readonly BatchRow[]): [amount: string, words: string][] {
  const cents = new Map<string, number>();
  const unknown = new Set<string>();
  for (const row of rows) {
    const sum = (row.cents ?? 0) + (row.maxCents ?? 0);
    if (sum === 0) continue;
    const words = row.kind === 'decline' ? 'declined' : row.what.toLowerCase();
    cents.set(words, (cents.get(words) ?? 0) + sum);
    if (row.isAtLeast) unknown.add(words);
  }
  return [...cents].map(([words, sum]) => [
    `${formatCents(sum)}${unknown.has(words) ? ' or more' : ''}`,
    cents.size === 1 ? 'in all' : words,
  ]);
}
