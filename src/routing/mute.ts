import { type MuteWords, muteEnded, muteList, muteSet } from '../../templates/routing/mutes.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuseUnclear } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { readEnd } from '../core/end-time.ts';
import { countryName } from '../core/merchant-category.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import type { Mute } from './mute-store.ts';
import { recordRouting } from './record-routing.ts';

const DAYS_MAX = 90;
const MUTE_MAX_MS = DAYS_MAX * 24 * 3_600_000;

/** `/card mute CARD DURATION [reason]` and `/card travel CARD COUNTRIES until DATE [reason]`: always with an end. */
export async function muteCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const { routing } = deps;
  const isTravel = action.verb === 'travel';
  const [countries = '', ...rest] = isTravel ? action.details.split(' ') : ['', ...action.details.split(' ')];
  const end = readEnd(rest, { now: new Date(action.askedAt), zone: routing.zone });
  const why =
    end === null
      ? `“${rest.slice(0, 4).join(' ')}” is no end that lies ahead. Write for instance “3 days”, “until friday” or “until May 9”.`
      : end.endsAt.getTime() - Date.parse(action.askedAt) > MUTE_MAX_MS
        ? `That is longer than ${DAYS_MAX} days, and nothing is muted for longer.`
        : null;
  if (end === null || why !== null) {
    const usage = isTravel ? '/card travel CARD COUNTRY until DATE [reason]' : '/card mute CARD DURATION [reason]';
    return await refuseUnclear(action, { why: why ?? '', usage }, deps, { acctId, cardId });
  }
  const account = await deps.directory.account(acctId);
  const mute: Mute = {
    id: `${isTravel ? 'travel' : 'mute'}-${acctId}`,
    acctId,
    card: deps.toFacts(acctId, account, cardId === null ? {} : { cardId }),
    travel: isTravel
      ? { countries: countries.split(','), directChannel: await routing.openDirect(action.actor.userId) }
      : null,
    by: action.actor.userId,
    reason: [action.reason, ...rest.slice(end.words)].filter(Boolean).join(' ').slice(0, 300),
    at: action.askedAt,
    endsAt: end.endsAt.toISOString(),
  };
  await routing.mutes.put(mute);
  await routing.scheduleMuteEnd(mute.id, end.endsAt.getTime());
  const after = `until ${mute.endsAt}${isTravel ? `, ${mute.travel?.countries.join(', ')}` : ''}`;
  const did = isTravel ? 'filed a travel notice for' : 'muted';
  await recordRouting({ ...action, reason: mute.reason }, { did, card: mute.card, after }, deps);
  await deps.answer(action, muteSet(wordsOf(mute)));
}

/** `/card unmute CARD`: its mute and its travel notice end now. */
export async function unmuteCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const found = (await deps.routing.mutes.all()).filter((mute) => mute.acctId === acctId);
  const [first] = found;
  if (first === undefined) {
    await recordUnchanged(action, { acctId, cardId }, deps);
  } else {
    const before = found.map(({ travel, endsAt }) => `${travel === null ? '' : 'travel notice '}until ${endsAt}`);
    await recordRouting(action, { did: 'ended a mute of', card: first.card, before: before.join(', ') }, deps);
  }
  for (const mute of found) await closeMute(mute, action.actor.userId, deps);
  await deps.answer(action, muteEnded({ mutes: found.map(wordsOf) }));
}

/** `/card mutes`: every mute and travel notice. */
export async function listMutes(action: Action, _text: string, deps: ActionDeps): Promise<void> {
  const mutes = await deps.routing.mutes.active();
  const counted = await Promise.all(
    mutes.map(async (mute) => ({ ...wordsOf(mute), count: (await deps.routing.mutes.withheld(mute)).length })),
  );
  await deps.answer(action, muteList({ mutes: counted }));
}

/**
 * The time of a mute is over: says in each channel how many alerts it kept back, and takes it away. Safe to repeat.
 *
 * @returns milliseconds after which to run again, where it was made longer; null when it has ended.
 */
export async function endMute(id: string, deps: Pick<ActionDeps, 'routing' | 'now'>): Promise<number | null> {
  const mute = await deps.routing.mutes.get(id);
  if (mute === null) return null;
  const left = Date.parse(mute.endsAt) - deps.now().getTime();
  if (left > 0 && mute.isEnding !== true) return left;
  await closeMute(mute, null, deps);
  return null;
}

async function closeMute(mute: Mute, endedBy: string | null, { routing }: Pick<ActionDeps, 'routing'>): Promise<void> {
  // First, or what comes while it is told would be kept back and never told.
  await routing.mutes.beginEnd(mute);
  const withheld = await routing.mutes.withheld(mute);
  const channels =
    mute.travel === null ? [...new Set(withheld.map(({ channel }) => channel))] : [mute.travel.directChannel];
  for (const channel of channels) {
    const kinds = withheld.filter((one) => mute.travel !== null || one.channel === channel);
    if (kinds.length === 0) continue;
    const ids = new Set(kinds.map(({ eventId }) => eventId));
    const counts = [...ids].map((eventId) => kinds.find((one) => one.eventId === eventId)?.kind ?? '');
    const message = muteEnded({ mutes: [wordsOf(mute)], endedBy, kinds: counts });
    await routing.postNotice(channel, `${routing.mutes.endId(mute)}-${channel}`, message);
  }
  await routing.mutes.remove(mute);
}

function wordsOf({ card, travel, by, reason, at, endsAt }: Mute): MuteWords {
  const countries = travel === null ? null : travel.countries.map((code) => countryName(code) ?? code);
  return { card, countries, by, reason, at, endsAt };
}
