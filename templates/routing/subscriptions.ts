import type { SectionBlock } from '@slack/types';
import { commandCode } from '../../src/core/installation.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import type { DigestSchedule } from '../../src/digests/schedule-store.ts';
import type { Subscription } from '../../src/routing/channel-rules-store.ts';
import type { UnknownName } from '../../src/routing/never-matches.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import {
  asManyAsFit,
  context,
  countOf,
  escapeUntrusted,
  header,
  inSections,
  pageOf,
  pageWords,
  section,
  sentence,
} from '../core/blocks.ts';
import { scheduleInWords } from '../digests/digest-set.ts';

const FILTER_MAX = 400;
/** Lines per block, so that no block is cut. */
const LINES = 8;

/** What the last 30 days say about a subscription. */
interface Preview {
  /** How many alerts it would have posted; a minimum when not all were counted. */
  readonly count: number;
  readonly isAll: boolean;
  /** Unknown names, with the probable intended ones. */
  readonly unknown: readonly UnknownName[];
}

const unknownWords: Readonly<Record<UnknownName['what'], (typed: string) => string>> = {
  group: (typed) => `No card is in a group “${typed}”.`,
  category: (typed) => `There is no merchant category “${typed}”.`,
  code: (typed) => `I don’t know the decline code “${typed}”.`,
};

/** `In the last 30 days this would have posted 14 alerts.`, and probable typos. */
function previewLines({ count, isAll, unknown }: Preview): string[] {
  const alerts = count === 0 ? 'no alert' : countOf(count, 'alert');
  const isLower = !isAll && count > 0;
  return [
    `In the last 30 days this would have posted ${isLower ? 'at least ' : ''}${alerts}.${isAll ? '' : ' Only the newest were counted: there are too many.'}`,
    ...unknownLines(unknown),
  ];
}

/** Names in a filter that nothing has, with what was probably meant. */
export function unknownLines(unknown: readonly UnknownName[]): string[] {
  return unknown.map(({ what, typed, meant }) => {
    const hint = meant === null ? '' : ` Did you mean “${escapeUntrusted(meant, 80)}”?`;
    return `:warning: ${unknownWords[what](escapeUntrusted(typed, 80))}${hint}`;
  });
}

interface Subscribed extends Preview {
  readonly subscription: Subscription;
  /** False when it already existed. */
  readonly isNew: boolean;
  /** Kinds that the configuration always sends here. */
  readonly byDefault: readonly string[];
  /** The configuration sends everything here that the subscription selects. */
  readonly addsNothing: boolean;
}

/** A channel now gets more events. */
export function subscribed({ subscription, isNew, byDefault, addsNothing, ...preview }: Subscribed): Message {
  const { number, filter, by, at, channel } = subscription;
  const gets = `${isNew ? 'This channel now also gets' : 'This channel already gets'}: ${escapeUntrusted(filter, FILTER_MAX)}.`;
  const what = addsNothing
    ? `Nothing changes: this channel gets all ${joinWithAnd(byDefault)} by configuration, and a subscription only adds alerts.`
    : gets;
  const lines = addsNothing ? unknownLines(preview.unknown) : previewLines(preview);
  const anyway =
    addsNothing || byDefault.length === 0
      ? null
      : `By configuration, all ${joinWithAnd(byDefault)} go to ${channelMention(channel)} anyway: a subscription adds alerts, it never removes any.`;
  return {
    text: sentence(what, ...lines, anyway, `Subscription ${number}.`),
    blocks: [
      section(
        `*${what}*`,
        ...lines,
        anyway,
        `An alert that matches several subscriptions is posted once. To end this one: ${commandCode(`unsubscribe ${number}`)}`,
      ),
      ...context(`Subscription ${number}, by ${mention(by)}${dateAfter(',', at)}`),
    ],
  };
}

const LEFT_SHOWN = 5;

interface Unsubscribed {
  /** Empty when the worker died after removing them. */
  readonly removed: readonly Subscription[];
  /** Those of that channel that may select some of the same. */
  readonly left: readonly Subscription[];
}

