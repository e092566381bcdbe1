import { expect, it } from 'vitest';
import { runWithAlerts } from '../../../src/alerts/run-with-alerts.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const alertKey = (id: string): string => `{cardbell:state}:alert:${id}`;

it('declares the existing alerts only if the script asks for more, and again if one was added meanwhile', async () => {
  await redis().hset('owners', 'a', '1');
  const runs: (readonly string[])[] = [];
  const script = {
    async run(keys: readonly string[]) {
      runs.push(keys);
      if (runs.length > 2) return 'joined';
      if (runs.length > 1) await redis().hset('owners', 'b', '1');
      return '';
    },
  };

  expect(
    await runWithAlerts({ redis: redis(), script, keys: ['first', 'owners'], owners: 'owners', own: 'x' }, []),
  ).toBe('joined');

  expect(runs).toEqual([
    ['first', 'owners', alertKey('x')],
    ['first', 'owners', alertKey('x'), alertKey('a')],
    ['first', 'owners', alertKey('x'), alertKey('a'), alertKey('b')],
  ]);
});

it('returns null if the script returns nothing', async () => {
  const script = { run: async () => null };

  expect(await runWithAlerts({ redis: redis(), script, keys: [], owners: 'owners', own: 'x' }, [])).toBeNull();
});
