import { describe, expect, it } from 'vitest';
import { laterMs } from '../../../src/app/run-later.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';

const rateLimited = (retryAfterMs?: number) =>
  new CardApiError('slower', {
    operation: 'putSpendRules',
    status: 429,
    outcome: 'refused',
    code: 'rate_limited',
    apiMessage: null,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe('a job that could do nothing runs again without using up an attempt', () => {
  it.each([
    ['soon, where its process came too late', new TooLateError('the lock is lost'), 1000],
    ['when the card service says so', rateLimited(30_000), 30_000],
    ['some seconds later, where the card service does not say when', rateLimited(), 6000],
    ['a moment later, where the card service says at once', rateLimited(0), 500],
  ])('%s', (_what, error, ms) => {
    expect(laterMs(error, 0)).toBe(ms);
  });
});

describe('a failure counts', () => {
  it.each([
    ['where something else is wrong', new Error('redis is full'), 0],
    ['where it has gone on for minutes', new TooLateError('the lock is lost'), 4 * 60_000],
  ])('%s', (_what, error, ageMs) => {
    expect(laterMs(error, ageMs)).toBeNull();
  });
});
