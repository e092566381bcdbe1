import type { Action, Verb } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { trackCard } from '../alerts/track-card.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import { listMutes, muteCard, unmuteCard } from '../routing/mute.ts';
import { setQuiet } from '../routing/set-quiet.ts';
import { listSubscriptions, subscribe, unsubscribe } from '../routing/subscribe.ts';
import { explainRouting } from '../routing/why.ts';
import { listDeclines } from './list-declines.ts';
import type { channelVerbs, notificationVerbs } from './routing-command.ts';

type ChannelVerb = (typeof channelVerbs)[number];
type NotificationVerb = (typeof notificationVerbs)[number];

const ofPlaces: Readonly<Record<ChannelVerb, (action: Action, text: string, deps: ActionDeps) => Promise<void>>> = {
  subscribe,
  unsubscribe,
  subscriptions: listSubscriptions,
  quiet: setQuiet,
  mutes: listMutes,
  why: explainRouting,
};

const ofCards: Readonly<Record<NotificationVerb, (resolved: Resolved, deps: ActionDeps) => Promise<void>>> = {
  mute: muteCard,
  travel: muteCard,
  unmute: unmuteCard,
  declines: listDeclines,
  track: trackCard,
};

export function isChannelVerb(verb: Verb): verb is ChannelVerb {
  return Object.hasOwn(ofPlaces, verb);
}

export function isNotificationVerb(verb: Verb): verb is NotificationVerb {
  return Object.hasOwn(ofCards, verb);
}

/** What a place gets, when, and why. */
export async function performInChannel(action: Action, verb: ChannelVerb, deps: ActionDeps): Promise<void> {
  await ofPlaces[verb](action, action.target.kind === 'place' ? action.target.text : '', deps);
}

/** What people hear, or look up, of a card. Changes nothing about the card. */
export async function performNotificationVerb(
  resolved: Resolved,
  verb: NotificationVerb,
  deps: ActionDeps,
): Promise<void> {
  await ofCards[verb](resolved, deps);
}
