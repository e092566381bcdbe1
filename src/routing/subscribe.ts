import { subscribed, unsubscribed } from '../../templates/routing/subscriptions.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { aboutOther } from '../actions/record.ts';
import { tellSetSince } from '../actions/set-in-order.ts';
import { aggregationRule, blockedRule } from '../alerts/aggregation-group-store.ts';
import type { Alert } from '../alerts/alert.ts';
import { contentId } from '../core/content-id.ts';
import type { WebhookKind } from '../core/event.ts';
import { commandCode } from '../core/installation.ts';
import type { SettingOrder } from '../core/setting-order.ts';
import type { MayGetAlerts } from './channel-access.ts';
import type { Subscription, Subscriptions } from './channel-rules-store.ts';
import { described, describeFilter, describeStored } from './describe-filter.ts';
import { type Filter, filterKey, kindName, possibleKinds, printFilter, whyNot } from './filter.ts';
import { parseUseful, unknownNames, whySensitive } from './never-matches.ts';
import { parseFilter } from './parse-filter.ts';
import { type ChannelAction, subscribeUsage, unsubscribeUsage } from './verbs.ts';

const SUBSCRIPTIONS_MAX = 1000;
/** An answer that lists them has no room for more. */
const OF_CHANNEL_MAX = 100;

interface Deps extends Pick<ActionTools, 'record' | 'hasBegun'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse' | 'refuseUnclear'>;
  readonly changeSubscriptions: ReturnType<typeof createChangeSubscriptions>;
  /** The configured channel for a kind; null when none is configured. */
  readonly defaultChannel: (kind: WebhookKind) => string | null;
  readonly mayGetAlerts: MayGetAlerts;
  readonly preview: ReturnType<typeof createPreview>;
}

export function createSubscriptionVerbs(deps: Deps) {
  const given = (work: typeof subscribe) => (action: ChannelAction) => work(action, deps);
  return { subscribe: given(subscribe), unsubscribe: given(unsubscribe) };
}

/**
 * `/card unsubscribe [number | KIND | all]`: removes subscriptions of the current channel, or by its number one of any
 * channel, because nobody can type in an archived one.
 */
async function unsubscribe(action: ChannelAction, deps: Deps): Promise<void> {
  const { responses } = deps;
  const hasBegun = await deps.hasBegun(action);
  const ended = await deps.changeSubscriptions.remove(action, hasBegun);
  if (ended === null) return await tellSetSince(action, deps);
  const { removed, here, left } = ended;
  if (removed.length > 0 || hasBegun)
    return await responses.answer(action, unsubscribed({ removed: removed.map(described), left: left.map(described) }));
  const [first] = here;
  if (first === undefined) {
    const whoCan = `${commandCode('subscriptions all')} lists those of every channel.`;
    return await responses.refuse(action, { why: 'This channel has no subscription.', whoCan });
  }
  const example = `unsubscribe ${first.number}`;
  const why = `Which subscription? This channel has ${listOf(here)}.`;
  await responses.refuseUnclear(action, { why, usage: unsubscribeUsage, example });
}

interface ChangeDeps extends Pick<ActionTools, 'record' | 'withLock'> {
  readonly subscriptions: Subscriptions;
  readonly settingOrder: SettingOrder;
}

/**
 * Adds and ends subscriptions, one at a time: what two people add or end at once is added or ended by one of them. Everyone
 * who subscribes or unsubscribes waits, so this neither reads alerts nor answers.
 */
export function createChangeSubscriptions(deps: ChangeDeps) {
  return {
    add: (action: ChannelAction, filter: Filter, hasBegun: boolean) =>
      deps.withLock('subscriptions', () => add(action, filter, hasBegun, deps)),
    remove: (action: ChannelAction, hasBegun: boolean) =>
      deps.withLock('subscriptions', () => remove(action, hasBegun, deps)),
  };
}

/** All subscriptions of a channel, in the order of what people set. */
const allOf = (channel: string): string => `subscriptions:${channel}`;

/** One of them, however its filter was typed. Filters name people, so it is hashed. */
function oneOf(channel: string, filter: Filter): string {
  return contentId(`${allOf(channel)}:`, [filterKey(filter)]);
}

/** What a text ends in the order of what people set, whether it is there or not. Null: it names none, or only a number. */
function orderNamed(text: string, channel: string): string | null {
  if (isAll(text)) return allOf(channel);
  const named = text === '' || numberIn(text) !== null ? null : parseFilter(text);
  return named !== null && 'filter' in named ? oneOf(channel, named.filter) : null;
}

/**
 * @returns what was removed, what this channel had, and what may still select some of the same for that channel. Null: what
 * it means was subscribed to again since.
 */
