import { expect, it } from 'vitest';
import { createRepeatedCheck } from '../../../src/core/repeated-check.ts';
import { until } from '../../support/until.ts';

it('looks again until a look succeeds, and once more if it was asked to meanwhile', async () => {
  const looks: ((isAgain: boolean) => void)[] = [];
  const check = createRepeatedCheck(() => new Promise((resolve) => looks.push(resolve)));
  check.start();
  expect(looks).toHaveLength(1);

  looks[0]?.(true);
  await until(() => looks.length === 2, 'it looks again');
  expect(check.isOutdated()).toBe(false);
  check.start();
  expect([looks.length, check.isOutdated()]).toEqual([2, true]);
  looks[1]?.(false);
  await until(() => looks.length === 3, 'it looks once more');
  looks[2]?.(false);

  await expect(until(() => looks.length > 3, 'a fourth look', 1000)).rejects.toThrow('never happened');
});
