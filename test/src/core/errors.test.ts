import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  CardApiError,
  type CardApiErrorDetails,
  ConfigError,
  ForgedError,
  isFaultOfOurs,
  SlackError,
  UnreadableError,
} from '../../../src/core/errors.ts';

const cardApiError = (code: CardApiErrorDetails['code']): CardApiError =>
  new CardApiError('failed', { operation: 'ping', status: null, outcome: 'refused', code, apiMessage: null });

it.each<[CardApiErrorDetails['code'], boolean]>([
  ['refused', false],
  ['token_dead', false],
  ['bad_answer', false],
  ['rate_limited', true],
  ['unavailable', true],
  ['server_error', true],
  ['timeout', true],
])('a card API error %s is retryable: %s', (code, retryable) => {
  expect(cardApiError(code).retryable).toBe(retryable);
});

it('treats only a rate limit and an unknown outcome of Slack as retryable', () => {
  const codes = ['rate_limited', 'unknown', 'refused', 'channel_unusable', 'app_refused'] as const;

  expect(codes.filter((code) => new SlackError('chat.update', code, 'x').retryable)).toEqual([
    'rate_limited',
    'unknown',
  ]);
});

it('lists every problem of a configuration error on a separate line', () => {
  expect(new ConfigError(['A: expected a', 'B: expected b']).message).toMatch(
    /\n {2}- A: expected a\n {2}- B: expected b$/,
  );
});

it('counts stored data that does not parse as our own fault, but not a service that is down', () => {
  const ofSchema = z.string().safeParse(1).error;
  const ours = [ofSchema, new SyntaxError('x'), new TypeError('x'), new UnreadableError('x'), new ForgedError()];

  expect(ours.filter((error) => !isFaultOfOurs(error))).toEqual([]);
  expect([cardApiError('timeout'), new Error('x')].map(isFaultOfOurs)).toEqual([false, false]);
});
