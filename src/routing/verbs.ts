import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import {
  aboutCard,
  aboutChannel,
  type ReadCommand,
  readCard,
  readChannelText,
  type UnclearCommand,
  type VerbEntry,
} from '../actions/verb.ts';
import { bare } from '../core/duration.ts';
import { type Clock, isPlainlyTime } from '../core/end-time.ts';
import { continuesName } from '../limits/read-limit.ts';
import { upTo } from '../limits/read-term.ts';
import { countriesIn, notCountries } from './read-countries.ts';

/** The end and the countries as typed. They are parsed later, when the time and the time zone are known. */
const details = { details: z.string() };
export const MuteAction = actionOf('mute', target.card, details);
const TravelAction = actionOf('travel', target.card, details);
export type MuteAction = z.infer<typeof MuteAction> | z.infer<typeof TravelAction>;

/** For verbs about what a channel gets. The words after the verb are parsed when the action is performed. */
const ChannelAction = <V extends string>(verb: V) => actionOf(verb, target.channel, {});
export type ChannelAction = z.infer<ReturnType<typeof ChannelAction>>;
/** The requested page of a list: the number at the end. */
export function pageIn({ target }: ChannelAction): number {
  return Number(/\b(\d{1,3})\s*$/.exec(target.text)?.[1] ?? 1);
}

export const AlertLengthAction = actionOf('alerts', target.channel, { isLong: z.boolean() });
export type AlertLengthAction = z.infer<typeof AlertLengthAction>;
/** About one alert; or about the latest alert of a card, once the user has said which card they mean. */
export const WhyAction = actionOf('why', z.discriminatedUnion('kind', [target.channel, target.card]), {});
export type WhyAction = z.infer<typeof WhyAction>;

export const quietUsage = 'quiet 22:00-07:00 [Europe/Berlin] [weekdays] [except KIND …] | off';
export const unsubscribeUsage = 'unsubscribe [number | KIND | all]';
export const subscribeUsage = {
  usage: 'subscribe KIND [filters]',
  example: 'subscribe declines over 500 and not country US',
} as const;

