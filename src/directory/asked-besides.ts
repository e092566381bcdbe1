import type { Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { isPlainlyTime, untilWord } from '../core/end-time.ts';
import { serviceZone } from '../core/installation.ts';
import { splitCardAndRest } from './card-query.ts';
import type { Directory } from './directory.ts';

/** What the reason of a block or unblock asks for that neither does, as whole sentences. */
interface AskedBesides {
  /** For a block, which is not delayed. */
  readonly note: string;
  readonly why: string;
  readonly whoCan: string;
}

type Deps = Pick<ActionTools, 'mayAct'> & Pick<Directory, 'findKnown'>;

/**
 * Finds another card (`4242 and 4243 stolen`) or an end (`4242 for 2 hours`) in the reason of a block or unblock. Null
 * when it is only a reason.
 */
export async function askedBesides(card: Resolved, deps: Deps): Promise<AskedBesides | null> {
  const { verb, reason, askedAt } = card.action;
  if (verb !== 'block' && verb !== 'unblock') return null;
  const other = await otherCard(card, deps);
  if (other !== null) {
    const why = 'Only one card at a time';
    return { note: `${why}: ${other} is not blocked.`, why: `${why}.`, whoCan: `Unblock ${other} separately.` };
  }
  const clock = { now: new Date(askedAt), zone: serviceZone().name };
  const isLimited = reason.split(' ').some((word, at, words) => {
    const isLead = at === 0 || /^for$/i.test(word) || untilWord.test(word);
    return isLead && isPlainlyTime(words.slice(at), clock);
  });
  if (!isLimited) return null;
  const note = 'A block has no end: the card stays blocked until it is unblocked.';
  return { note, why: 'An unblock has no end.', whoCan: 'Leave the time out.' };
}

/** `and 4243`, `, 4243`, `& Sam Rivera`. */
const joint = /^(?:((?:and|plus)\s|[&+])|[,;/|–—-])\s*/i;

/** The words at the start of a reason that name another card. `Sam lost it` names none, `and Sam` does. */
async function otherCard({ action, acctId: ownId }: Resolved, { findKnown, mayAct }: Deps): Promise<string | null> {
  const [lead = '', and] = joint.exec(action.reason) ?? [];
  const split = await splitCardAndRest(action.reason.slice(lead.length), async (words) => {
    const named = (await findKnown(words)).filter(({ matchedBy }) => matchedBy !== 'name' || and !== undefined);
    if (named.some(({ acctId }) => acctId === ownId)) return false;
    // People must not learn that cards exist that they may not see.
    for (const { acctId } of named) if (await mayAct(action, acctId)) return true;
    return false;
  });
  return split?.isKnown === true ? split.card : null;
}