async function remove(action: ChannelAction, hasBegun: boolean, deps: ChangeDeps) {
  const { subscriptions, record, settingOrder } = deps;
  // After a crash, what was subscribed to since stays.
  const all = (await subscriptions.all()).filter(({ at }) => !(hasBegun && at > action.askedAt));
  const here = all.filter(({ channel }) => channel === action.origin.channel);
  const text = action.target.text.trim().replace(/^from\s+/i, '');
  // Also what somebody has asked for before and is still to be added.
  const named = orderNamed(text, action.origin.channel);
  if (named !== null) await settingOrder.begin(named, action);
  const meant = subscriptionsMeant(text, all, here);
  const removed: Subscription[] = [];
  for (const each of meant) if (await beginToEnd(each, action, deps)) removed.push(each);
  const [one] = removed;
  if (one === undefined) return meant.length > 0 ? null : { removed, here, left: [] };
  // Recorded first: after a crash they are gone, and only the record shows who ended them.
  const line = { did: 'ended subscriptions of', channel: one.channel };
  await record(action, {
    event: 'done',
    begins: true,
    before: listOf(removed),
    ...aboutOther(one.channel, action),
    line,
  });
  for (const subscription of removed) await subscriptions.remove(subscription);
  const ended = new Set(removed.flatMap(kindsOf));
  const stays = all.filter((other) => other.channel === one.channel && !removed.includes(other));
  return { removed, here, left: stays.filter((other) => kindsOf(other).some((kind) => ended.has(kind))) };
}

/** @returns false when somebody has subscribed to it again since. */
async function beginToEnd(subscription: Subscription, action: ChannelAction, { settingOrder }: ChangeDeps) {
  const stored = parseFilter(subscription.filter);
  return 'why' in stored || (await settingOrder.begin(oneOf(subscription.channel, stored.filter), action));
}

/** `/card subscribe KIND [filters]`: adds a subscription to this channel, and says what it would have posted. */
async function subscribe(action: ChannelAction, deps: Deps): Promise<void> {
  const { defaultChannel, responses } = deps;
  const { channel } = action.origin;
  const parsed = parseUseful(action.target.text);
  if ('why' in parsed) return await responses.refuseUnclear(action, { why: parsed.why, ...subscribeUsage });
  const sensitive = whySensitive(parsed.filter);
  if (sensitive !== null)
    return await responses.refuse(action, { why: sensitive, whoCan: 'Subscribe to declines instead.' });
  if (!(await deps.mayGetAlerts(action))) return;
  const before = await deps.preview(parsed.filter);
  const hasBegun = await deps.hasBegun(action);
  const added = await deps.changeSubscriptions.add(action, parsed.filter, hasBegun);
  if (added === null) return await tellSetSince(action, deps);
  if ('full' in added) {
    const whoCan = `Remove some with ${commandCode('unsubscribe')}.`;
    return await responses.refuse(action, { why: added.full, whoCan });
  }
  const { subscription, isNew } = added;
  const kinds = possibleKinds(parsed.filter);
  const anyway = kinds.filter((kind) => defaultChannel(kind) === channel);
  const addsNothing = anyway.length === kinds.length;
  const facts = { subscription: described(subscription), isNew, byDefault: anyway.map(kindName), addsNothing };
  await responses.answer(action, subscribed({ ...facts, ...before }));
}

/** @returns null if somebody has ended or added the same since it was asked for. */
async function add(action: ChannelAction, filter: Filter, hasBegun: boolean, deps: ChangeDeps) {
  const { subscriptions, record, settingOrder } = deps;
  const { channel } = action.origin;
  if (await settingOrder.isSetSince(allOf(channel), action)) return null;
  const all = await subscriptions.all();
  // The same typed in another order is no other subscription.
  const existing = sameFilter(
    filter,
    all.filter((each) => each.channel === channel),
  )[0];
  const full = existing === undefined && !hasBegun ? whyFull(all, channel) : null;
  if (full !== null) return { full };
  if (!(await settingOrder.begin(oneOf(channel, filter), action))) return null;
  const wanted = { channel, filter: printFilter(filter), by: action.actor.userId, at: action.askedAt };
  if (existing !== undefined && (existing.by !== wanted.by || existing.at !== wanted.at)) {
    await record(action, { event: 'unchanged' });
    return { subscription: existing, isNew: false };
  }
  // Recorded first: no channel gets alerts by a subscription that is not on record.
  const line = { did: 'subscribed', channel };
  await record(action, { event: 'done', begins: true, after: describeFilter(filter), line });
  return { subscription: existing ?? (await subscriptions.add(wanted)), isNew: true };
}

