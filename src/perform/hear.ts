import type { Action, Verb } from '../authority/action.ts';
import type { hearVerbs, placeVerbs } from '../authority/routing-command.ts';
import type { PerformDeps } from './deps.ts';
import { listMutes, muteCard, unmuteCard } from './mute.ts';
import type { Resolved } from './resolve-card.ts';
import { setQuiet } from './set-quiet.ts';
import { listSubscriptions, subscribe, unsubscribe } from './subscribe.ts';

type PlaceVerb = (typeof placeVerbs)[number];
type HearVerb = (typeof hearVerbs)[number];

const ofPlaces: Readonly<Record<PlaceVerb, (action: Action, text: string, deps: PerformDeps) => Promise<void>>> = {
  subscribe,
  unsubscribe,
  subscriptions: listSubscriptions,
  quiet: setQuiet,
  mutes: listMutes,
};

const ofCards: Readonly<Record<HearVerb, (resolved: Resolved, deps: PerformDeps) => Promise<void>>> = {
  mute: muteCard,
  travel: muteCard,
  unmute: unmuteCard,
};

export function isAboutPlaces(verb: Verb): verb is PlaceVerb {
  return Object.hasOwn(ofPlaces, verb);
}

export function isAboutHearing(verb: Verb): verb is HearVerb {
  return Object.hasOwn(ofCards, verb);
}

/** What a place gets, when, and why. */
export async function performAtPlace(action: Action, verb: PlaceVerb, deps: PerformDeps): Promise<void> {
  if (action.target.kind === 'place') await ofPlaces[verb](action, action.target.text, deps);
}

/** What people hear, or look up, of a card. Changes nothing about the card. */
export async function performHearing(resolved: Resolved, verb: HearVerb, deps: PerformDeps): Promise<void> {
  await ofCards[verb](resolved, deps);
}
