import type { Resolved } from '../actions/action.ts';
import type { Rights } from '../actions/action-tools.ts';
import { bare } from '../core/duration.ts';
import { isPlainlyTime, untilWord } from '../core/end-time.ts';
import { commandCode, serviceZone } from '../core/installation.ts';
import { goneWords } from './card-phrases.ts';
import { isByName, type MatchKind, splitCardAndRest } from './card-query.ts';
import type { Directory } from './directory.ts';

type Deps = { readonly rights: Pick<Rights, 'mayAct'> } & Pick<Directory, 'findKnown'>;

/**
 * Finds another card (`4242 and 4243 stolen`) or an end (`4242 for 2 hours`) in the reason of a block or unblock. Null
 * when it is only a reason.
 *
 * @returns what to say, as whole sentences; `note` for a block, which is not delayed.
 */
export async function askedBesides(card: Resolved, deps: Deps) {
  const { verb, askedAt } = card.action;
  if (verb !== 'block' && verb !== 'unblock') return null;
  // `Block lost 4242 and 4343` puts why in front. A note about a block refuses nothing.
  const reason = verb === 'block' ? card.action.reason.replace(inFront, '') : card.action.reason;
  const other = await otherCard({ ...card, action: { ...card.action, reason } }, deps);
  if (other !== null) {
    const why = 'Only one card at a time.';
    const whoCan = `For ${other}, type ${commandCode(`${verb} ${other}`)}.`;
    return { note: `${why} ${whoCan}`, why, whoCan };
  }
  const clock = { now: new Date(askedAt), zone: serviceZone().name };
  // Elsewhere it may tell a story: `holder was on leave for 2 weeks`. Not in `for the trip until friday`.
  const words = reason
    .split(' ')
    .map(bare)
    .filter((word) => /[\p{L}\d]/u.test(word));
  const isLimited = words.some((word, at) => {
    const isEnd = untilWord.test(word) || (verb === 'block' && /^for$/i.test(word));
    const isLead = at === 0 || (isEnd && (verb === 'block' || /^for$/i.test(words[0] ?? '')));
    return isLead && isPlainlyTime(words.slice(at), clock);
  });
  if (!isLimited) return null;
  const note = 'A block has no end: the card stays blocked until it is unblocked.';
  return { note, why: 'An unblock has no end.', whoCan: 'Leave the time out.' };
}

const inFront = new RegExp(`^(?:${goneWords}) `, 'i');

/** `and 4243`, `, 4243`, `& Sam Rivera`; `- 2026 budget` is a reason. */
export const cardJoint = /^(?:((?:and|plus)\s|[&+])|([,;/|])|[–—-])\s*/i;

/** In the reason of a block: `stolen, also block 4243`. Not the gate in `lost at gate 4243`. */
const joinedNumber = /(?:[,;+&]|(?:^| )(?:and|plus|also) )[^\d,;+&]{0,30}?(?<![\d.$€£-])(\d{4,15})(?![\d.-]*\d)/gi;

/**
 * The words at the start of a reason that name another card. `Sam lost it` names none, `and Sam` does. Nor does `2026
 * budget approved` keep a card blocked.
 */
async function otherCard({ action, acctId: ownId }: Resolved, { findKnown, rights }: Deps): Promise<string | null> {
  const [lead = '', and, comma] = cardJoint.exec(action.reason) ?? [];
  const text = action.reason.slice(lead.length).trim();
  // Slack says who is meant only at the start of a command. Behind an unblock, `, @jane found it` says who did something.
  const person = /^@[^\s,;:!]+/.exec(text)?.[0];
  const isListed = and !== undefined || (comma !== undefined && (action.verb === 'block' || person === text));
  if (person !== undefined && isListed) return person;
  const split = await splitCardAndRest(text, async (words) => {
    const mayBeId = action.verb === 'block' || comma !== undefined || words === text;
    return await isOther(words, (kind) => (and !== undefined && kind !== 'beginning') || (mayBeId && !isByName(kind)));
  });
  if (split?.isKnown === true) return split.card;
  const numbers = action.verb === 'block' ? [...action.reason.matchAll(joinedNumber)] : [];
  for (const [, number = ''] of numbers) if (await isOther(number, (kind) => !isByName(kind))) return number;
  return null;

  async function isOther(words: string, counts: (kind: MatchKind) => boolean): Promise<boolean> {
    const named = (await findKnown(words)).filter(({ matchedBy }) => counts(matchedBy));
    if (named.some(({ acctId }) => acctId === ownId)) return false;
    // People must not learn that cards exist that they may not see.
    for (const { acctId } of named) if (await rights.mayAct(action, acctId)) return true;
    return false;
  }
}
