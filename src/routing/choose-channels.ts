import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { declineCode, type StoredEvent } from '../core/event.ts';
import { countryCode } from '../core/merchant-category.ts';
import type { QuietHours, Subscription } from './channel-rules-store.ts';
import { type FilterSubject, kindName, whyNot } from './filter.ts';
import type { Mute } from './mute-store.ts';
import { quietUntil, quietWords } from './quiet-hours.ts';
import { readStored, type SubscriptionIndex } from './subscription-index.ts';

/** All routing decisions that people have made. */
export interface RoutingRules {
  readonly subscriptions: SubscriptionIndex;
  /** By channel. */
  readonly quiet: ReadonlyMap<string, QuietHours>;
  /** Mutes in force. Some may have passed their end. */
  readonly mutes: readonly Mute[];
  /** Changes when a channel's readers change: see `channel-access.ts`. */
  readonly visibilityVersion: string | null;
}

/** A channel that gets an event, and every rule behind it. */
interface Candidate {
  readonly channel: string;
  readonly because: readonly string[];
}

interface NotFitting {
  readonly subscription: Subscription;
  /** Its filter in readable form. */
  readonly words: string;
  readonly reason: string;
}

/**
 * Finds the channels for an event: the default channel of its kind, and every channel with a matching subscription.
 *
 * @param notFittingMax how many other subscriptions are returned with the reason why they do not match.
 */
export function whoWants(
  subject: FilterSubject,
  { subscriptions }: Pick<RoutingRules, 'subscriptions'>,
  defaultChannel: string | null,
  notFittingMax: number,
): { readonly candidates: readonly Candidate[]; readonly notFitting: readonly NotFitting[]; readonly more: number } {
  const { kind } = subject.event;
  const because = new Map<string, string[]>();
  if (defaultChannel !== null) because.set(defaultChannel, [`it is the default channel for ${kindName(kind)}`]);
  const fitting = subscriptions.mayFit(subject).filter(({ filter }) => whyNot(filter, subject) === null);
  for (const { subscription, words } of fitting) {
    const { number, channel, by } = subscription;
    const reason = `subscription ${number} of <@${by}> fits: ${words()}`;
    because.set(channel, [...(because.get(channel) ?? []), reason]);
  }
  const notFitting: NotFitting[] = [];
  for (const { subscription, filter, words } of subscriptions.all) {
    if (notFitting.length >= notFittingMax) break;
    const reason = whyNot(filter, subject);
    if (reason !== null) notFitting.push({ subscription, words: words(), reason: reason() });
  }
  const more = subscriptions.all.length - fitting.length - notFitting.length;
  return { candidates: [...because].map(([channel, reasons]) => ({ channel, because: reasons })), notFitting, more };
}

/**
 * Events that no mute withholds, because a mute is not meant for them: a block and its end, a closed card, suspected fraud.
 */
function alwaysPasses(event: StoredEvent): boolean {
  if (event.kind === 'card-status') return event.cards.some(({ status }) => status !== 'INACTIVE');
  return isSuspectedFraud(event);
}

/** The mutes that apply to an event, before the travel mutes, because a mute withholds it also from their author. */
export function mutesOf(event: StoredEvent, mutes: readonly Mute[], now: number): readonly Mute[] {
  if (event.acctId === null || mutes.length === 0 || alwaysPasses(event)) return [];
  const ofCard = mutes.filter(({ acctId, endsAt }) => acctId === event.acctId && Date.parse(endsAt) > now);
  return [
    ...ofCard.filter(({ kind }) => kind === 'mute'),
    ...ofCard.filter((mute) => mute.kind === 'travel' && isExpected(event, mute.countries)),
  ];
}

/** True for a decline in one of these countries that the trip explains: in person, or declined because it is abroad. */
function isExpected(event: StoredEvent, countries: readonly string[]): boolean {
  if (event.kind !== 'decline') return false;
  const country = countryCode(event.merchant.country);
  if (country === undefined || !countries.includes(country)) return false;
  return event.isCardPresent === true || declineCode(event.decline) === 'decline.rule.location';
}

/** When quiet hours end, which they are, and whether the event is exempt; null outside quiet hours. */
export function quietFor(
  subject: FilterSubject,
  hours: QuietHours,
  now: number,
): { readonly until: number; readonly because: string; readonly isExempt: boolean } | null {
  const until = quietUntil(hours.window, now);
  if (until === null) return null;
  const isExempt = hours.except !== null && whyNot(readStored(hours.except), subject) === null;
  return { until, because: `quiet hours ${quietWords(hours.window)}, set by <@${hours.by}>`, isExempt };
}