export const routingVerbs = {
  why: {
    action: WhyAction,
    permission: { role: 'operator', doing: 'see how an alert was routed' },
    refusedTo: 'see how an alert was routed for',
    alsoCalled: ['explain', 'trace'],
    isLook: true,
    recordsLooks: true,
    command: {
      usage: 'why EVENT',
      example: 'why evt_0h3k7m2p9q4r8s5t',
      effect: 'shows how an alert was routed; takes an event id, a link to the message, or a card for its latest alert',
      read: needsText('why', 'Which alert do you mean?', 'why evt_… | MESSAGE LINK | CARD'),
    },
  },
  subscribe: {
    action: ChannelAction('subscribe'),
    permission: { role: 'approver', ofAllCards: true, doing: 'decide what a channel gets' },
    refusedTo: 'subscribe a channel',
    alsoCalled: ['follow', 'watch', 'add'],
    command: {
      usage: subscribeUsage.usage,
      example: 'subscribe declines over 500 and not (country US or group "Field Ops")',
      effect:
        'adds alerts to this channel; the answer says how many it would have posted in the last 30 days, or that the channel gets them anyway',
      read: needsText('subscribe', 'What should this channel get?', subscribeUsage.usage, subscribeUsage.example),
    },
  },
  unsubscribe: {
    action: ChannelAction('unsubscribe'),
    permission: { role: 'approver', ofAllCards: true, doing: 'decide what a channel gets' },
    refusedTo: 'end a subscription',
    alsoCalled: ['unfollow', 'remove'],
    command: {
      usage: unsubscribeUsage,
      example: 'unsubscribe 3',
      effect: 'ends subscriptions of the channel where it is typed, or the one with that number in any channel',
      read: readChannelText('unsubscribe'),
    },
  },
  subscriptions: {
    action: ChannelAction('subscriptions'),
    permission: { role: 'approver', doing: 'see what channels get' },
    refusedTo: 'see subscriptions',
    alsoCalled: ['filters'],
    isLook: true,
    command: {
      usage: 'subscriptions [all] [page]',
      example: 'subscriptions',
      effect: 'lists what this channel gets, and its quiet hours; “all” lists every channel',
      read: readChannelText('subscriptions'),
    },
  },
  quiet: {
    action: ChannelAction('quiet'),
    permission: { role: 'approver', ofAllCards: true, doing: 'set quiet hours' },
    refusedTo: 'set quiet hours',
    alsoCalled: ['dnd'],
    command: {
      usage: 'quiet HOURS [ZONE] [DAYS] [except KIND …]',
      example: 'quiet 22:00-07:00 Europe/Berlin weekdays except declines over 500',
      effect: 'holds this channel’s alerts and posts them together afterwards; “off” ends it',
      read: needsText('quiet', 'From when to when should this channel be quiet?', quietUsage),
    },
  },
  alerts: {
    action: AlertLengthAction,
    permission: { role: 'approver', ofAllCards: true, doing: 'decide how a channel’s alerts look' },
    refusedTo: 'change how alerts look',
    command: {
      usage: 'alerts long|short',
      example: 'alerts long',
      effect: 'shows alerts in this channel in full, or as three lines with Details',
      read(words) {
        const [form = ''] = words.map((word) => word.toLowerCase());
        if (words.length !== 1 || (form !== 'long' && form !== 'short'))
          return unclear('alerts long|short', 'Long or short?');
        return aboutChannel('alerts', [form], { isLong: form === 'long' });
      },
    },
  },
  mutes: {
    action: ChannelAction('mutes'),
    permission: { role: 'operator', doing: 'see mutes' },
    refusedTo: 'see mutes',
    isLook: true,
    command: {
      usage: 'mutes [page]',
      example: 'mutes',
      effect: 'lists every mute: who set it, and when it ends',
      read: readChannelText('mutes'),
    },
  },
  mute: {
    action: MuteAction,
    permission: {
      role: 'operator',
      doing: 'mute cards',
      notOwnCard: { why: 'You can’t mute your own card.' },
      operatorsUpTo: { ms: 24 * 3_600_000, why: 'Only approvers may mute a card for more than 24 hours.' },
      restricts: 'alerts',
    },
    refusedTo: 'mute',
    alsoCalled: ['silence', 'snooze'],
    isOfCard: true,
    isOfAccount: true,
    command: {
      usage: 'mute CARD DURATION [reason]',
      example: 'mute 4242 8h trade show',
      effect:
        'keeps its alerts out of the channels, up to 24 hours (approvers: longer); suspected fraud is still posted',
      read: readMute,
    },
  },
  unmute: {
    action: actionOf('unmute', target.card, {}),
    permission: { role: 'operator', doing: 'end mutes', restricts: 'alerts' },
    refusedTo: 'unmute',
    alsoCalled: ['unsilence', 'unsnooze'],
    isOfCard: true,
    command: {
      usage: 'unmute CARD',
      example: 'unmute 4242',
      effect: 'ends its mutes now',
      read: readCard('unmute', 'unmute CARD', 'Which card do you mean?'),
    },
  },
  travel: {
    action: TravelAction,
    permission: {
      role: 'operator',
      doing: 'hide the declines of a trip',
      notOwnCard: { why: 'You can’t set a travel mute for your own card.' },
      restricts: 'alerts',
    },
    refusedTo: 'set a travel mute for',
    alsoCalled: ['trip', 'traveling', 'travelling'],
    isOfCard: true,
    isOfAccount: true,
    command: {
      usage: 'travel-mute CARD COUNTRY[, COUNTRY] until DATE [reason]',
      example: 'travel-mute 4242 Spain, PT until friday',
      effect:
        'hides the declines that a trip explains from the channels: they go only to you and the cardholder. It does not allow purchases abroad',
      alias: 'travel',
      read: readTravel,
    },
  },
} as const satisfies Record<string, VerbEntry>;

