import { declineReason } from '../alerts/decline-reason.ts';
import { declineCode, type StoredEvent } from '../core/event.ts';
import { countryCode } from '../core/merchant-category.ts';
import { type Filter, kindName, type Subject, whyNot } from './filter.ts';
import type { Mute } from './mute-store.ts';
import { parseFilter } from './parse-filter.ts';
import { printQuiet, quietUntil } from './quiet-hours.ts';
import type { RoutingRules } from './routing-rules.ts';

/** A channel that wants an event, and every rule that says so. */
export interface Candidate {
  readonly channel: string;
  readonly because: readonly string[];
}

export interface Wanted {
  readonly candidates: readonly Candidate[];
  /** Subscriptions that do not fit, each with the reason. */
  readonly passedOver: readonly string[];
}

/** Which channels want an event: the default channel of its kind, and every channel whose subscription fits. */
export function whoWants(subject: Subject, rules: RoutingRules, defaultChannel: string | null): Wanted {
  const { kind } = subject.event;
  const because = new Map<string, string[]>();
  if (defaultChannel !== null) because.set(defaultChannel, [`it is the default channel for ${kindName(kind)}`]);
  const passedOver: string[] = [];
  for (const { number, channel, filter, by } of rules.subscriptions) {
    const reason = whyNot(filterOf(filter), subject);
    if (reason === null) {
      const words = `subscription ${number} of <@${by}> fits: ${filter}`;
      because.set(channel, [...(because.get(channel) ?? []), words]);
    } else {
      passedOver.push(`subscription ${number} of <#${channel}> (${filter}): ${reason}`);
    }
  }
  return { candidates: [...because].map(([channel, reasons]) => ({ channel, because: reasons })), passedOver };
}

/** What was stored in normal form, read once. */
const filters = new Map<string, Filter>();
const FILTERS_MAX = 1000;

function filterOf(text: string): Filter {
  let filter = filters.get(text);
  if (filter === undefined) {
    const parsed = parseFilter(text);
    // A form that this version cannot read: too much is better than too little.
    filter = 'filter' in parsed ? parsed.filter : { is: 'all' };
    if (filters.size >= FILTERS_MAX) filters.clear();
    filters.set(text, filter);
  }
  return filter;
}

/**
 * What no mute and no travel notice keeps back: a card that was blocked or closed, and a wrong PIN. Whoever muted a card
 * did not mean these.
 */
export function alwaysPasses(event: StoredEvent): boolean {
  if (event.kind === 'card-status')
    return event.cards.some(({ status }) => status === 'BLOCKED' || status === 'CLOSED');
  return event.kind === 'decline' && event.decline !== null && declineReason(event.decline).isSensitive;
}

/** The mutes and travel notices that apply to an event: a mute first, because it sends the alert to nobody. */
export function mutesOf(event: StoredEvent, mutes: readonly Mute[], now: number): readonly Mute[] {
  if (event.acctId === null || alwaysPasses(event)) return [];
  const ofCard = mutes.filter(({ acctId, endsAt }) => acctId === event.acctId && Date.parse(endsAt) > now);
  return [
    ...ofCard.filter(({ kind }) => kind === 'mute'),
    ...ofCard.filter((mute) => mute.kind === 'travel' && isExpected(event, mute.countries)),
  ];
}

/** A decline that a journey explains: abroad at all, or in person in the named countries. */
function isExpected(event: StoredEvent, countries: readonly string[]): boolean {
  if (event.kind !== 'decline') return false;
  const country = countryCode(event.merchant.country);
  if (country === undefined || !countries.includes(country)) return false;
  return event.isCardPresent === true || declineCode(event.decline) === 'decline.rule.location';
}

/** Until when a channel is quiet, in words why, and whether that is not for this event; null when it is not quiet. */
export function quietFor(
  subject: Subject,
  channel: string,
  { quiet }: Pick<RoutingRules, 'quiet'>,
  now: number,
): { readonly until: number; readonly because: string; readonly isExcepted: boolean } | null {
  const hours = quiet.get(channel);
  if (hours === undefined) return null;
  const until = quietUntil(hours.window, now);
  if (until === null) return null;
  const isExcepted = hours.except !== null && whyNot(filterOf(hours.except), subject) === null;
  return { until, because: `quiet hours ${printQuiet(hours.window)}, set by <@${hours.by}>`, isExcepted };
}
