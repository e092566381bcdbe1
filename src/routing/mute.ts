import { type MuteWords, muteEnded, muteList, muteSet } from '../../templates/routing/mutes.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuseUnclear } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { readEnd } from '../core/end-time.ts';
import { countryName } from '../core/merchant-category.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import type { Message } from '../slack/message.ts';
import type { Mute, Mutes } from './mute-store.ts';
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
  const facts = {
    id: `mute_${action.id.slice('act_'.length)}`,
    acctId,
    card: deps.toFacts(acctId, account, cardId === null ? {} : { cardId }),
    by: action.actor.userId,
    reason: [action.reason, ...rest.slice(end.words)].filter(Boolean).join(' ').slice(0, 300),
    at: action.askedAt,
    endsAt: end.endsAt.toISOString(),
  };
  const mute: Mute = isTravel
    ? {
        kind: 'travel',
        ...facts,
        countries: countries.split(','),
        directChannel: await routing.openDirect(action.actor.userId),
      }
    : { kind: 'mute', ...facts };
  await routing.mutes.put(mute);
  await routing.scheduleMuteEnd(mute.id, end.endsAt.getTime());
  const after = `until ${mute.endsAt}${mute.kind === 'travel' ? `, ${mute.countries.join(', ')}` : ''}`;
  const did = isTravel ? 'filed a travel notice for' : 'muted';
  await recordRouting({ ...action, reason: mute.reason }, { did, card: mute.card, after }, deps);
  await deps.answer(action, muteSet(wordsOf(mute)));
}

/** `/card unmute CARD`: its mute and its travel notice end now. */
export async function unmuteCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const { mutes } = deps.routing;
  const { closeMute } = createEndMute({ ...deps.routing, now: deps.now });
  const all = [...(await mutes.inForce()), ...(await mutes.ended())];
  const ofCard = all.filter((mute) => mute.acctId === acctId);
  const [first] = ofCard;
  if (first === undefined) {
    await recordUnchanged(action, { acctId, cardId }, deps);
  } else {
    const before = ofCard.map(({ kind, endsAt }) => `${kind === 'mute' ? '' : 'travel notice '}until ${endsAt}`);
    await recordRouting(action, { did: 'ended a mute of', card: first.card, before: before.join(', ') }, deps);
  }
  for (const mute of ofCard) await closeMute(mute, action.actor.userId);
  await deps.answer(action, muteEnded({ mutes: ofCard.map(wordsOf) }));
}

/** `/card mutes`: every mute and travel notice. */
export async function listMutes(action: Action, _text: string, deps: ActionDeps): Promise<void> {
  const { mutes } = deps.routing;
  const counted = await Promise.all(
    (await mutes.active()).map(async (mute) => ({ ...wordsOf(mute), count: (await mutes.withheld(mute.id)).length })),
  );
  await deps.answer(action, muteList({ mutes: counted }));
}

interface EndMuteDeps {
  readonly mutes: Pick<Mutes, 'get' | 'end' | 'withheld' | 'remove'>;
  /** Posts into a channel; the id makes repeating it nothing. */
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
  readonly now: () => Date;
}

export interface EndMute {
  /**
   * The time of a mute is over: says in each channel how many alerts it withheld, and removes it. Safe to repeat.
   *
   * @returns milliseconds after which to run again, if its end still lies ahead; null when it has ended.
   */
  endMute(id: string): Promise<number | null>;
  /** Ends a mute now, whenever it was to end. Safe to repeat. */
  closeMute(mute: Mute, endedBy: string | null): Promise<void>;
}

export function createEndMute({ mutes, postNotice, now }: EndMuteDeps): EndMute {
  return {
    async endMute(id) {
      const stored = await mutes.get(id);
      if (stored === null) return null;
      const leftMs = Date.parse(stored.mute.endsAt) - now().getTime();
      if (leftMs > 0 && !stored.hasEnded) return leftMs;
      await closeMute(stored.mute, null);
      return null;
    },
    closeMute,
  };

  async function closeMute(mute: Mute, endedBy: string | null): Promise<void> {
    // First, or what comes while it is reported would be withheld and never reported.
    await mutes.end(mute);
    const withheld = await mutes.withheld(mute.id);
    const channels = mute.kind === 'mute' ? [...new Set(withheld.map(({ channel }) => channel))] : [mute.directChannel];
    for (const channel of channels) {
      const alerts = withheld.filter((alert) => mute.kind === 'travel' || alert.channel === channel);
      if (alerts.length === 0) continue;
      const kinds = new Map(alerts.map(({ eventId, kind }) => [eventId, kind]));
      const message = muteEnded({ mutes: [wordsOf(mute)], endedBy, kinds: [...kinds.values()] });
      await postNotice(channel, `${mute.id}-${channel}`, message);
    }
    await mutes.remove(mute.id);
  }
}

function wordsOf(mute: Mute): MuteWords {
  const { card, by, reason, at, endsAt } = mute;
  const countries = mute.kind === 'mute' ? null : mute.countries.map((code) => countryName(code) ?? code);
  return { card, countries, by, reason, at, endsAt };
}
