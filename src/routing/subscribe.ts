import {
  type ChannelRules,
  subscribed,
  subscriptionList,
  unsubscribed,
} from '../../templates/routing/subscriptions.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { type WebhookKind, webhookKinds } from '../core/event.ts';
import type { MayGetAlerts } from './channel-of-action.ts';
import { kindName, namesSensitive, possibleKinds, printFilter } from './filter.ts';
import type { Mutes } from './mute-store.ts';
import { parseFilter } from './parse-filter.ts';
import { printQuiet } from './quiet-hours.ts';
import type { QuietHoursStore } from './quiet-hours-store.ts';
import type { Subscription, Subscriptions } from './subscription-store.ts';
import type { ChannelAction } from './verbs.ts';

const SUBSCRIPTIONS_MAX = 100;

interface Deps {
  readonly subscriptions: Subscriptions;
  readonly quietHours: Pick<QuietHoursStore, 'all'>;
  readonly mutes: Pick<Mutes, 'active'>;
  /** Channel that the configuration names for a kind; null when it names none. */
  readonly defaultChannel: (kind: WebhookKind) => string | null;
  readonly mayGetAlerts: MayGetAlerts;
  readonly reply: Pick<ActionTools, 'answer' | 'record' | 'refuse' | 'refuseUnclear'>;
}

export interface SubscriptionVerbs {
  /** `/card subscribe KIND [filters]`: adds to what the channel gets where it is typed. */
  subscribe(action: ChannelAction): Promise<void>;
  /** `/card unsubscribe [number | KIND | all]`: in the channel where it is typed; a number may be of any channel. */
  unsubscribe(action: ChannelAction): Promise<void>;
  /** `/card subscriptions [all]`: what the channel gets where it is typed, or every channel. */
  list(action: ChannelAction): Promise<void>;
}

export function createSubscriptionVerbs(deps: Deps): SubscriptionVerbs {
  const { subscriptions, defaultChannel, reply } = deps;

  return {
    async subscribe(action) {
      const { text } = action.target;
      const { channel } = action.origin;
      const parsed = parseFilter(text);
      if ('error' in parsed) {
        const usage =
          '/card subscribe KIND [filters], for instance /card subscribe declines over 500 and not country US';
        return await reply.refuseUnclear(action, { why: parsed.error.why, usage });
      }
      if (namesSensitive(parsed.filter)) {
        const why = 'No channel learns that it was a wrong PIN, so none can ask for it.';
        return await reply.refuse(action, { what: 'Subscribing', why, whoCan: 'Subscribe to declines instead.' });
      }
      if (!(await deps.mayGetAlerts(action))) return;
      if ((await subscriptions.all()).length >= SUBSCRIPTIONS_MAX) {
        const why = `There are ${SUBSCRIPTIONS_MAX} subscriptions already.`;
        const whoCan = 'Take some away with /card unsubscribe.';
        return await reply.refuse(action, { what: 'Subscribing', why, whoCan });
      }

      const filter = printFilter(parsed.filter);
      const by = action.actor.userId;
      const subscription = await subscriptions.add({ channel, filter, by, at: action.askedAt });
      const isNew = subscription.at === action.askedAt;
      if (isNew)
        await reply.record(action, {
          event: 'done',
          isFirst: true,
          after: filter,
          line: { did: `subscribed channel ${channel}` },
        });
      else await reply.record(action, { event: 'unchanged' });
      const byDefault = possibleKinds(parsed.filter)
        .filter((kind) => defaultChannel(kind) === channel)
        .map((kind) => kindName(kind));
      await reply.answer(action, subscribed({ subscription, isNew, byDefault }));
    },

    async unsubscribe(action) {
      const { text } = action.target;
      const all = await subscriptions.all();
      const here = all.filter(({ channel }) => channel === action.origin.channel);
      const meant = subscriptionsMeant(text.trim(), here, all);
      if (meant === null || meant.length === 0) {
        const why =
          here.length === 0
            ? 'This channel has no subscription.'
            : `Which one? This channel has ${here.map(({ number, filter }) => `${number} (${filter})`).join(', ')}.`;
        const whoCan = here.length === 0 ? 'See /card subscriptions all.' : 'Write its number, its kind, or all.';
        return await reply.refuse(action, { what: 'Unsubscribing', why, whoCan });
      }
      for (const { number } of meant) await subscriptions.remove(number);
      const before = meant.map(({ number, filter }) => `${number} (${filter})`).join(', ');
      await reply.record(action, { event: 'done', isFirst: true, before, line: { did: 'took subscriptions away' } });
      await reply.answer(action, unsubscribed({ removed: meant }));
    },

    async list(action) {
      const { text } = action.target;
      const isAll = /^all$/i.test(text.trim());
      const [rules, mutes] = await Promise.all([rulesOf(isAll ? null : action.origin.channel), deps.mutes.active()]);
      await reply.answer(action, subscriptionList({ isAll, rules, mutes: mutes.length }));
    },
  };

  /** What decides what one channel gets, or every channel. */
  async function rulesOf(only: string | null): Promise<ChannelRules[]> {
    const [all, quiet] = await Promise.all([subscriptions.all(), deps.quietHours.all()]);
    const configured = webhookKinds.map((kind) => ({ kind, channel: defaultChannel(kind) }));
    const named = only === null ? [...all, ...quiet, ...configured].flatMap(({ channel }) => channel ?? []) : [only];
    return [...new Set(named)].map((channel): ChannelRules => {
      const hours = quiet.find((each) => each.channel === channel);
      return {
        channel,
        byDefault: configured.filter((each) => each.channel === channel).map(({ kind }) => kindName(kind)),
        subscriptions: all.filter((each) => each.channel === channel),
        quiet:
          hours === undefined
            ? null
            : { words: printQuiet(hours.window), except: hours.except, by: hours.by, at: hours.at },
      };
    });
  }
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
