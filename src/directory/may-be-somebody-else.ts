import type { Action } from '../actions/action.ts';
import type { Rights } from '../actions/action-tools.ts';
import type { Match } from './candidates.ts';
import { isByName, nameWords } from './card-query.ts';
import type { Directory } from './directory.ts';

interface Deps {
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly directory: Pick<Directory, 'findKnown'>;
  /** True for verbs that change nothing. */
  readonly isLook: (verb: string) => boolean;
}

/**
 * If nobody but Jane Smith is known, neither `limit Jan` nor `unblock jane dow` has to mean her, so they ask back. A block of
 * `jane` does not wait, unless the word behind the name looks like a name itself.
 *
 * @param match the only card that matches `query`. `rest` is what was typed behind it.
 */
export async function mayBeSomebodyElse(
  action: Action,
  query: string,
  rest: readonly string[],
  match: Omit<Match, 'cards'> | undefined,
  deps: Deps,
): Promise<boolean> {
  if (match === undefined || !isByName(match.matchedBy)) return false;
  if (match.matchedBy === 'beginning') return !deps.isLook(action.verb);
  const word = bareWord(rest);
  const typed = nameWords(query);
  const others = nameWords(match.holder ?? '').filter((name) => !typed.includes(name));
  if (likeName.test(word) && !reasonWord.test(word) && !isIn(others, word)) return true;
  if (match.matchedBy !== 'name' || word === '') return false;
  return action.verb === 'unblock' || (await isNameOfOther(action, word, match.acctId, deps));
}

/** `Doe` and `D.` are in the name Doe. */
function isIn(names: readonly string[], word: string): boolean {
  return nameWords(word).every((one) => names.some((name) => (one.length === 1 ? name.startsWith(one) : name === one)));
}

/** In `jane smith`, where `jane` is Jane Doe, somebody else is called Smith. People must not learn of those they may not see. */
async function isNameOfOther(
  action: Action,
  word: string,
  ownId: number,
  { directory, rights }: Deps,
): Promise<boolean> {
  for (const one of await directory.findKnown(word)) {
    const isNamed = isByName(one.matchedBy) && one.matchedBy !== 'beginning';
    if (one.acctId !== ownId && isNamed && (await rights.mayAct(action, one.acctId)) === true) return true;
  }
  return false;
}

/** `(Doe).`, `*Doe*` and, if a card or nothing follows, `Doe’s` → `Doe`. `Card’s stolen` begins a reason. */
function bareWord([word = '', next = 'card']: readonly string[]): string {
  const inside = word.replace(/(?<!^\p{Lu}\p{M}*)[,.;:!?…]+$/u, '').replace(/^[("“„«['‘*_](.+)[)"”“»\]'’*_]$/u, '$1');
  return /^(?:card|account)/i.test(next) ? inside.replace(/['’`´ʼ]s?$/iu, '') : inside;
}

/** `Dow`, `McDonald`, `Stone-Lee`, `O’Brien`, `D.`; neither `LOST`, `A`, `I` nor `I’m`. */
const likeName =
  /^(?:(?![AI]$)\p{Lu}\p{M}*\.?|\p{Lu}(?=.*\p{Ll})[\p{L}\p{M}]*(?:-[\p{L}\p{M}]+|['’`´ʼ][\p{L}\p{M}]{3,})*)$/u;

/** Words with which many reasons begin. */
const reasonWord = /^(?:lost|stolen|theft|fraud|scam|missing|card)$/i;
