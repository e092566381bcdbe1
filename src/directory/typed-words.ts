import type { ReadCommand } from '../actions/verb.ts';
import { redactOwnId, redactText } from '../core/redact-text.ts';
import { cardJoint } from './asked-besides.ts';
import { isByName, splitCardAndRest, splitJoined } from './card-query.ts';
import type { Directory } from './directory.ts';

/** Only block and unblock take a reason after the card. For all other verbs every word is part of the card. */
export async function splitWords(verb: string, words: readonly string[], directory: Pick<Directory, 'findKnown'>) {
  const whole = { query: words.join(' '), rest: [] as readonly string[] };
  if (verb !== 'block' && verb !== 'unblock') return whole;
  const isCard = async (text: string): Promise<boolean> => (await directory.findKnown(text)).length > 0;
  const split = await splitCardAndRest(words, isCard);
  if (split === null) return whole;
  // Not for an unblock, because it may be the CustomId of a card that is gone.
  const isTried = !split.isKnown && verb === 'block';
  const again = isTried ? await splitCardAndRest([splitJoined(split.card), ...split.rest], isCard) : null;
  const { card, rest } = again?.isKnown === true ? again : split;
  return { query: card, rest };
}

/** A command as it is stored: without secrets in the reason. A card may have a CustomId that looks like one: `PIN-0042`. */
export async function withoutTypedSecrets(
  command: ReadCommand,
  directory: Pick<Directory, 'findKnown'>,
): Promise<ReadCommand> {
  const { verb, target, input } = command;
  const { details } = input;
  const redacted = typeof details === 'string' ? { ...input, details: redactText(details) } : input;
  const typed = target.kind === 'words' ? target.words.join(' ') : '';
  if (target.kind !== 'words' || redactText(typed) === typed) return { ...command, input: redacted };
  const reason = (await splitWords(verb, target.words, directory)).rest.join(' ');
  const card = typed.slice(0, typed.length - reason.length);
  const words = `${redactOwnId(card)}${await redactReason(reason, directory)}`.split(' ').filter((word) => word !== '');
  return { ...command, input: redacted, target: { ...target, words } };
}

/** Another card at the start of a reason, which is asked about, may look like a secret, too: `and PIN-0043`, `and account no. 7379`. */
export async function redactReason(reason: string, { findKnown }: Pick<Directory, 'findKnown'>): Promise<string> {
  const redacted = redactText(reason);
  if (redacted === reason) return reason;
  const lead = cardJoint.exec(reason)?.[0] ?? '';
  const other = await splitCardAndRest(reason.slice(lead.length), async (text) =>
    (await findKnown(text)).some(({ matchedBy }) => !isByName(matchedBy)),
  );
  if (other?.isKnown !== true) return redacted;
  return `${lead}${redactOwnId(other.card)} ${redactText(other.rest.join(' '))}`.trim();
}
