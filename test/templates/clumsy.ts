import { texts } from './shown.ts';

/** Badly joined texts: an empty part, a double full stop or space, or a wrong plural. */
const clumsy = new RegExp(
  [
    /(?<!\.)\.\.(?!\.)/, // has ended..
    /[.!?] {2,}\S/, // days.  Case
    /[:,;·] ?\.(?:\s|$)/, // card ending 7670: .
    /[(“] ?[)”]/, // in ()
    /\s[,;:](?:\s|$)|,\s*,|^\s*[,·]|[,·]\s*$/m,
    /(?<![\d.,]|of )\b1 (?:alerts|limits|declines|cards|requests|events|purchases|orders|mutes|subscriptions|warnings|attempts|minutes|hours|days|pages|rows|people|approvals|others|raises|records)\b/,
    /(?<![\d.,])\b(?:0|[2-9]|[1-9]\d+) (?:alert|limit|decline|card|request|event|purchase|order|mute|subscription|warning|attempt|minute|hour|day|approval)\b(?! (?:order|alert|list|number|limit|testing))/,
    /\ba \$8|\bto to\b|\bof of\b|\bby by\b|\bthe the\b|ˋ|undefined|NaN|\bnull\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);

/** The first clumsy part of a text, or null. */
export const clumsyIn = (text: string): string | null => clumsy.exec(text)?.[0] ?? null;

/** The readable texts sent to Slack that have a clumsy part. */
export function clumsyTexts(sent: unknown): { readonly text: string; readonly clumsy: string }[] {
  return readable(sent).flatMap((text) => {
    const found = clumsyIn(text);
    return found === null ? [] : [{ text, clumsy: found }];
  });
}

/** Parts of rich text are not separate sentences. */
const readable = (sent: unknown): string[] =>
  texts(sent)
    .filter(({ type }) => type === 'mrkdwn' || type === 'plain_text')
    .map(({ text }) => text);
