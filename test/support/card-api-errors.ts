import { CardApiError } from '../../src/core/errors.ts';

type Details = ConstructorParameters<typeof CardApiError>[1];

/** The card service did not answer, so nobody knows whether the change was made. */
export function unanswered(over: Partial<Details> = {}): CardApiError {
  const details: Details = {
    operation: 'write',
    status: null,
    outcome: 'unknown',
    code: 'unavailable',
    apiMessage: null,
  };
  return new CardApiError('unavailable', { ...details, ...over });
}

/** The card service refused the call, in these words. */
export function refusal(apiMessage: string | null = 'No.', over: Partial<Details> = {}): CardApiError {
  const details: Details = { operation: 'write', status: 400, outcome: 'refused', code: 'refused', apiMessage };
  return new CardApiError('refused', { ...details, ...over });
}
