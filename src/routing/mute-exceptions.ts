import { type CardTesting, mayBeCardTesting } from '../alerts/card-testing-store.ts';
import type { Subject } from './filter.ts';
import type { Mute } from './mute-store.ts';

/**
 * Why a mute in force does not withhold an event after all, to be read behind who set it; null when it does.
 *
 * @param channels that would get the event.
 */
export type WhyMutePasses = (mute: Mute, subject: Subject, channels: readonly string[]) => Promise<string | null>;

interface Deps {
  /** Whether the author of a travel mute may still see the cards of others; `unknown` when Slack does not say. */
  readonly mayBeNotified: (userId: string) => Promise<'yes' | 'no' | 'unknown'>;
  /** Somebody is linked to the card, or was lately. */
  readonly isHolder: (userId: string, acctId: number) => Promise<boolean>;
  readonly cardTesting: CardTesting;
}

/**
 * A mute belongs to the team: it outlives its author's role, is listed with its author, and ends. But it ends early for
 * whoever became the card's holder after they set it, because nobody mutes their own card. A travel mute sends alerts to
 * its author instead, so it counts only while it is certain that they may read them.
 *
 * What is withheld still counts towards card testing: a muted card is one of those that are tried.
 */
export function createWhyMutePasses({ mayBeNotified, isHolder, cardTesting }: Deps): WhyMutePasses {
  return async function whyMutePasses(mute, { event, card }, channels) {
    if (await isHolder(mute.by, mute.acctId)) return ', who holds the card';
    if (event.kind === 'decline' && mayBeCardTesting(event)) {
      const warnings = await Promise.all(channels.map((channel) => cardTesting.join(channel, event, card)));
      if (warnings.some((warning) => warning !== null)) return ': several cards were declined at this merchant';
    }
    if (mute.kind === 'mute') return null;
    const mayRead = await mayBeNotified(mute.by);
    if (mayRead === 'yes') return null;
    return mayRead === 'no' ? ', who has no role any more' : ': Slack could not say just now which role they have';
  };
}
