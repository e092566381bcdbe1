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

it('reads the repeats of a single decline, and the range of several', () => {
  const [firstAt, lastAt] = ['2026-11-20T14:00:00Z', '2026-11-20T14:05:00Z'];

  expect(readRepeats(`1 8410 ${firstAt}`)).toEqual({
    count: 1,
    minCents: 8410,
    maxCents: 8410,
    firstAt,
    lastAt: firstAt,
  });
  expect(readRepeats(`+3 100 250 ${firstAt} ${lastAt}`)).toEqual({
    count: 3,
    minCents: 100,
    maxCents: 250,
    firstAt,
    lastAt,
  });
});
