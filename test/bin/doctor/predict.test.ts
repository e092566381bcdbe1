import { expect, it } from 'vitest';
import { predictDrain, predictMemory } from '../../../bin/doctor/predict.ts';

const throttle = { batchMax: 100, postMs: 1000 };
const none = { inbox: 0, queues: 0, outboxes: new Map<string, number>(), lastDay: 0, kept: 0 };
const megabyte = 1_048_576;

it('predicts the drain time from the fullest channel plus everything not routed yet', () => {
  const waits = {
    inbox: 200,
    queues: 50,
    outboxes: new Map([
      ['C1', 10],
      ['C2', 750],
    ]),
  };

  expect(predictDrain(waits, throttle)).toEqual({ fullest: 1000, shortestMs: 10_000, longestMs: 1_000_000 });
  expect(predictDrain(none, throttle)).toEqual({ fullest: 0, shortestMs: 0, longestMs: 0 });
});

it('predicts no shorter time than one worker needs for all events', () => {
  const waits = { ...none, inbox: 900_000, queues: 100_000 };

  expect(predictDrain(waits, { batchMax: 5000, postMs: 1 })).toMatchObject({
    shortestMs: 1_000_000,
    longestMs: 1_000_000,
  });
});

it('predicts that memory grows by the backlog, and levels off when as many events expire as arrive', () => {
  const used = 100 * megabyte;
  const waits = { ...none, inbox: 600, queues: 400, lastDay: 1000, kept: 10_000 };

  expect(predictMemory(waits, { used, max: 1000 * megabyte }, 0.85)).toEqual({
    stored: used + 1000 * 1490,
    level: used + 20_000 * 880,
    limit: 850 * megabyte,
    isTooMuch: false,
  });
});

it.each([
  ['the backlog', { inbox: 5000, lastDay: 0 }],
  ['the daily events', { inbox: 0, lastDay: 5000 }],
])('compares the memory for %s with the level at which webhooks are refused', (_what, waits) => {
  const predicted = predictMemory({ ...none, ...waits }, { used: 80 * megabyte, max: 100 * megabyte }, 0.85);

  expect(predicted?.isTooMuch).toBe(true);
});

it('finds nothing too much without a memory limit, and predicts nothing without a figure', () => {
  expect(predictMemory({ ...none, inbox: 1e9 }, { used: megabyte, max: 0 }, 0.85)).toMatchObject({
    limit: null,
    isTooMuch: false,
  });
  expect(predictMemory(none, { used: 0, max: 0 }, 0.85)).toBeNull();
  expect(predictMemory(none, { used: Number.NaN, max: 0 }, 0.85)).toBeNull();
});