/** Why no more subscriptions can be added; null when they can. */
function whyFull(all: readonly Subscription[], channel: string): string | null {
  if (all.length >= SUBSCRIPTIONS_MAX) return `There are ${SUBSCRIPTIONS_MAX} subscriptions already.`;
  const here = all.filter((each) => each.channel === channel).length;
  return here >= OF_CHANNEL_MAX ? `This channel has ${OF_CHANNEL_MAX} subscriptions already.` : null;
}

interface PreviewDeps {
  /** Alerts of the last 30 days, newest first. */
  readonly alerts: { readonly kept: () => AsyncIterable<Alert> };
  /** The groups that contain at least one card. */
  readonly groups: () => Promise<readonly string[]>;
}

/** Counts what a subscription would have posted, and lists the unknown names in it. */
export function createPreview({ alerts, groups }: PreviewDeps) {
  return async function preview(filter: Filter) {
    const [matches, unknown] = await Promise.all([
      countMatches(filter, alerts.kept()),
      groups().then((known) => unknownNames(filter, known)),
    ]);
    return { ...matches, unknown };
  };
}

function listOf(subscriptions: readonly Subscription[]): string {
  return subscriptions.map(({ number, filter }) => `${number} (${describeStored(filter)})`).join(', ');
}

function isAll(text: string): boolean {
  return /^all$/i.test(text);
}

/** The number of one subscription. Null: the text is none. */
function numberIn(text: string): number | null {
  const number = /^#?(\d+)$/.exec(text)?.[1];
  return number === undefined ? null : Number(number);
}

/** None when it is unclear which subscriptions are meant. @param here those of the channel where it is typed. */
function subscriptionsMeant(
  text: string,
  all: readonly Subscription[],
  here: readonly Subscription[],
): readonly Subscription[] {
  if (text === '') return here.length === 1 ? here : [];
  if (isAll(text)) return here;
  const number = numberIn(text);
  if (number !== null) return all.filter((one) => one.number === number);
  const parsed = parseFilter(text);
  if ('why' in parsed) return [];
  const same = sameFilter(parsed.filter, here);
  if (same.length > 0 || parsed.filter.is !== 'kind') return same;
  const { kinds } = parsed.filter;
  return here.filter(
    (one) => 'filter' in parseFilter(one.filter) && kindsOf(one).every((kind) => kinds.includes(kind)),
  );
}

/** The kinds of alerts that a subscription may select. */
function kindsOf({ filter }: Subscription): readonly WebhookKind[] {
  const stored = parseFilter(filter);
  return 'filter' in stored ? possibleKinds(stored.filter) : [];
}

/** The subscriptions that select the same, however their filter was typed. */
function sameFilter(filter: Filter, subscriptions: readonly Subscription[]): readonly Subscription[] {
  const key = filterKey(filter);
  return subscriptions.filter((one) => {
    const stored = parseFilter(one.filter);
    return 'filter' in stored && filterKey(stored.filter) === key;
  });
}

/** The person who subscribes waits for the answer, so reading stops after this many alerts. */
const READ_MAX = 10_000;

/**
 * How many alerts a subscription would have posted; a minimum when not all kept alerts were read, which come newest first.
 * Declines that share a message count once. Fraud cases and activation reminders are routed like the decline or shipment that
 * they are about. A card-testing warning is not counted: each channel has its own.
 */
export async function countMatches(filter: Filter, kept: AsyncIterable<Alert>, readMax = READ_MAX) {
  const groups = new Map<string, { newestMs: number; atMs: number }>();
  let count = 0;
  let read = 0;
  for await (const alert of kept) {
    if (read >= readMax) return { count, isAll: false };
    read += 1;
    if (alert.kind === 'card-testing' || whyNot(filter, alert) !== null) continue;
    if (alert.kind === 'transaction' && alert.event.kind === 'decline') {
      const isBlocked = alert.remedy?.kind === 'unblock';
      const { key, gapMs, spanMs } = isBlocked ? blockedRule(alert.event, null) : aggregationRule(alert.event);
      const atMs = Date.parse(alert.event.occurredAt);
      const later = groups.get(key) ?? { newestMs: Number.POSITIVE_INFINITY, atMs: Number.POSITIVE_INFINITY };
      const isRepeat = Math.abs(later.atMs - atMs) <= gapMs && later.newestMs - atMs <= spanMs;
      groups.set(key, { newestMs: isRepeat ? later.newestMs : atMs, atMs });
      if (isRepeat) continue;
    }
    count += 1;
  }
  return { count, isAll: true };
}
