import type { VirtualCardAlert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { virtualCard } from '../alerts/virtual-card.ts';
import { context, countOf, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardOfHolder, holderName } from '../core/card-words.ts';

/** `unknown`: no answer came back. */
type State = 'done' | 'failed' | 'unknown';

interface OrderAnswer {
  readonly state: State;
  readonly name: string;
  /** What was ordered, without personal data. */
  readonly summary: string;
  readonly orderId: number | null;
  readonly apiWords: string | null;
  readonly note: string | null;
  readonly ref: string;
}

/** The outcome of an order, before the card itself exists. */
export function orderAnswer({ state, name, summary, orderId, apiWords, note, ref }: OrderAnswer): Message {
  const who = escapeUntrusted(name, 60);
  const head = {
    done: `Ordered: a virtual card for ${who}.`,
    failed: `Could not order a virtual card for ${who}.`,
    unknown: `Not sure: tried to order a virtual card for ${who}.`,
  }[state];
  const what = {
    done: 'The card service is making it. I’ll message you with the result; the number goes only to your configured receiver.',
    failed: 'Nothing was ordered.',
    unknown:
      'The card service did not answer, so it may or may not be ordered. I won’t order it again. If it was ordered, I’ll message you within minutes. If you hear nothing, check the card program’s portal before you order again.',
  }[state];
  const answered = quoted(apiWords);
  return {
    text: sentence([head, answered, note === null ? '' : escapeUntrusted(note, 300), what].filter(Boolean).join(' ')),
    blocks: [
      section(
        `*${head}*`,
        escapeUntrusted(summary, 150),
        answered,
        note === null ? null : escapeUntrusted(note, 300),
        what,
      ),
      ...context(orderId === null ? null : `Order ${orderId}`, `Reference ${escapeUntrusted(ref, 60)}`),
    ],
  };
}

/** The order needs approval by others. */
export function orderWaits({
  card,
  cents,
  others,
  isOwn,
}: {
  readonly card: CardFacts;
  readonly cents: number;
  readonly others: number;
  readonly isOwn: boolean;
}): Message {
  const head = `Not ordered yet: a virtual card for ${holderName(card)} with ${formatCents(cents)}.`;
  const approvers = others === 1 ? 'another approver' : countOf(others, 'other approver');
  const why = isOwn
    ? `It is your own card, so it needs ${approvers}.`
    : `Together with earlier orders and raises, it needs ${approvers}.`;
  const what = 'I asked in the approvals channel and will order it once it is approved.';
  return { text: sentence(`${head} ${why} ${what}`), blocks: [section(`*${head}*`, `${why} ${what}`)] };
}

/** The outcome of a resend. */
export function resendAnswer(answer: {
  readonly state: State;
  readonly card: CardFacts;
  readonly apiWords: string | null;
  readonly note: string | null;
  readonly ref: string;
}): Message {
  const { state, card, apiWords, note, ref } = answer;
  const name = cardOfHolder(card);
  const head = {
    done: `Asked for the details of ${name} again.`,
    failed: `Could not ask for the details of ${name}.`,
    unknown: `Not sure: tried to ask for the details of ${name}.`,
  }[state];
  const what = {
    done: 'They go to your configured receiver, never to Slack. I’ll message you when they have been sent.',
    failed: 'Nothing was sent.',
    unknown: 'The card service did not answer. If you hear nothing within minutes, ask again: it does no harm.',
  }[state];
  const answered = quoted(apiWords);
  const noted = note === null ? '' : escapeUntrusted(note, 300);
  return {
    text: sentence([head, answered, noted, what].filter(Boolean).join(' ')),
    blocks: [section(`*${head}*`, answered, noted, what), ...context(`Reference ${escapeUntrusted(ref, 60)}`)],
  };
}

/** The result for the person who asked: the channel's text, addressed to them. */
export function orderResult(alert: VirtualCardAlert): Message {
  const { text, blocks } = virtualCard(alert, { place: 'direct' });
  return {
    text: sentence(`You asked for this: ${text}`),
    blocks: [...blocks, ...context(`You asked for this with ${commandCode('virtual')}.`)],
  };
}

function quoted(apiWords: string | null): string {
  return apiWords === null || apiWords.trim() === ''
    ? ''
    : `The card service says: “${escapeUntrusted(apiWords, 300)}”`;
}
