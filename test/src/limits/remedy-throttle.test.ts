import { expect, it } from 'vitest';
import { withThrottle } from '../../../src/limits/remedy-throttle.ts';

it('looks for remedies within its pace, and beyond it says at once that none is known', async () => {
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

it('never waits behind look-ups that hang, and goes on when they end', async () => {
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
