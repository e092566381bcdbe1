import { texts } from './shown.ts';

/** What joins texts wrongly when a part is empty, ends with a full stop, or is about one thing only. */
const clumsy = new RegExp(
  [
    /(?<!\.)\.\.(?!\.)/, // has ended..
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

/** What does not read as a sentence in a text; null when all does. */
export const clumsyIn = (text: string): string | null => clumsy.exec(text)?.[0] ?? null;

/** The texts that people read in what was sent to Slack, and what does not read as a sentence in them. */
export function clumsyTexts(sent: unknown): { readonly text: string; readonly clumsy: string }[] {
  return readable(sent).flatMap((text) => {
    const found = clumsyIn(text);
    return found === null ? [] : [{ text, clumsy: found }];
  });
}

/** Parts of rich text are not sentences of their own. */
const readable = (sent: unknown): string[] =>
  texts(sent)
    .filter(({ type }) => type === 'mrkdwn' || type === 'plain_text')
    .map(({ text }) => text);
