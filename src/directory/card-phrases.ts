import type { ReadCommand } from '../actions/verb.ts';

/** Why a card is to be blocked, as people write it in front of the card. For a regular expression. */
export const goneWords = 'lost|stolen|missing';
/** In front of a card or its digits: why it is to be blocked. */
const goneCard = new RegExp(
  `^(my |the )?(?:card[,.;:]? (?:was |is )?)?(${goneWords})[,.;:]? (?=(?:card|#?\\d{4,})[,.;:!?…]*(?: |$))`,
  'i',
);
/** Behind `my card`: the digits of the card itself, as in `my card no. 4242`. All else, such as `$1500`, is a reason. */
const itsDigits = '(?:(?:no\\.?|number|ending(?: in| with)?) ?)?[^\\p{L}\\d\\s$€£&+]{0,4}\\d{4}(?!-\\d\\d)';
const whose = new RegExp(`^(?:my|the) (?:own |new )?(?=#?\\d{4}|card[,.;:!?…]* ${itsDigits})`, 'iu');
const ownCard = new RegExp(`^(?:my(?: own)? card|mine)[,.;:!?…]*(?: (?!${itsDigits})(.*))?$`, 'iu');

const goneOwn = new RegExp(
  `^(?=.*\\bcard\\b)(?=.*\\b(${goneWords})\\b)(?:(?:i|ve|have|has|my|the|is|was|been|report|card|${goneWords})(?:\\W+|$))+$`,
  'i',
);

/** `stolen` if a text says only that a card is gone, not which: `my card was stolen`, `stolen card`. Otherwise null. */
export function whyOwnCardGone(text: string): string | null {
  return goneOwn.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** Whether this text is about the person's own card: `my card`. */
export function isOwnCard(text: string): boolean {
  return ownCardIn(text) !== null;
}

/** A holder may be called “Mine”. */
function ownCardIn(text: string): RegExpExecArray | null {
  return /^M[Ii]/.test(text) ? null : ownCard.exec(text);
}

/**
 * The same with the card as people say it: `my card` is the person's only one, and what follows is the reason. In `my card
 * no. 4242` and `stolen 4242` the digits name the card.
 */
export function withCardAsSaid(command: ReadCommand): ReadCommand {
  if (command.target.kind !== 'words') return command;
  const words = command.target.words.join(' ');
  // Other verbs take `my card` for the card in use, and the new one is not activated yet.
  const isOfNewCard = command.verb === 'activate' || command.verb === 'track';
  const typed = isOfNewCard ? words.replace(/^my new (?=card\b)/i, 'my ') : words;
  const named = typed.replace(goneCard, '$1').replace(whose, '');
  const [own, rest = ''] = ownCardIn(named) ?? [];
  const target = own === undefined ? ({ kind: 'words', words: named.split(' ') } as const) : ({ kind: 'own' } as const);
  const reason = [goneCard.exec(typed)?.[2], rest, command.reason].filter(Boolean).join(' ');
  return { ...command, target, reason };
}
