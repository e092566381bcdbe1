import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { asManyAsFit, context, header, outside, section, sentence } from '../core/blocks.ts';

interface ShownSubscription {
  readonly number: number;
  readonly channel: string;
  /** Normal form of the filter. */
  readonly filter: string;
  readonly by: string;
  readonly at: string;
}

const FILTER_MAX = 400;
const LINES_MAX = 12;

export interface Subscribed {
  readonly subscription: ShownSubscription;
  /** False: it was there before. */
  readonly isNew: boolean;
  /** Kinds that the configuration sends here in any case. */
  readonly byDefault: readonly string[];
}

/** A channel gets more from now on. */
export function subscribed({ subscription, isNew, byDefault }: Subscribed): Message {
  const { number, filter, by, at, channel } = subscription;
  const what = isNew
    ? `From now on I post here: ${outside(filter, FILTER_MAX)}.`
    : `This channel has that already: ${outside(filter, FILTER_MAX)}.`;
  return {
    text: sentence(`${what} Subscription ${number}.`),
    blocks: [
      section(
        `*${what}*`,
        byDefault.length === 0
          ? null
          : `The configuration sends all ${byDefault.join(', ')} to ${channelMention(channel)} anyway: a subscription adds, it never takes away.`,
        `An alert comes once, however many subscriptions it fits. To end it: ${commandCode(`unsubscribe ${number}`)}`,
      ),
      ...context(`Subscription ${number}, by ${mention(by)}, ${dateToken(at)}`),
    ],
  };
}

export function unsubscribed({ removed }: { readonly removed: readonly ShownSubscription[] }): Message {
  const lines = removed.map(
    ({ number, channel, filter }) => `${number} of ${channelMention(channel)}: ${outside(filter, FILTER_MAX)}`,
  );
  const what =
    removed.length === 1 ? 'This subscription has ended.' : `These ${removed.length} subscriptions have ended.`;
  return {
    text: sentence(`${what} ${lines.join('; ')}.`),
    blocks: [section(`*${what}*`, ...lines.slice(0, LINES_MAX), 'What the configuration sends here still comes.')],
  };
}

/** All that decides what a channel gets. */
export interface ChannelRules {
  readonly channel: string;
  /** Kinds that the configuration sends here. */
  readonly byDefault: readonly string[];
  readonly subscriptions: readonly ShownSubscription[];
  readonly quiet: {
    readonly words: string;
    readonly except: string | null;
    readonly by: string;
    readonly at: string;
  } | null;
}

export interface SubscriptionList {
  /** Every channel, not only the one where it was asked. */
  readonly isAll: boolean;
  readonly rules: readonly ChannelRules[];
  /** How many mutes and travel mutes hold now. */
  readonly mutes: number;
}

/** What channels get, and when. */
export function subscriptionList({ isAll, rules, mutes }: SubscriptionList): Message {
  const count = rules.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
  const where = isAll ? 'All channels' : 'This channel';
  const subscriptions = `${count} ${count === 1 ? 'subscription' : 'subscriptions'}`;
  const quiet = rules.filter((rule) => rule.quiet !== null).length;
  const { shown, left } = asManyAsFit(rules.map((rule) => section(...linesOf(rule))));
  return {
    text: sentence(`${where}: ${subscriptions}, quiet hours in ${quiet} of ${rules.length}, ${mutes} mutes.`),
    blocks: [
      header(isAll ? 'What channels get' : 'What this channel gets'),
      ...shown,
      ...context(
        left > 0 ? `… and ${left} channels more.` : null,
        mutes === 0 ? null : `${mutes} ${mutes === 1 ? 'card is' : 'cards are'} muted: ${commandCode('mutes')}`,
        isAll ? null : `For every channel: ${commandCode('subscriptions all')}`,
      ),
    ],
  };
}

function linesOf({ channel, byDefault, subscriptions, quiet }: ChannelRules): string[] {
  const more = subscriptions.length - LINES_MAX;
  return [
    `*${channelMention(channel)}*`,
    byDefault.length === 0 ? '' : `By configuration: ${byDefault.join(', ')}`,
    ...subscriptions
      .slice(0, LINES_MAX)
      .map(
        ({ number, filter, by, at }) =>
          `${number}. ${outside(filter, 150)}, by ${mention(by)}, ${dateToken(at, '{date_short_pretty}')}`,
      ),
    more > 0 ? `… and ${more} more` : '',
    subscriptions.length === 0 ? 'No subscription' : '',
    quiet === null
      ? ''
      : `Quiet ${outside(quiet.words, 100)}${quiet.except === null ? '' : `, except ${outside(quiet.except, 150)}`}, by ${mention(quiet.by)}, ${dateToken(quiet.at, '{date_short_pretty}')}`,
  ];
}
