import { expect, it } from 'vitest';
import {
  alertIdInFraudValue,
  fraudValue,
  readRepeats,
  readTestedCardValue,
  testedCardValue,
} from '../../../src/alerts/alert.ts';

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

it('knows the sum of repeats', () => {
  expect(readRepeats('1 8410 2026-11-20T14:00:00Z').sumCents).toBe(8410);
  expect(readRepeats('3 1000 1000 2026-11-20T14:00:00Z 2026-11-20T14:05:00Z').sumCents).toBe(3000);
  expect(readRepeats('2 100 250 2026-11-20T14:00:00Z 2026-11-20T14:05:00Z').sumCents).toBe(350);
  expect(readRepeats('3 100 250 2026-11-20T14:00:00Z 2026-11-20T14:05:00Z 550').sumCents).toBe(550);
});
