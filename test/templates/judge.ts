import fc from 'fast-check';
import { expect } from 'vitest';
import { DEFAULT_COMMAND, slashCommand } from '../../src/core/installation.ts';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { charactersIn, checkBlocks } from '../../workspace/block-limits.ts';
import { expectVisible } from './copyable.ts';
import { texts } from './shown.ts';

/** Our own tokens; whatever else stands in angle brackets came from outside. */
const ownTokens =
  /<#[CGD][A-Z0-9]+>|<!subteam\^S[A-Z0-9]+>|<@[UW][A-Z0-9]+>|<!date\^\d+\^[^|<>]+\|[^<>]*>|<https:\/\/[^|<>\s]+\|[^<>]*>/g;

/** What outside text got through, in words; empty when nothing. */
export function leaks(text: string): string[] {
  // The quotes around a command are ours.
  const rest = text.replaceAll(ownTokens, '').replaceAll(/`(\/(?:card|pay) [^`]*)`/g, '($1)');
  return [
    ...(/[<>]/.test(rest) ? ['an angle bracket'] : []),
    ...(/&(?!amp;|lt;|gt;)/.test(rest) ? ['a bare ampersand'] : []),
    ...(/[*~`_]FOREIGN|FOREIGN[*~`_]/.test(rest) ? ['formatting'] : []),
    ...(/[\u202A-\u202E\u2066-\u2069\p{Cs}]/u.test(rest) ? ['a turned direction or half a character'] : []),
    ...(/@(?:channel|here|everyone)/i.test(rest) ? ['a call to everybody'] : []),
  ];
}

/** Slack takes the message, and nothing in it does more than be read. */
export function expectFit({ text, blocks }: Message): void {
  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
  expect(leaks(text)).toEqual([]);
  if (slashCommand() !== DEFAULT_COMMAND) expect(text).not.toMatch(otherNames);
  expectSafe(blocks);
}

/** Nothing in these blocks does more than be read. */
export function expectSafe(blocks: unknown): void {
  expect(charactersIn(blocks)).toBeLessThan(MESSAGE_SIZE_MAX);
  expectPlain(blocks);
}

/** Names that only stand in texts of an installation that has not set its own. */
const otherNames = /\/card\b|\bET\b|Eastern/;

/** The same for a modal, which may hold more than a message. */
export function expectPlain(blocks: unknown): void {
  for (const { type, text } of texts(blocks)) {
    if (slashCommand() !== DEFAULT_COMMAND) expect(text).not.toMatch(otherNames);
    if (type === 'mrkdwn') {
      expect(leaks(text)).toEqual([]);
      expectVisible(text);
    } else expect(text).not.toMatch(/<[!@#]|[\u202A-\u202E\u2066-\u2069\p{Cs}\n]/u);
  }
}

/** Strings that would break out, flood, turn around or mention everybody. */
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
