import { expect, it } from 'vitest';
import { createFailureCauses } from '../../../src/ops/failure-causes.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const failure = (why: string, jobId = '1') => ({ what: 'alerts/deliver-alert', why, jobId });

async function reported(): Promise<string[]> {
  const issues: string[] = [];
  await createFailureCauses(redis()).report(async ({ what, ref }) => void issues.push(`${ref}: ${what}`));
  return issues.toSorted();
}

it('reports a cause however many jobs fail for another one, each once', async () => {
  const causes = createFailureCauses(redis());
  await causes.note(failure('card 4111111111111111 is gone\nat line 7', 'first'));
  for (let number = 0; number < 150; number += 1) await causes.note(failure(`cannot read field ${number}`));

  const issues = await reported();

  expect(issues).toHaveLength(2);
  expect(issues[0]).toContain('1: Every attempt failed. The last failure: cannot read field 0');
  expect(issues[1]).toMatch(/^first: .* card \[card ••1111\] is gone$/);
  expect(await reported()).toEqual([]);
});

it('keeps no card number', async () => {
  await createFailureCauses(redis()).note(failure('card 4111111111111111 is gone'));

  expect(JSON.stringify(await redis().hgetall('{cardbell:state}:failure-causes'))).not.toContain('4111111111111111');
});

it('reports many causes over several runs', async () => {
  const causes = createFailureCauses(redis());
  const letters = 'abcdefghijklmnop';
  for (const one of letters) for (const other of letters) await causes.note(failure(`no ${one}${other}`));

  const runs = [await reported(), await reported(), await reported(), await reported()];

  expect(runs.map(({ length }) => length)).toEqual([100, 100, 56, 0]);
  expect(new Set(runs.flat()).size).toBe(256);
});

it('keeps a cause until ops are notified', async () => {
  const causes = createFailureCauses(redis());
  await causes.note(failure('no room'));

  await expect(causes.report(async () => Promise.reject(new Error('Redis went away')))).rejects.toThrow();

  expect(await reported()).toHaveLength(1);
});
