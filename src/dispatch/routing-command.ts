import { readDuration } from '../core/duration.ts';
import { readCountry } from '../core/merchant-category.ts';

/** Verbs about what a place gets: what is typed after them is read by whoever does it. */
export const channelVerbs = ['subscribe', 'unsubscribe', 'subscriptions', 'quiet', 'mutes', 'why'] as const;
type ChannelVerb = (typeof channelVerbs)[number];

/** Verbs about a card and what people hear of it. */
export const notificationVerbs = ['mute', 'unmute', 'travel', 'declines', 'track'] as const;
type NotificationVerb = (typeof notificationVerbs)[number];

/** What somebody wants to hear, or not to hear. */
export type RoutingCommand =
  | { readonly verb: ChannelVerb; readonly text: string }
  | {
      readonly verb: NotificationVerb;
      readonly words: readonly string[];
      /** Until when, which countries, since when: read where the time and the zone are known. */
      readonly details: string;
    }
  | { readonly verb: 'unclear'; readonly why: string; readonly usage: string };

const usages: Readonly<Record<ChannelVerb | NotificationVerb, string>> = {
  subscribe: '/card subscribe KIND [filters], for instance /card subscribe declines over 500 and not country US',
  unsubscribe: '/card unsubscribe [number | KIND | all]',
  subscriptions: '/card subscriptions [all]',
  quiet: '/card quiet 22:00-07:00 [Europe/Berlin] [weekdays] [except KIND …], or /card quiet off',
  mutes: '/card mutes',
  why: '/card why evt_… | MESSAGE LINK | CARD',
  mute: '/card mute CARD DURATION [reason], for instance /card mute 4242 3 days trade show',
  unmute: '/card unmute CARD',
  travel: '/card travel CARD COUNTRY[, COUNTRY] until DATE [reason]',
  declines: '/card declines CARD [7d]',
  track: '/card track CARD',
};

const needsText: ReadonlySet<string> = new Set(['subscribe', 'quiet', 'why']);

/** An event's id, or what *Copy link* on a message gives. */
const eventRef = /evt_[0-9a-hjkmnp-tv-z]{16}|\/archives\/([CDG][A-Z0-9]+)\/p(\d{10})(\d{6})/;

/**
 * Reads `why` with an event's id or a link to a message, as it was typed: sixteen digits of a link may look like a card
 * number. A message becomes `C0123 1700000000.000100`. Null for anything else.
 */
export function parseWhy(text: string): RoutingCommand | null {
  const [, said = ''] = /^\s*why\s+(.*)$/is.exec(text) ?? [];
  const [id, channel, seconds, rest] = eventRef.exec(said) ?? [];
  if (id === undefined) return null;
  return { verb: 'why', text: channel === undefined ? id : `${channel} ${seconds}.${rest}` };
}

/** Reads the verbs of this file; null for any other. Pure. */
export function parseRoutingCommand(verb: string, words: readonly string[]): RoutingCommand | null {
  const place = channelVerbs.find((one) => one === verb);
  if (place !== undefined) {
    if (words.length === 0 && needsText.has(place)) return unclear(place, whyMissing[place] ?? '');
    return { verb: place, text: words.join(' ') };
  }
  const hear = notificationVerbs.find((one) => one === verb);
  if (hear === undefined) return null;
  if (words.length === 0) return unclear(hear, `Which card do you mean?`);
  if (hear === 'mute') return parseMute(words);
  if (hear === 'travel') return parseTravel(words);
  if (hear === 'declines') {
    const at = words.findIndex((word, index) => index > 0 && (/^for$/i.test(word) || isDurationAt(words, index)));
    if (at !== -1) return { verb: hear, words: words.slice(0, at), details: words.slice(at).join(' ') };
  }
  return { verb: hear, words, details: '' };
}

const whyMissing: Readonly<Partial<Record<ChannelVerb, string>>> = {
  subscribe: 'What should this channel get?',
  quiet: 'From when to when should this channel be quiet?',
  why: 'Which alert do you mean?',
};

function unclear(verb: ChannelVerb | NotificationVerb, why: string): RoutingCommand {
  return { verb: 'unclear', why, usage: usages[verb] };
}

/** `for` and `until` may stand before it. A name comes first, so that nobody called "2 Days" is cut in two. */
function parseMute(words: readonly string[]): RoutingCommand {
  const at = words.findIndex((word, index) => index > 0 && (/^(for|until)$/i.test(word) || isDurationAt(words, index)));
  if (at === -1) return unclear('mute', 'For how long? A mute always ends.');
  return { verb: 'mute', words: words.slice(0, at), details: words.slice(at).join(' ') };
}

/** `4242 Spain, France until May 9 conference`: the countries are as many of the words before "until" as name some. */
function parseTravel(words: readonly string[]): RoutingCommand {
  const until = words.findIndex((word, index) => index > 0 && /^(until|till|for)$/i.test(word));
  if (until === -1) return unclear('travel', 'Until when? A travel notice always ends.');
  const before = words.slice(0, until);
  for (let at = 1; at < before.length; at += 1) {
    const named = before
      .slice(at)
      .join(' ')
      .replace(/^(?:to|in)\s/i, '');
    const countries = named
      .split(/\s*,\s*/)
      .filter((part) => part !== '')
      .map(readCountry);
    if (countries.length > 0 && countries.every((country) => country !== undefined)) {
      const details = [countries.join(','), ...words.slice(until)].join(' ');
      return { verb: 'travel', words: before.slice(0, at), details };
    }
  }
  return unclear(
    'travel',
    `I find no country in “${before.join(' ').slice(0, 60)}”. Write its name or its code, such as Spain or ES.`,
  );
}

function isDurationAt(words: readonly string[], index: number): boolean {
  return readDuration(words.slice(index)) !== null;
}
