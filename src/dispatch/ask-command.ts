import { parseAmount } from '../core/money.ts';
import type { Term } from '../limits/change-request.ts';
import { readTerm } from '../limits/parse-term.ts';

/** `/card ask …`, by the holder of a card. */
export type RaiseCommand =
  | {
      readonly verb: 'ask';
      /** The card; empty where the holder has only one. */
      readonly words: readonly string[];
      readonly amountCents: number;
      readonly term: Term;
      /** Empty: it is asked for in a form. */
      readonly reason: string;
    }
  | { readonly verb: 'unclear'; readonly why: string; readonly usage: string };

const usage = '/card ask [CARD] AMOUNT [for DURATION | until midnight | until 2026-12-24] [reason]';

/**
 * Reads `4242 300 for 2 days hotel`. Of two amounts in a row the first is the card: last four digits look like one.
 */
export function parseRaiseCommand(words: readonly string[]): RaiseCommand {
  const unclear = (why: string): RaiseCommand => ({ verb: 'unclear', why, usage });
  const first = words.findIndex((word) => parseAmount(word) !== null);
  if (first === -1) return unclear('How much do you want to pay? Write dollars such as 84.10 or $1,250.');
  const next = words[first + 1];
  const isCard = next !== undefined && parseAmount(next) !== null && !(words[first] ?? '').startsWith('$');
  const at = isCard ? first + 1 : first;
  const amountCents = parseAmount(words[at] ?? '') ?? 0;
  if (amountCents === 0) return unclear('How much do you want to pay? Nothing costs nothing.');
  const read = readTerm(words.slice(at + 1));
  if (typeof read === 'string') return unclear(read);
  return { verb: 'ask', words: words.slice(0, at), amountCents, term: read.term, reason: read.rest.join(' ') };
}
