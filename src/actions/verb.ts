import type { z } from 'zod';
import type { Clock } from '../core/end-time.ts';
import type { Permission } from '../policy/decide-action.ts';
import type { Action } from './action.ts';

/** A parsed `/card` command: as much of an action as the text contains. */
export interface ReadCommand {
  readonly kind: 'read';
  readonly verb: string;
  readonly target: Action['target'];
  readonly reason: string;
  /** The verb's own input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A number that was read as an amount, and the question to ask if it is one of the person's card numbers. */
  readonly ifCard?: { readonly number: string; readonly question: UnclearCommand };
}

/** A command that could not be parsed: the problem and the correct syntax. */
export interface UnclearCommand {
  readonly kind: 'unclear';
  readonly why: string;
  /** The syntax after `/card`, as is the example. */
  readonly usage: string;
  readonly example?: string;
}

/** How a verb is typed, and its help text. */
interface CommandForm {
  /** The syntax after `/card`. */
  readonly usage: string;
  readonly example: string;
  readonly effect: string;
  readonly alias?: string;
  /** Opens a form, or acts for whoever types it: nobody can type it for somebody else. */
  readonly isPersonal?: true;
  /** Parses what follows the first word of `usage`. Absent if another verb with the same first word parses for both. */
  readonly read?: (words: readonly string[], clock: Clock) => ReadCommand | UnclearCommand;
}

/** One entry of the verb table. */
export interface VerbEntry {
  readonly action: z.ZodType<Action>;
  readonly permission: Permission;
  /** Completes "was not allowed to …" and "do you want to …", followed by the card: `change a limit of`. */
  readonly refusedTo: string;
  /** Changes nothing, so only the request is recorded. */
  readonly isLook?: boolean;
  /** Names no card itself: its handler records each one that it shows. */
  readonly recordsLooks?: true;
  /** Applies to one card, which is looked up first. */
  readonly isOfCard?: true;
  /** Changes what all cards of the account share, so a card that is not in use must not stand for the one that is. */
  readonly isOfAccount?: true;
  /** What holders type to get it for their own card, if they may not do it: `ask 300`. */
  readonly holdersType?: string;
  /** Other words people type for it. The answer shows the correct command, or that it is a button. */
  readonly alsoCalled?: readonly string[];
  /** Absent if the verb is only a button. */
  readonly command?: CommandForm;
}

/** A command about the card that these words name. */
export function aboutCard(verb: string, words: readonly string[], input: ReadCommand['input'] = {}): ReadCommand {
  return { kind: 'read', verb, target: { kind: 'words', words: [...words] }, reason: '', input };
}

/** A command about the channel where it is typed. */
export function aboutChannel(verb: string, words: readonly string[], input: ReadCommand['input'] = {}): ReadCommand {
  return { kind: 'read', verb, target: { kind: 'channel', text: words.join(' ') }, reason: '', input };
}

/** Parses text that names a card and nothing else. */
export function readCard(verb: string, usage: string, why: string): NonNullable<CommandForm['read']> {
  return (words) => (words.length === 0 ? { kind: 'unclear', why, usage } : aboutCard(verb, words));
}

/** Keeps the typed text for the capability that performs the verb. */
export function readChannelText(verb: string): NonNullable<CommandForm['read']> {
  return (words) => aboutChannel(verb, words);
}
