import type { VirtualCardAlert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import type { AwaitingAction } from '../../src/virtual-cards/order.ts';
import { virtualCard } from '../alerts/virtual-card.ts';
import { context, escapeUntrusted, headed, section, sentence, serviceSays } from '../core/blocks.ts';
import { cardOfHolder, holderName, numberElsewhere } from '../core/card-words.ts';
import { otherApprovers } from '../limits/counted-words.ts';

/** How a request to the card service ended. */
interface Sent {
  /** `unknown`: no answer came back, or one that does not say whether it was done. */
  readonly state: 'done' | 'failed' | 'unknown';
  readonly apiWords: string | null;
  readonly note: string | null;
  readonly ref: string;
}

interface OrderAnswer extends Sent {
  readonly name: string;
  /** What was ordered, without personal data. */
  readonly summary: string;
  readonly orderId: number | null;
}

/** The outcome of an order, before the card itself exists. */
export function orderAnswer({ name, summary, orderId, ...sent }: OrderAnswer): Message {
  const who = escapeUntrusted(name, 60);
  const words = {
    done: [`Ordered: a virtual card for ${who}.`, 'The card service is making it. I’ll message you with the result.'],
    failed: [`Could not order a virtual card for ${who}.`, 'Nothing was ordered.'],
    unknown: [
      `Not sure: tried to order a virtual card for ${who}.`,
      'I got no clear answer from the card service, so it may or may not be ordered. I won’t order it again. If it was ordered, I’ll message you within minutes. If you hear nothing, check the card program’s portal before you order again.',
    ],
  } as const;
  return sentAnswer(sent, words, escapeUntrusted(summary, 150), orderId === null ? null : `Order ${orderId}`);
}

/** `funded with $500.00`; an order without money is not one of $0.00. */
export function fundedWords(cents: number): string {
  return cents === 0 ? 'not funded' : `funded with ${formatCents(cents)}`;
}

/** ` with $500.00`, after the card. */
export function withFunds(cents: number): string {
  return cents === 0 ? ', not funded' : ` with ${formatCents(cents)}`;
}

interface OrderWaits {
  readonly card: CardFacts;
  readonly cents: number;
  readonly others: number;
  readonly isOwn: boolean;
  /** The amount needs others whatever was ordered before. Null: not known any more. */
  readonly isLarge: boolean | null;
}

/** The order needs approval by others. */
export function orderWaits({ card, cents, others, isOwn, isLarge }: OrderWaits): Message {
  const head = `Not ordered yet: a virtual card for ${holderName(card)}${withFunds(cents)}.`;
  const because = isOwn
    ? 'it has your name or email address, so '
    : isLarge
      ? 'it is more than one person may order alone, so '
      : isLarge === null
        ? ''
        : 'with the orders and raises of the last 24 hours, ';
  const why = `${capital(`${because}it needs ${otherApprovers(others)}`)}.`;
  const what = 'I asked in the approvals channel and will order it once it is approved.';
  return headed(head, `${why} ${what}`);
}

/** The outcome of a resend. */
export function resendAnswer({ card, ...sent }: Sent & { readonly card: CardFacts }): Message {
  const name = cardOfHolder(card);
  return sentAnswer(sent, {
    done: [
      `Asked for the details of ${name} again.`,
      `They go to your webhook address for virtual cards. I’ll message you when they have been sent. ${numberElsewhere}`,
    ],
    failed: [`Could not ask for the details of ${name}.`, 'Nothing was sent.'],
    unknown: [
      `Not sure: tried to ask for the details of ${name}.`,
      'I got no clear answer from the card service. If you hear nothing within minutes, ask again: it does no harm.',
    ],
  });
}

function sentAnswer(
  { state, apiWords, note, ref }: Sent,
  words: Readonly<Record<Sent['state'], readonly [head: string, what: string]>>,
  summary = '',
  order: string | null = null,
): Message {
  const [head, what] = words[state];
  const said = serviceSays(apiWords);
  const noted = note === null ? '' : escapeUntrusted(note, 300);
  return {
    text: sentence(head, said, noted, what),
    blocks: [
      section(`*${head}*`, summary, said, noted, what),
      ...context(order, `Reference ${escapeUntrusted(ref, 60)}`),
    ],
  };
}

interface Overdue {
  readonly awaited: AwaitingAction['awaited'];
  readonly card: CardFacts;
  /** What was ordered, without personal data. */
  readonly summary: string;
  /** UTC ISO 8601: when the card service got it. */
  readonly at: string;
  readonly ref: string;
}

/** The webhook that a person waits for did not come. */
export function overdueAnswer({ awaited, card, summary, at, ref }: Overdue): Message {
  const [head, what] = overdueWords(awaited, card, at);
  return {
    text: sentence(head, what),
    blocks: [
      section(`*${head}*`, escapeUntrusted(summary, 150), what),
      ...context(`Reference ${escapeUntrusted(ref, 60)}`),
    ],
  };
}

function overdueWords(awaited: Overdue['awaited'], card: CardFacts, at: string): readonly [head: string, what: string] {
  const head = `No result yet: a virtual card for ${holderName(card)}.`;
  const later = 'If the result still comes, I’ll message you.';
  switch (awaited.kind) {
    case 'order':
      return [
        head,
        `The card service ${dateAfter('accepted this order', at)}. Its result never arrived, so the card may or may not exist. Ask the card service about order ${awaited.orderId} before you order again. ${later}`,
      ];
    case 'name':
      return [
        head,
        `I don’t know whether the card service took this order, and no result arrived: the card may or may not exist. Check the card program’s portal before you order again. ${later}`,
      ];
    case 'resend':
      return [
        `Not confirmed: the details of ${cardOfHolder(card)}.`,
        `${dateAfter('You asked for them', at)}, and they have not arrived. The card is unchanged. Ask again: it does no harm.`,
      ];
  }
}

/** The result for the person who asked: the channel's text, addressed to them. */
export function orderResult(alert: VirtualCardAlert): Message {
  const { text, blocks } = virtualCard(alert, { place: 'direct' });
  return {
    text: sentence(`You asked for this: ${text}`),
    blocks: [...blocks, ...context(`You asked for this with ${commandCode('virtual')}.`)],
  };
}
