import { serviceTime } from '../core/installation.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** They look like the formatting characters but have no effect. */
const lookalikes: Readonly<Record<string, string>> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' };

/** Characters that control the direction of text or are invisible: marks, embeddings, overrides, isolates, tags. */
const unseen =
  /[\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}\p{Cs}]/gu;

const controls = /[\p{Cc}\u2028\u2029]+/gu;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** What is changed on its way to mrkdwn. Most names, places and times have none of it, and are not looked through for each. */
const special = /[^ -~]|[*~`_@&<>]|:[^:]*:/;

/** Keeps digits after right-to-left text from joining it. */
const LEFT_TO_RIGHT_MARK = '\u200E';

const ZERO_WIDTH_SPACE = '\u200B';

/** Without characters that nobody sees: what was copied may have some in it. */
export function visible(text: string): string {
  return text.replace(unseen, '');
}

/** Foreign text on one line, without lone surrogates, control characters and direction controls. */
function clean(text: string): string {
  const shown = visible(text).replace(controls, ' ').trim();
  return rightToLeft.test(shown) ? shown + LEFT_TO_RIGHT_MARK : shown;
}

/**
 * Foreign text (names, merchants, the service's words) for mrkdwn: it is shown as it is and has no effect.
 *
 * `& < >` become entities, as Slack asks. Formatting characters become lookalikes, because Slack has no escape for them,
 * and a zero-width space next to one is a word boundary, which would turn the formatting on. An underscore inside a word
 * stays, so that an id can be copied. A zero-width space breaks `:emoji:` names and `@channel`; times of day are neither
 * and stay, so that `22:00-07:00` can be copied.
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

/** Foreign text for a plain_text object, which needs no escaping; mentions are broken all the same. */
export function plain(text: string): string {
  return clean(text)
    .replace(/<(?=[!@#])/g, `<${ZERO_WIDTH_SPACE}`)
    .replace(/@(?=channel|here|everyone)/gi, `@${ZERO_WIDTH_SPACE}`);
}

/** Cuts with `…`, never inside a character, an entity (`&amp;`) or one of Slack's tokens (`<@U1>`). */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const [token] of text.matchAll(/&(?:amp|lt|gt);|<[^<>]*>|[\s\S]/gu)) {
    if (kept.length + token.length > max - 1) break;
    kept += token;
  }
  return `${kept.trimEnd()}…`;
}

/** A link with a label, both possibly foreign. Of an address that is not https only the label is shown. */
export function link(url: string, label: string): string {
  const text = escapeMrkdwn(label).replaceAll('|', '¦');
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return text;
  return `<${new URL(url).href.replaceAll('|', '%7C').replaceAll('&', '&amp;')}|${text}>`;
}

/** Longer than any id of Slack's. */
const ID_MAX = 32;

/** Names a Slack user or user group. Anything that is no such id shows as text. */
export function mention(id: string): string {
  if (/^S[A-Z0-9]{1,30}$/.test(id)) return `<!subteam^${id}>`;
  return /^[UW][A-Z0-9]{1,30}$/.test(id) ? `<@${id}>` : truncate(escapeMrkdwn(id), ID_MAX);
}

/** People whom one message names. */
const NAMED_MAX = 20;

/**
 * `@ana, @ops`: users and user groups, the first twenty and how many more there are.
 *
 * @param conjunction before the last one: `@ana or @ops`. A list without one addresses them.
 */
export function mentions(ids: readonly string[], conjunction?: 'and' | 'or'): string {
  const named = ids.slice(0, NAMED_MAX).map(mention);
  const more = ids.length - NAMED_MAX;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  if (conjunction === undefined || named.length < 2) return named.join(', ');
  return `${named.slice(0, -1).join(', ')} ${conjunction} ${named.at(-1)}`;
}

/** Names a Slack channel. */
export function channelMention(channelId: string): string {
  return /^[CGD][A-Z0-9]{1,30}$/.test(channelId) ? `<#${channelId}>` : truncate(escapeMrkdwn(channelId), ID_MAX);
}

/**
 * A time in the reader's own zone; what cannot show it shows the card service's.
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

/**
 * `until tomorrow at 12:00 AM`: a time behind words, for the middle of a sentence. Slack begins "Today" and "Tomorrow" with
 * a capital where a date token begins with them, so the words stand in the token.
 *
 * @param words ours: they are not escaped.
 */
export function dateAfter(words: string, instant: string, format = '{date_short_pretty} at {time}'): string {
  return dateToken(instant, `${words} ${format}`, `${words} ${serviceTime(instant)}`);
}
