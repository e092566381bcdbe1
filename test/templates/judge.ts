import fc from 'fast-check';
import { expect } from 'vitest';
import { DEFAULT_COMMAND, slashCommand } from '../../src/core/installation.ts';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { charactersIn, checkBlocks } from '../../workspace/block-limits.ts';
import { expectVisible } from './copyable.ts';
import { texts } from './shown.ts';

/** Our own tokens. Everything else in angle brackets came from outside. */
const ownTokens =
  /<#[CGD][A-Z0-9]+>|<!subteam\^S[A-Z0-9]+>|<@[UW][A-Z0-9]+>|<!date\^\d+\^[^|<>]+\|[^<>]*>|<https:\/\/[^|<>\s]+\|[^<>]*>/g;

/** The ways in which outside text escaped, in words. Empty if none. */
export function leaks(text: string): string[] {
  // The quotes around a command are ours.
  const rest = text.replaceAll(ownTokens, '').replaceAll(/`(\/(?:card|pay) [^`]*)`/g, '($1)');
  return [
    ...(/[<>]/.test(rest) ? ['an angle bracket'] : []),
    ...(/&(?!amp;|lt;|gt;)/.test(rest) ? ['a bare ampersand'] : []),
    ...(/[*~`_]FOREIGN|FOREIGN[*~`_]/.test(rest) ? ['formatting'] : []),
    ...(/[\u202A-\u202E\u2066-\u2069\p{Cs}]/u.test(rest) ? ['a direction override or half a surrogate pair'] : []),
    ...(/@(?:channel|here|everyone)/i.test(rest) ? ['a mention of everyone'] : []),
  ];
}

/** Expects that Slack accepts the message, and that its text has no side effects. */
export function expectFit({ text, blocks }: Message): void {
  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
  expect(leaks(text)).toEqual([]);
  if (slashCommand() !== DEFAULT_COMMAND) expect(text).not.toMatch(otherNames);
  expectSafe(blocks);
}

/** Expects that the text of these blocks has no side effects. */
export function expectSafe(blocks: unknown): void {
  expect(charactersIn(blocks)).toBeLessThan(MESSAGE_SIZE_MAX);
  expectPlain(blocks);
}

/** Names that appear only with the default configuration. */
const otherNames = /\/card\b|\bET\b|Eastern/;

/** The same for a modal, which may be larger than a message. */
export function expectPlain(blocks: unknown): void {
  for (const { type, text } of texts(blocks)) {
    if (slashCommand() !== DEFAULT_COMMAND) expect(text).not.toMatch(otherNames);
    if (type === 'mrkdwn') {
      expect(leaks(text)).toEqual([]);
      expectVisible(text);
    } else expect(text).not.toMatch(/<[!@#]|[\u202A-\u202E\u2066-\u2069\p{Cs}\n]/u);
  }
}

/** Strings that try to break out, flood, reverse the direction or mention everyone. */
export const spiteful = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 200, maxLength: 400 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '<!channel>',
      '<@U0123>',
      '<https://evil.example|Click>',
      'a *FOREIGN* _FOREIGN_ ~FOREIGN~ `FOREIGN` ```FOREIGN``` b',
      '>quote\n>>>quote',
      '@channel @here :tada:',
      '&lt;!here&gt;&amp;',
      '\u202Eturned\u2066',
      '\uD83D',
      'שלום عليكم 12',
      '👩‍👩‍👧‍👦'.repeat(400),
      '&'.repeat(6000),
      '<'.repeat(6000),
      'x'.repeat(6000),
      'word '.repeat(3000),
    ),
  },
);
