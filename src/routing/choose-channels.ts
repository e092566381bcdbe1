import { countOf } from '../../templates/core/blocks.ts';
import type { Step } from '../alerts/event-log.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { declineCode, type StoredEvent } from '../core/event.ts';
import { countryCode } from '../core/merchant-category.ts';
import type { QuietHours } from './channel-rules-store.ts';
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

/** Adds a step to the event log. */
export type Note = (step: Step['step'], channel: string | null, text: string) => void;

/** How many of the subscriptions that do not fit are noted, each with the reason. */
const NOT_FITTING_MAX = 12;

/** The channels that want an event, each once: the default channel of its kind, and those with a subscription that fits. */
export function whoWants(
  subject: FilterSubject,
  { subscriptions }: Pick<RoutingRules, 'subscriptions'>,
  defaultChannel: string | null,
  note: Note,
): string[] {
  const kind = kindName(subject.event.kind);
  const because = new Map<string, string[]>();
  if (defaultChannel !== null) because.set(defaultChannel, [`it is the default channel for ${kind}`]);
  const fitting = subscriptions.mayFit(subject).filter(({ filter }) => whyNot(filter, subject) === null);
  for (const { subscription, words } of fitting) {
    const { number, channel, by } = subscription;
    const reason = `subscription ${number} of <@${by}> fits: ${words()}`;
    because.set(channel, [...(because.get(channel) ?? []), reason]);
  }
  for (const [channel, reasons] of because) note('routed', channel, `Because ${reasons.join('; ')}.`);
  if (because.size === 0) {
    note('skipped', null, `No channel gets ${kind}: none is configured, and no subscription fits.`);
  }
  let noted = 0;
  for (const { subscription, filter, words } of subscriptions.all) {
    if (noted === NOT_FITTING_MAX) break;
    const reason = whyNot(filter, subject);
    if (reason === null) continue;
    const { number, channel } = subscription;
    note('skipped', null, `Not for subscription ${number} of <#${channel}> (${words()}): ${reason()}.`);
    noted += 1;
  }
  const more = subscriptions.all.length - fitting.length - noted;
  if (more > 0) note('skipped', null, `${countOf(more, 'more subscription')} ${more === 1 ? 'does' : 'do'} not fit.`);
  return [...because.keys()];
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
export function currentQuietHours(subject: FilterSubject, hours: QuietHours, now: number) {
  const until = quietUntil(hours.window, now);
  if (until === null) return null;
  const isExempt = hours.except !== null && whyNot(readStored(hours.except), subject) === null;
  return { until, because: `quiet hours ${quietWords(hours.window)}, set by <@${hours.by}>`, isExempt };
}
