import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { PurchaseTimeline } from '../../src/alerts/purchase-timeline.ts';
import { formatCents } from '../../src/core/money.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted } from './blocks.ts';

/** `$84.10 at Corner Diner`; the amount alone where no merchant is named. */
export function amountAt(cents: number, merchant: string): string {
  return `${formatCents(cents)}${merchant.trim() === '' ? '' : ` at ${escapeUntrusted(merchant, 60)}`}`;
}

type Step = PurchaseTimeline['steps'][number];

/**
 * Where a purchase stands, for its first message: `*settled* for $96.20`. Empty as long as nothing followed.
 *
 * What no id ties to it is said to belong to it probably.
 */
export function purchaseState({ event, timeline }: TransactionAlert): string {
  if (timeline === null || timeline.leaderId !== event.id) return '';
  const { steps } = timeline;
  const others = steps.filter(({ eventId }) => eventId !== event.id);
  if (others.length === 0) return '';
  const held = sum(steps, (step) => step.kind === 'authorization');
  const paid = sum(steps, (step) => step.kind === 'pin');
  const settled = sum(steps, (step) => step.kind === 'settlement' && step.direction === 'debit');
  const reversed = sum(steps, (step) => step.kind === 'reversal');
  const refunded = sum(steps, (step) => step.kind === 'settlement' && step.direction === 'credit');
  // What one capture took stands beside it already; all that several took together does not.
  const isTold = event.kind === 'settlement' && settled === event.amountCents;
  const whole = settled + paid || held;
  const words = [
    event.kind === 'settlement' && held > 0 ? `authorized for ${formatCents(held)}` : '',
    settled > 0 && !isTold ? `*settled* for ${formatCents(settled)}` : '',
    reversed > 0 ? reversal(reversed, { held, paid, settled }) : '',
    refunded > 0
      ? `${refunded >= whole && whole > 0 ? '*refunded*' : '*partly refunded*'}: ${formatCents(refunded)}`
      : '',
  ].filter(Boolean);
  const last = others.at(-1);
  const when = last === undefined ? '' : dateAfter(',', last.at);
  const probably = others.some(({ isInferred }) => isInferred) ? ' (probably: the merchant sent no reference)' : '';
  return words.length === 0 ? '' : `${words.join(', ')}${when}${probably}`;
}

/** For a step that only its merchant, amount and time tie to the purchase that it answers. */
export function inferredNote({ event, timeline }: TransactionAlert): string {
  const own = timeline?.leaderId === event.id ? undefined : timeline?.steps.find(({ eventId }) => eventId === event.id);
  return own?.isInferred === true ? 'probably part of this purchase: same card and merchant, no reference' : '';
}

/** A PIN purchase holds nothing: what is reversed of it is credited back. */
function reversal(reversed: number, { held, paid, settled }: Record<'held' | 'paid' | 'settled', number>): string {
  const isWhole = reversed >= (held + paid || settled);
  const credited = paid > 0 ? ', credited back' : '';
  if (!isWhole) return `*partly reversed*: ${formatCents(reversed)}${credited}`;
  if (settled > 0) return '*reversed* after settlement';
  return held > 0 ? '*reversed*, hold released' : `*reversed*${credited}`;
}

function sum(steps: readonly Step[], counts: (step: Step) => boolean): number {
  return steps.filter(counts).reduce((total, { cents }) => total + cents, 0);
}
