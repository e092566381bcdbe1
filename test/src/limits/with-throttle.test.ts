import { expect, it } from 'vitest';
import { withThrottle } from '../../../src/limits/with-throttle.ts';

it('limits the rate of lookups, and reports no remedy at once beyond it', async () => {
  let clock = 0;
  let calls = 0;
  const look = async (): Promise<string | null> => {
    calls += 1;
    return 'remedy';
  };
  const paced = withThrottle(look, null as string | null, { perMinute: 2, atOnce: 9 }, () => clock);

  expect([await paced(1), await paced(2), await paced(3)]).toEqual(['remedy', 'remedy', null]);
  clock = 30_000;
  expect([await paced(4), await paced(5)]).toEqual(['remedy', null]);
  expect(calls).toBe(3);
});

it('never waits for hanging lookups, and resumes when they end', async () => {
  let end: (remedy: string) => void = () => {};
  const paced = withThrottle(() => new Promise<string | null>((resolve) => (end = resolve)), null, {
    perMinute: 9,
    atOnce: 1,
  });
  const hanging = paced(1);

  expect(await paced(2)).toBeNull();
  end('late');
  expect(await hanging).toBe('late');
  const next = paced(3);
  end('remedy');
  expect(await next).toBe('remedy');
});

it('counts each finished lookup once', async () => {
  const ends: (() => void)[] = [];
  const throttled = withThrottle(
    () => new Promise<string | null>((resolve) => ends.push(() => resolve('remedy'))),
    null,
    {
      perMinute: 99,
      atOnce: 2,
    },
  );
  const first = throttled(1);
  ends[0]?.();
  await first;
  const running = [throttled(2), throttled(3)];

  expect(await throttled(4)).toBeNull();
  for (const end of ends) end();
  expect(await Promise.all(running)).toEqual(['remedy', 'remedy']);
});
