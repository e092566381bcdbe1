import type { KnownBlock } from '@slack/types';
import { declineReason } from '../../src/alerts/decline-reason.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ChannelVisibility } from '../../src/core/channel-visibility.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { shownReason } from '../alerts/decline-words.ts';
import { context, header, outside, section, sentence } from '../core/blocks.ts';
import { cardHandle, cardOfHolder } from '../core/card-words.ts';
import { comparison } from './digest-chart.ts';

/** One row: how often now, and in the same stretch before. */
export interface DigestRow {
  readonly name: string;
  readonly count: number;
  readonly before: number;
}

export interface Digest {
  readonly kind: 'daily' | 'weekly';
  /** UTC ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly before: number;
  readonly cents: number;
  /** Most first. */
  readonly reasons: readonly (DigestRow & { readonly code: string })[];
  readonly merchants: readonly DigestRow[];
  readonly groups: readonly DigestRow[];
  /** Cards that nobody has activated yet. */
  readonly inactive: readonly CardFacts[];
}

const ROWS_MAX = 8;
const INACTIVE_MAX = 10;
const BAR_LENGTH = 10;

/** What was declined in a day or a week, with the one before beside it. */
export function digest(facts: Digest, place: ChannelVisibility): Message {
  const { kind, from, to, count, before, cents, merchants, groups, inactive } = facts;
  const reasons = facts.reasons.map((row) => ({ ...row, name: reasonName(row, place) }));
  const words = kind === 'daily' ? ['Yesterday and today', 'the day before'] : ['This week', 'the week before'];
  const title = kind === 'daily' ? 'Declines of the last day' : 'Declines of the last week';
  const total = `${counted(count)}${count === 0 ? '' : `, ${formatCents(cents)}`}`;
  const change = `${compared(count, before)} ${words[1]} (${before})`;
  const [first] = reasons;
  const most = first === undefined ? '' : ` Most often: ${outside(first.name, 80)}, ${first.count} times.`;
  const waiting = inactive.length === 0 ? '' : ` ${waitingWords(inactive.length)}.`;

  return {
    text: sentence(`${title}: ${total}, ${change}.${most}${waiting}`),
    blocks: [
      header(title),
      section(`*${total}*, ${change}.`),
      ...comparison(
        'Declines by reason',
        [kind === 'daily' ? 'This day' : 'This week', capitalWords(words[1] ?? '')],
        reasons,
      ),
      ...list('By reason', reasons, words[1] ?? ''),
      ...list('By merchant', merchants, words[1] ?? ''),
      ...list('By group', groups, words[1] ?? ''),
      ...waitingCards(inactive),
      ...context(`${dateToken(from)} ${dateAfter('to', to)}`),
    ],
  };
}

/** A reason that helps somebody who holds a card that is not theirs has another name where many read it. */
function reasonName(
  { code, name }: { readonly code: string; readonly name: string },
  place: ChannelVisibility,
): string {
  return declineReason({ code, message: '' }).isSensitive ? shownReason({ code, message: '' }, place).title : name;
}

function counted(count: number): string {
  if (count === 0) return 'Nothing was declined';
  return count === 1 ? '1 decline' : `${count} declines`;
}

function compared(count: number, before: number): string {
  if (count === before) return 'as many as';
  return count > before ? `${count - before} more than` : `${before - count} fewer than`;
}

function capitalWords(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * `▰▰▰▱▱▱▱▱▱▱ 12 · Over the daily limit (8)`: the bar repeats the number, for the eye. Where each number is one there is
 * nothing to see.
 */
function list(title: string, rows: readonly DigestRow[], beforeWords: string): KnownBlock[] {
  if (rows.length === 0) return [];
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const more = rows.length - ROWS_MAX;
  const lines = rows.slice(0, ROWS_MAX).map(({ name, count, before }) => {
    const full = count === 0 ? 0 : Math.max(1, Math.round((count / most) * BAR_LENGTH));
    const bar = most === 1 ? '•' : '▰'.repeat(full) + '▱'.repeat(BAR_LENGTH - full);
    return `${bar} *${count}* · ${outside(name, 80) || 'without a name'} (${before})`;
  });
  return [section(`*${title}* (${beforeWords})`, ...lines, more > 0 ? `… and ${more} more.` : null)];
}

function waitingWords(count: number): string {
  return count === 1 ? '1 card waits to be activated' : `${count} cards wait to be activated`;
}

function waitingCards(inactive: readonly CardFacts[]): KnownBlock[] {
  if (inactive.length === 0) return [];
  const more = inactive.length - INACTIVE_MAX;
  return [
    section(
      `*${waitingWords(inactive.length)}*`,
      ...inactive
        .slice(0, INACTIVE_MAX)
        .map((card) => `• ${cardOfHolder(card)}: ${commandCode(`activate ${outside(cardHandle(card), 20)}`)}`),
      more > 0 ? `… and ${more} more.` : null,
    ),
  ];
}
