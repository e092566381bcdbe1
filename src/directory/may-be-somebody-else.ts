import type { Action } from '../actions/action.ts';
import type { Rights } from '../actions/action-tools.ts';
import { isByName } from './card-query.ts';
import type { Directory } from './directory.ts';
import type { CardMatch } from './index-entries.ts';

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
  match: Pick<CardMatch, 'acctId' | 'matchedBy'> | undefined,
  deps: Deps,
): Promise<boolean> {
  if (match === undefined || !isByName(match.matchedBy)) return false;
  if (match.matchedBy === 'beginning') return !deps.isLook(action.verb);
  const word = bareWord(rest[0] ?? '');
  if (likeName.test(word) && !(await isNameOf(match.acctId, `${query} ${word}`, deps))) return true;
  if (match.matchedBy !== 'name' || word === '') return false;
  return action.verb === 'unblock' || (await isNameOfOther(action, word, match.acctId, deps));
}

/** `Jane Doe’s card` is a card of Jane Doe. */
async function isNameOf(acctId: number, name: string, { directory }: Deps): Promise<boolean> {
  return (await directory.findKnown(name)).some((one) => one.acctId === acctId && isNamed(one));
}

/** In `jane smith`, where `jane` is Jane Doe, somebody else is called Smith. People must not learn of those they may not see. */
async function isNameOfOther(
  action: Action,
  word: string,
  ownId: number,
  { directory, rights }: Deps,
): Promise<boolean> {
  for (const one of await directory.findKnown(word))
    if (one.acctId !== ownId && isNamed(one) && (await rights.mayAct(action, one.acctId)) === true) return true;
  return false;
}

function isNamed({ matchedBy }: Pick<CardMatch, 'matchedBy'>): boolean {
  return isByName(matchedBy) && matchedBy !== 'beginning';
}

/** `Doe’s,` and `(Doe)` → `Doe`. Not `She’s`, with which a reason begins. */
function bareWord(word: string): string {
  const inside = word.replace(/[,;:!?…]+$/u, '').replace(/^[("“„«[](.+)[)"”“»\]]$/u, '$1');
  return inside.replace(/(?<!^(?:he|she|it|that|there|here|what|who|someone|somebody))['’`´ʼ]s?$/iu, '');
}

/** `Dow`, `McDonald`, `Stone-Lee`, `O’Brien`, `D.`; neither `LOST`, `A`, `I` nor `I’m`. */
const likeName =
  /^(?:(?![AI]$)\p{Lu}\p{M}*\.?|\p{Lu}(?=.*\p{Ll})[\p{L}\p{M}]*(?:-[\p{L}\p{M}]+|['’`´ʼ][\p{L}\p{M}]{3,})*\.*)$/u;
