import {
  type ChannelRules,
  subscribed,
  subscriptionList,
  unsubscribed,
} from '../../templates/routing/subscriptions.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse, refuseUnclear } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { webhookKinds } from '../core/event.ts';
import { mayGetAlerts } from './channel-of-action.ts';
import { defaultChannel } from './default-channel.ts';
import { kindNames, namesSensitive, possibleKinds, printFilter } from './filter.ts';
import { parseFilter } from './parse-filter.ts';
import { printQuiet } from './quiet-hours.ts';
import { recordRouting } from './record-routing.ts';
import type { Subscription } from './subscription-store.ts';

const SUBSCRIPTIONS_MAX = 100;

/** `/card subscribe KIND [filters]`: adds to what the channel gets where it is typed. */
export async function subscribe(action: Action, text: string, deps: ActionDeps): Promise<void> {
  const { routing, answer } = deps;
  const { channel } = action.origin;
  const parsed = parseFilter(text);
  if ('error' in parsed) {
    const usage = '/card subscribe KIND [filters], for instance /card subscribe declines over 500 and not country US';
    return await refuseUnclear(action, { why: parsed.error.why, usage }, deps);
  }
  if (namesSensitive(parsed.filter)) {
    const why = 'No channel learns that it was a wrong PIN, so none can ask for it.';
    return await refuse(action, { what: 'Subscribing', why, whoCan: 'Subscribe to declines instead.' }, deps);
  }
  if (!(await mayGetAlerts(action, deps))) return;
  if ((await routing.subscriptions.all()).length >= SUBSCRIPTIONS_MAX) {
    const why = `There are ${SUBSCRIPTIONS_MAX} subscriptions already.`;
    const whoCan = 'Take some away with /card unsubscribe.';
    return await refuse(action, { what: 'Subscribing', why, whoCan }, deps);
  }

  const filter = printFilter(parsed.filter);
  const subscription = await routing.subscriptions.add({
    channel,
    filter,
    by: action.actor.userId,
    at: action.askedAt,
  });
  const isNew = subscription.at === action.askedAt;
  if (isNew) await recordRouting(action, { did: `subscribed channel ${channel}`, after: filter }, deps);
  else await recordUnchanged(action, {}, deps);
  const byDefault = possibleKinds(parsed.filter)
    .filter((kind) => defaultChannel(kind, routing.channels) === channel)
    .map((kind) => kindNames[kind]);
  await answer(action, subscribed({ subscription, isNew, byDefault }));
}

/** `/card unsubscribe [number | KIND | all]`: in the channel where it is typed; a number may be of any channel. */
export async function unsubscribe(action: Action, text: string, deps: ActionDeps): Promise<void> {
  const { routing, answer } = deps;
  const all = await routing.subscriptions.all();
  const here = all.filter(({ channel }) => channel === action.origin.channel);
  const meant = subscriptionsMeant(text.trim(), here, all);
  if (meant === null || meant.length === 0) {
    const why =
      here.length === 0
        ? 'This channel has no subscription.'
        : `Which one? This channel has ${here.map(({ number, filter }) => `${number} (${filter})`).join(', ')}.`;
    const whoCan = here.length === 0 ? 'See /card subscriptions all.' : 'Write its number, its kind, or all.';
    return await refuse(action, { what: 'Unsubscribing', why, whoCan }, deps);
  }
  for (const { number } of meant) await routing.subscriptions.remove(number);
  const before = meant.map(({ number, filter }) => `${number} (${filter})`).join(', ');
  await recordRouting(action, { did: 'took subscriptions away', before }, deps);
  await answer(action, unsubscribed({ removed: meant }));
}

/** Null: it is not clear which. */
function subscriptionsMeant(
  text: string,
  here: readonly Subscription[],
  all: readonly Subscription[],
): readonly Subscription[] | null {
  if (text === '') return here.length === 1 ? here : null;
  if (/^all$/i.test(text)) return here;
  if (/^\d+$/.test(text)) return all.filter(({ number }) => number === Number(text));
  const parsed = parseFilter(text);
  if ('error' in parsed) return null;
  const filter = printFilter(parsed.filter);
  const same = here.filter((one) => one.filter === filter);
  if (same.length > 0 || parsed.filter.is !== 'kind') return same;
  const { kinds } = parsed.filter;
  return here.filter((one) => {
    const known = parseFilter(one.filter);
    return 'filter' in known && possibleKinds(known.filter).every((kind) => kinds.includes(kind));
  });
}

/** `/card subscriptions [all]`: what the channel gets where it is typed, or every channel. */
export async function listSubscriptions(action: Action, text: string, deps: ActionDeps): Promise<void> {
  const { routing } = deps;
  const [subscriptions, quiet, mutes] = await Promise.all([
    routing.subscriptions.all(),
    routing.quietHours.all(),
    routing.mutes.active(),
  ]);
  const configured = webhookKinds.map((kind) => ({ kind, channel: defaultChannel(kind, routing.channels) }));
  const isAll = /^all$/i.test(text.trim());
  const channels = isAll
    ? new Set([...subscriptions, ...quiet, ...configured].flatMap(({ channel }) => channel ?? []))
    : new Set([action.origin.channel]);
  const rules = [...channels].map((channel): ChannelRules => {
    const hours = quiet.find((one) => one.channel === channel);
    return {
      channel,
      byDefault: configured.filter((one) => one.channel === channel).map(({ kind }) => kindNames[kind]),
      subscriptions: subscriptions.filter((one) => one.channel === channel),
      quiet:
        hours === undefined
          ? null
          : { words: printQuiet(hours.window), except: hours.except, by: hours.by, at: hours.at },
    };
  });
  await deps.answer(action, subscriptionList({ isAll, rules, mutes: mutes.length }));
}
