import type { Action, Verb } from '../actions/action.ts';
import type { PerformDeps } from '../actions/deps.ts';
import { trackCard } from '../alerts/track-card.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import { listMutes, muteCard, unmuteCard } from '../routing/mute.ts';
import { setQuiet } from '../routing/set-quiet.ts';
import { listSubscriptions, subscribe, unsubscribe } from '../routing/subscribe.ts';
import { tellWhy } from '../routing/why.ts';
import { listDeclines } from './list-declines.ts';
import type { hearVerbs, placeVerbs } from './routing-command.ts';

type PlaceVerb = (typeof placeVerbs)[number];
type HearVerb = (typeof hearVerbs)[number];

const ofPlaces: Readonly<Record<PlaceVerb, (action: Action, text: string, deps: PerformDeps) => Promise<void>>> = {
  subscribe,
  unsubscribe,
  subscriptions: listSubscriptions,
  quiet: setQuiet,
  mutes: listMutes,
  why: tellWhy,
};

const ofCards: Readonly<Record<HearVerb, (resolved: Resolved, deps: PerformDeps) => Promise<void>>> = {
  mute: muteCard,
  travel: muteCard,
  unmute: unmuteCard,
  declines: listDeclines,
  track: trackCard,
};

export function isAboutPlaces(verb: Verb): verb is PlaceVerb {
  return Object.hasOwn(ofPlaces, verb);
}

export function isAboutHearing(verb: Verb): verb is HearVerb {
  return Object.hasOwn(ofCards, verb);
}

/** What a place gets, when, and why. */
export async function performAtPlace(action: Action, verb: PlaceVerb, deps: PerformDeps): Promise<void> {
  await ofPlaces[verb](action, action.target.kind === 'place' ? action.target.text : '', deps);
}

/** What people hear, or look up, of a card. Changes nothing about the card. */
export async function performHearing(resolved: Resolved, verb: HearVerb, deps: PerformDeps): Promise<void> {
  await ofCards[verb](resolved, deps);
}
