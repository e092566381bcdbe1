import { expect, it } from 'vitest';
import { alertIdInFraudValue, fraudValue, readTestedCardValue, testedCardValue } from '../../../src/alerts/alert.ts';

it('distinguishes the value of It wasn’t me from the value of a button that only blocks', () => {
  expect(alertIdInFraudValue(fraudValue('evt_1'))).toBe('evt_1');
  expect(alertIdInFraudValue('evt_1')).toBeNull();
});

it('encodes a warning and one of its cards in one value', () => {
  expect(readTestedCardValue(testedCardValue('evt_w', { alertId: 'evt_a' }))).toEqual({
    warningId: 'evt_w',
    alertId: 'evt_a',
  });
});