function needsText(verb: string, why: string, usage: string, example?: string) {
  const read = readChannelText(verb);
  return (typed: readonly string[], clock: Clock): ReadCommand | UnclearCommand => {
    // `subscribe to declines`
    const words = /^to$/i.test(typed[0] ?? '') ? typed.slice(1) : typed;
    return words.length === 0 ? unclear(usage, why, example) : read(words, clock);
  };
}

/** The id of an event or of a webhook in quarantine, or the link from *Copy link* on a message. */
const eventRef =
  /(?:[Ee][Vv][Tt]|(?<![\p{L}\d])[Qq])_[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{16}|\/archives\/([CDG][A-Z0-9]+)\/p(\d{10})(\d{6})/u;

/**
 * Parses `why` with an event id or a message link. Reads the text as typed, because the sixteen digits of a link may look
 * like a card number. A message becomes `C0123 1700000000.000100`. Null for anything else.
 */
export function readWhy(text: string): ReadCommand | null {
  const [, ref = ''] = /^\s*why\s+(.*)$/is.exec(text) ?? [];
  const [id, channel, seconds, rest] = eventRef.exec(ref) ?? [];
  if (id === undefined) return null;
  return aboutChannel('why', [channel === undefined ? id.toLowerCase() : `${channel} ${seconds}.${rest}`]);
}

function unclear(usage: string, why: string, example?: string): UnclearCommand {
  return { kind: 'unclear', why, usage, ...(example !== undefined && { example }) };
}

/** The duration may follow `for` or `until`. The card comes first, so that a holder named "2 Days" is not cut in two. */
function readMute(words: readonly string[], clock: Clock): ReadCommand | UnclearCommand {
  const { usage, example } = routingVerbs.mute.command;
  if (words.length === 0) return unclear(usage, 'Which card do you mean?', example);
  const at = words.findIndex((_, index) => index > 0 && beginsTime(words.slice(index), clock));
  if (at === -1) return unclear(usage, 'For how long? A mute always has an end.', example);
  const card = words.slice(0, Math.max(1, upTo(words, at, continuesName).length));
  return aboutCard('mute', card, { details: words.slice(at).join(' ') });
}

/** `Jane Eom` is a name. */
const beginning = /^(?:[Ff]or|FOR|eo[dwm]|EO[DWM]|(?:the )?(?:end|rest) of)(?= |$)/;

function beginsTime(words: readonly string[], clock: Clock): boolean {
  const plain = words.map(bare);
  return beginning.test(plain.join(' ')) || isPlainlyTime(plain, clock);
}

/** `4242 Spain, France until May 9 conference`, also behind `travel mute`. */
function readTravel(typed: readonly string[], clock: Clock): ReadCommand | UnclearCommand {
  const { usage } = routingVerbs.travel.command;
  const words = /^mute$/i.test(typed[0] ?? '') ? typed.slice(1) : typed;
  if (words.length === 0) return unclear(usage, 'Which card do you mean?');
  const timeFrom = (from: number): number =>
    words.findIndex((_, index) => index >= from && beginsTime(words.slice(index), clock));
  const first = timeFrom(1);
  // `4242 for Spain until friday`: “for” leads to a time only if it stands behind the country.
  const isForCountry = /^for$/i.test(words[first] ?? '') && tripIn(upTo(words, first)) === null;
  const until = isForCountry ? timeFrom(first + 1) : first;
  if (until === -1) return unclear(usage, 'Until when? A travel mute always has an end.');
  const before = upTo(words, until);
  const trip = tripIn(before);
  if (trip === null)
    return unclear(usage, `${notCountries(before.slice(1))} Write a name or a code, such as Spain or ES.`);
  return aboutCard('travel', trip.card, { details: [trip.countries.join(','), ...words.slice(until)].join(' ') });
}

/** The card and the longest run of words behind it that names only countries. */
function tripIn(words: readonly string[]): { card: readonly string[]; countries: readonly string[] } | null {
  for (let at = 1; at < words.length; at += 1) {
    const named = words
      .slice(at)
      .join(' ')
      .replace(/^(?:to|in|for)\s/i, '');
    const countries = countriesIn(named);
    if (countries !== null) return { card: words.slice(0, at), countries };
  }
  return null;
}