export function unsubscribed({ removed, left }: Unsubscribed): Message {
  const lines = removed.map(
    ({ number, channel, filter }) => `${number} of ${channelMention(channel)}: ${escapeUntrusted(filter, FILTER_MAX)}`,
  );
  const what =
    removed.length === 0
      ? 'What you named has ended.'
      : removed.length === 1
        ? 'This subscription has ended.'
        : `These ${countOf(removed.length, 'subscription')} have ended.`;
  const { shown } = asManyAsFit(inSections(lines, LINES));
  const others = left.map(({ number, filter }) => `${number} (${escapeUntrusted(filter, 80)})`);
  const some = `${others.slice(0, LEFT_SHOWN).join(', ')}${others.length > LEFT_SHOWN ? `, and ${others.length - LEFT_SHOWN} more` : ''}`;
  const still = left.length === 0 ? null : `That channel also gets ${some}, which may select some of the same alerts.`;
  return {
    text: sentence(what, lines.length === 0 ? null : `${lines.join('; ')}.`, still),
    blocks: [
      section(`*${what}*`),
      ...shown,
      ...(still === null ? [] : [section(still)]),
      ...context('Alerts that a channel gets by configuration still come.'),
    ],
  };
}

/** When a channel gets a digest, and who set it. */
export type ChannelDigest = Pick<DigestSchedule, 'weekday' | 'isMonthly' | 'hour' | 'minute' | 'zone' | 'by' | 'at'>;

/** All rules that decide what a channel gets. */
export interface ChannelRules {
  readonly channel: string;
  /** Kinds that the configuration sends here. */
  readonly byDefault: readonly string[];
  readonly subscriptions: readonly Subscription[];
  readonly digests: readonly ChannelDigest[];
  readonly quiet: {
    readonly words: string;
    readonly except: string | null;
    readonly by: string;
    readonly at: string;
  } | null;
}

interface SubscriptionList {
  /** Every channel, not only the current one. */
  readonly isAll: boolean;
  readonly rules: readonly ChannelRules[];
  /** Counted from 1. */
  readonly page: number;
  /** How many mutes and travel mutes of cards that the reader may see are in force. */
  readonly mutes: number;
}

/** What channels get, and when. */
export function subscriptionList({ isAll, rules, mutes, page }: SubscriptionList): Message {
  const count = rules.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
  const digests = rules.reduce((sum, rule) => sum + rule.digests.length, 0);
  const quiet = rules.filter((rule) => rule.quiet !== null).length;
  const where = isAll ? 'All channels' : 'This channel';
  const quietIn = isAll ? `quiet hours in ${countOf(quiet, 'channel')}` : 'quiet hours';
  const parts = [
    count === 0 ? 'no subscriptions' : countOf(count, 'subscription'),
    digests === 0 ? 'no digests' : countOf(digests, 'digest'),
    quiet === 0 ? 'no quiet hours' : quietIn,
    mutes === 0 ? 'no mutes' : countOf(mutes, 'mute'),
  ];
  const shown = pageOf(
    rules.flatMap((rule) => sectionsOf(rule, isAll)),
    page,
  );
  return {
    text: sentence(`${where}: ${parts.join(', ')}.`),
    blocks: [
      header(isAll ? 'What channels get' : 'What this channel gets'),
      ...shown.shown,
      ...context(
        pageWords(shown, `subscriptions${isAll ? ' all' : ''}`),
        mutes === 0 ? null : `${countOf(mutes, 'mute')}: ${commandCode('mutes')}`,
        isAll ? null : `For every channel: ${commandCode('subscriptions all')}`,
      ),
    ],
  };
}

/** @param isElsewhere says how its digests are ended from here: nobody can type in an archived channel. */
function sectionsOf(rule: ChannelRules, isElsewhere: boolean): SectionBlock[] {
  const { channel, byDefault, subscriptions, digests, quiet } = rule;
  const day = '{date_short_pretty}';
  const lines = [
    `*${channelMention(channel)}*`,
    byDefault.length === 0 ? '' : `By configuration: ${byDefault.join(', ')}`,
    ...subscriptions.map(
      ({ number, filter, by, at }) =>
        `${number}. ${escapeUntrusted(filter, 150)}, by ${mention(by)}${dateAfter(',', at, day)}`,
    ),
    subscriptions.length === 0 ? 'No subscriptions' : '',
    ...digests.map(
      ({ by, at, ...when }) => `Digest ${scheduleInWords(when)}, by ${mention(by)}${dateAfter(',', at, day)}`,
    ),
    isElsewhere && digests.length > 0 ? `To end its digests: ${commandCode(`digest off ${channel}`)}` : '',
    quiet === null
      ? ''
      : `Quiet ${escapeUntrusted(quiet.words, 100)}${quiet.except === null ? '' : `, except ${escapeUntrusted(quiet.except, 150)}`}, by ${mention(quiet.by)}${dateAfter(',', quiet.at, day)}`,
  ];
  return inSections(lines, LINES);
}
