import type { Action, Verb } from '../authority/action.ts';
import type { hearVerbs, placeVerbs } from '../authority/routing-command.ts';
import type { PerformDeps } from './deps.ts';
import { listDeclines } from './list-declines.ts';
import { listMutes, muteCard, unmuteCard } from './mute.ts';
import type { Resolved } from './resolve-card.ts';
import { setQuiet } from './set-quiet.ts';
import { listSubscriptions, subscribe, unsubscribe } from './subscribe.ts';
import { trackCard } from './track-card.ts';
import { tellWhy } from './why.ts';

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
