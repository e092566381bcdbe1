import { serviceTime, serviceZone } from '../core/installation.ts';
import { localDate } from '../core/service-time.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Characters that look like the formatting characters but have no effect. */
const lookalikes: Readonly<Record<string, string>> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' };

/** Invisible characters and those that control text direction: marks, embeddings, overrides, isolates, tags. */
const unseen =
  /[\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\p{Cs}]/gu;

const controls = /[\p{Cc}\u2028\u2029]+/gu;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Anything that escaping would change. Most names, places and times have none of it, so one test saves the separate
 * steps.
 */
const special = /[^ -~]|[*~`_@&<>]|:[^:]*:/;

/** Keeps digits after right-to-left text from joining it. */
const LEFT_TO_RIGHT_MARK = '\u200E';

const ZERO_WIDTH_SPACE = '\u200B';

/** Removes invisible characters, which copied text may contain. */
export function visible(text: string): string {
  return text.replace(unseen, '');
}

/** Foreign text on one line, without lone surrogates, control characters and direction controls. */
function clean(text: string): string {
  const shown = visible(text).replace(controls, ' ').trim();
  return rightToLeft.test(shown) ? shown + LEFT_TO_RIGHT_MARK : shown;
}

/**
 * Foreign text (names, merchants, the service's words) for mrkdwn: shown as it is, without any effect.
 *
 * `& < >` become entities, as Slack requires. Formatting characters become lookalikes: Slack has no escape for them,
 * and a zero-width space next to one is a word boundary, which would turn the formatting on. An underscore inside a
 * word stays, so that ids can be copied. A zero-width space breaks `:emoji:` names and `@channel`. Times of day are
 * neither and stay, so that `22:00-07:00` can be copied.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function escapeMrkdwn(text: string): string {
  if (!special.test(text)) return text.trim();
  return clean(text)
    .replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (mark) => lookalikes[mark] ?? '')
    .replace(/:(?=[\w+'-]+:)(?!(?<=\d:)[0-5]\d\b)/g, `:${ZERO_WIDTH_SPACE}`)
    .replace(/@(?=channel|here|everyone)/gi, `@${ZERO_WIDTH_SPACE}`)
    .replace(/^>/, `${ZERO_WIDTH_SPACE}>`)
    .replace(/[&<>]/g, (mark) => entities[mark] ?? '');
}

/** Foreign text for a plain_text object. It needs no escaping, but mentions are still broken. */
export function plain(text: string): string {
  return clean(text)
    .replace(/<(?=[!@#])/g, `<${ZERO_WIDTH_SPACE}`)
    .replace(/@(?=channel|here|everyone)/gi, `@${ZERO_WIDTH_SPACE}`);
}

/** Truncates with `…`, never inside a character, an entity (`&amp;`) or a Slack token (`<@U1>`). */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const [token] of text.matchAll(/&(?:amp|lt|gt);|<[^<>]*>|[\s\S]/gu)) {
    if (kept.length + token.length > max - 1) break;
    kept += token;
  }
  return `${kept.trimEnd()}…`;
}

/** A link with a label, both possibly foreign. If the address is not https, shows only the label. */
export function link(url: string, label: string): string {
  const text = escapeMrkdwn(label).replaceAll('|', '¦');
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return text;
  return `<${new URL(url).href.replaceAll('|', '%7C').replaceAll('&', '&amp;')}|${text}>`;
}

/** Longer than any Slack id. */
const ID_MAX = 32;

/** Mentions a Slack user or user group. Anything else is shown as text. */
export function mention(id: string): string {
  if (/^S[A-Z0-9]{1,30}$/.test(id)) return `<!subteam^${id}>`;
  return /^[UW][A-Z0-9]{1,30}$/.test(id) ? `<@${id}>` : truncate(escapeMrkdwn(id), ID_MAX);
}

/**
 * The id of the person whom typed text mentions, as Slack writes it: `<@U0123>`, also before a comma, and in `<@U0123>'s
 * card`. Null: nobody, or more than that.
 */
export function mentioned(text: string): string | null {
  return /^<@([UW][A-Z0-9]{1,30})>(?:['’]s(?: card)?)?[,.;:!]?$/.exec(text)?.[1] ?? null;
}

/** Escaped text in which people stay mentioned, because nobody knows them by their ids. */
export function withMentions(escaped: string): string {
  return escaped.replaceAll(/&lt;@([UW][A-Z0-9]{1,30})&gt;/g, '<@$1>');
}

/** Maximum number of people mentioned in one message. */
const NAMED_MAX = 20;

/**
 * `@ana, @ops`: users and user groups; the first twenty, then how many more.
 *
 * @param conjunction before the last one: `@ana or @ops`. A list without one addresses the people directly.
 */
export function mentions(ids: readonly string[], conjunction?: 'and' | 'or'): string {
  const named = ids.slice(0, NAMED_MAX).map(mention);
  const more = ids.length - NAMED_MAX;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  if (conjunction === undefined || named.length < 2) return named.join(', ');
  return `${named.slice(0, -1).join(', ')} ${conjunction} ${named.at(-1)}`;
}

/** `#alerts`; `a direct message`, for which Slack has no mention. */
export function channelMention(channelId: string): string {
  if (channelId.startsWith('D')) return 'a direct message';
  return /^[CG][A-Z0-9]{1,30}$/.test(channelId) ? `<#${channelId}>` : truncate(escapeMrkdwn(channelId), ID_MAX);
}

/**
 * A time in the reader's own zone. Clients that cannot show it show the card service's time.
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
export function dateToken(
  instant: string,
  format = '{date_short_pretty} at {time}',
  fallback = serviceTime(instant),
): string {
  const seconds = Math.floor(new Date(instant).getTime() / 1000);
  if (Number.isNaN(seconds)) return escapeMrkdwn(fallback);
  return `<!date^${seconds}^${format}|${escapeMrkdwn(fallback).replaceAll('|', '¦')}>`;
}

/** `10:48 AM`; with the day, if it is another one than that of `near` in the card service's zone. */
export function timeToken(instant: string, near: string): string {
  const [day, nearDay] = [instant, near].map((at) => localDate(new Date(at), serviceZone().name));
  return dateToken(instant, day === nearDay ? '{time}' : '{time} on {date_short}');
}

/**
 * `until tomorrow at 12:00 AM`: words and a time, for the middle of a sentence. Slack capitalizes "Today" and
 * "Tomorrow" at the start of a date token, so the words go inside the token.
 *
 * @param words our own text, not escaped.
 */
export function dateAfter(words: string, instant: string, format = '{date_short_pretty} at {time}'): string {
  return dateToken(instant, `${words} ${format}`, `${words} ${serviceTime(instant)}`);
}
