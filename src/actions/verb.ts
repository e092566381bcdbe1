import type { z } from 'zod';
import type { Clock } from '../core/end-time.ts';
import type { Permission } from '../policy/decide-action.ts';
import type { Action } from './action.ts';

/** What was typed after `/card`, read: as much of an action as the words say. */
export interface ReadCommand {
  readonly kind: 'read';
  readonly verb: string;
  readonly target: Action['target'];
  readonly reason: string;
  /** The verb's own input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A number that was read as an amount, and what to ask where it is the number of a card of this person. */
  readonly ifCard?: { readonly number: string; readonly question: UnclearCommand };
}

/** A command that could not be read: what is wrong, and how it is written. */
export interface UnclearCommand {
  readonly kind: 'unclear';
  readonly why: string;
  /** Behind `/card`, as the example. */
  readonly usage: string;
  readonly example?: string;
}

/** How a verb is typed, and what the help says of it. */
interface CommandForm {
  /** Behind `/card`. */
  readonly usage: string;
  readonly example: string;
  readonly effect: string;
  /** Another first word that means the same. */
  readonly alias?: string;
  /** Reads what follows the first word of `usage`. Absent where another verb with that word reads for both. */
  readonly read?: (words: readonly string[], clock: Clock) => ReadCommand | UnclearCommand;
}

/** One entry of the verb table. */
export interface VerbEntry {
  /** What is stored of it. */
  readonly action: z.ZodType<Action>;
  readonly permission: Permission;
  /** Behind "was not allowed to" and "do you want to", the card follows: `change a limit of`. */
  readonly refusedTo: string;
  /** Nothing changes: that it was asked for is all there is to record. */
  readonly isLook?: boolean;
  /** It is about one card, which is looked up before it is done. */
  readonly isOfCard?: true;
  /** Other words that people type for it: they are told how it is written, or that it is a button. */
  readonly alsoCalled?: readonly string[];
  /** Absent for what is only a button. */
  readonly command?: CommandForm;
}

/** Reads words that name a card and nothing else. */
export function readCard(
  verb: string,
  usage: string,
  why: string,
  input: ReadCommand['input'] = {},
): NonNullable<CommandForm['read']> {
  return (words) =>
    words.length === 0
      ? { kind: 'unclear', why, usage }
      : { kind: 'read', verb, target: { kind: 'words', words: [...words] }, reason: '', input };
}

/** Keeps what was typed for whoever does it. */
export function readChannelText(verb: string): NonNullable<CommandForm['read']> {
  return (words) => ({ kind: 'read', verb, target: { kind: 'channel', text: words.join(' ') }, reason: '', input: {} });
}
