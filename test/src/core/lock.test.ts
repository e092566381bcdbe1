import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError, TooLateError } from '../../../src/core/errors.ts';
import { createLock } from '../../../src/core/lock.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('lets in one holder at a time, across processes', async () => {
  const locks = [createLock(redis()), createLock(redis())];
  let inside = 0;
  let most = 0;

  const numbers = Array.from({ length: 12 }, (_, i) => i);
  const done = await Promise.all(
    numbers.map((i) =>
      locks[i % 2]?.('account:1', async () => {
        inside += 1;
        most = Math.max(most, inside);
        await sleep(5);
        inside -= 1;
        return i;
      }),
    ),
  );

  expect(most).toBe(1);
  expect(done).toEqual(numbers);
});

it('does not make different names wait for each other', async () => {
  const withLock = createLock(redis());

  const inner = await withLock('account:1', () => withLock('account:2', async () => 'inside'));

  expect(inner).toBe('inside');
});

it('is released after failed work', async () => {
  const withLock = createLock(redis());
  await expect(withLock('recovery', () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await withLock('recovery', async () => 'free')).toBe('free');
});

it('throws if it is held for too long', async () => {
  const impatient = createLock(redis(), { maxWaitMs: 100 });

  await createLock(redis())('recovery', async () => {
    await expect(impatient('recovery', async () => {})).rejects.toThrow(StoreUnavailableError);
  });
});

it('does not release a lock that someone else holds by now', async () => {
  const withLock = createLock(redis());
  const key = '{cardbell:state}:lock:recovery';

  await withLock('recovery', async () => {
    await redis().set(key, 'somebody else');
  });

  expect(await redis().get(key)).toBe('somebody else');
});

describe('a holder that asks whether it may write', () => {
  it('may while it holds the lock', async () => {
    await createLock(redis())('recovery', async (lease) => {
      await lease.confirm();
    });
  });

  it.each([
    ['someone else holds it by now', () => redis().set('{cardbell:state}:lock:recovery', 'somebody else')],
    ['it expired while the process stalled', () => redis().del('{cardbell:state}:lock:recovery')],
  ])('may not write if %s, and logs so', async (_what, meanwhile) => {
    const warned: object[] = [];
    const withLock = createLock(redis(), { log: { warn: (fields: object) => void warned.push(fields) } });

    await withLock('recovery', async (lease) => {
      await meanwhile();
      await expect(lease.confirm()).rejects.toThrow(TooLateError);
      await expect(lease.confirm()).rejects.toThrow(TooLateError);
    });

    expect(warned).toEqual([{ lock: 'recovery' }]);
  });
});
