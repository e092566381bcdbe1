import { expect, it } from 'vitest';
import { whyFailed } from '../../../bin/recover/why-failed.ts';
import { BusyError, CardApiError, StoreUnavailableError } from '../../../src/core/errors.ts';

const details = { operation: 'x', status: 503, outcome: 'refused', code: 'unavailable' } as const;

it.each([
  [
    new BusyError('the lock was not free in time'),
    'Another recovery is running. The ops channel shows how far it is.',
    1,
  ],
  [new StoreUnavailableError('redis is nearly full'), 'Not complete: Redis is nearly full.', 69],
  [
    new CardApiError('refused', { ...details, apiMessage: 'Come back later.' }),
    'Not complete: refused: Come back later.',
    1,
  ],
  [new CardApiError('refused', { ...details, apiMessage: null }), 'Not complete: refused.', 1],
  [
    new CardApiError('refused', { ...details, status: 401, code: 'token_dead', apiMessage: 'Unknown token.' }),
    expect.stringMatching(/^Not complete: refused: Unknown token\. Create a new token and set CARD_API_TOKEN/),
    1,
  ],
])('says why a recovery is not complete: %s', (error, why, code) => {
  expect(whyFailed(error)).toEqual({ why, code });
});

it('throws what was not expected', () => {
  expect(() => whyFailed(new Error('a bug'))).toThrow('a bug');
});
