import { expect, it } from 'vitest';
import { whyFailed } from '../../../bin/recover/why-failed.ts';
import { BusyError, CardApiError, StoreUnavailableError } from '../../../src/core/errors.ts';

const details = { operation: 'x', status: 503, outcome: 'refused', code: 'unavailable' } as const;

it.each([
  [new BusyError('the lock was not free in time'), 'Another recovery is running. The ops channel shows how far it is.'],
  [new StoreUnavailableError('some cards could not be read'), 'Not complete: some cards could not be read.'],
  [new CardApiError('refused', { ...details, apiMessage: 'Come back later.' }), 'refused: Come back later.'],
  [new CardApiError('refused', { ...details, apiMessage: null }), 'refused'],
  [
    new CardApiError('refused', { ...details, status: 401, code: 'token_dead', apiMessage: 'Unknown token.' }),
    expect.stringMatching(/^Refused: Unknown token\. Create a new token and set CARD_API_TOKEN/),
  ],
])('says why a recovery is not complete: %s', (error, words) => {
  expect(whyFailed(error)).toEqual(words);
});

it('throws what was not expected', () => {
  expect(() => whyFailed(new Error('a bug'))).toThrow('a bug');
});
