import { expect, it, vi } from 'vitest';
import { ALERT_TTL_SECONDS } from '../../../src/alerts/alert.ts';
import { createFraudCases } from '../../../src/alerts/fraud-case-store.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('keeps one open case per account, which a second report joins', async () => {
  const cases = createFraudCases(redis());

  const first = { caseId: 'evt_case1', alertId: 'evt_a' };
  expect(await cases.open(1, 'evt_case1', 'evt_a')).toEqual(first);
  expect(await cases.open(1, 'evt_case2', 'evt_b')).toEqual(first);

  expect(await cases.openOf(1)).toBe('evt_case1');
  expect(await cases.ofAlert('evt_b')).toBe('evt_case1');
  expect(await cases.openOf(2)).toBeNull();
});

it('keeps a case for as long after the last report as after the first', async () => {
  const cases = createFraudCases(redis());
  await cases.open(1, 'evt_case1', 'evt_a');
  await redis().expire(stateKey('fraud-case:1'), 60);

  await cases.open(1, 'evt_case2', 'evt_b');
  expect(await redis().ttl(stateKey('fraud-case:1'))).toBe(ALERT_TTL_SECONDS);
});

it('is not kept longer by a report that is handled again', async () => {
  const cases = createFraudCases(redis());
  await cases.open(1, 'evt_case1', 'evt_a');
  await redis().expire(stateKey('fraud-case:1'), 60);

  await cases.open(1, 'evt_case1', 'evt_a');
  expect(await redis().ttl(stateKey('fraud-case:1'))).toBeLessThanOrEqual(60);
});

it('opens another case once the first is closed, and leaves it open if the first is closed again', async () => {
  const cases = createFraudCases(redis());
  await cases.open(1, 'evt_case1', 'evt_a');
  await cases.close(1, 'evt_case1');

  expect(await cases.openOf(1)).toBeNull();
  expect(await cases.open(1, 'evt_case2', 'evt_b')).toEqual({ caseId: 'evt_case2', alertId: 'evt_b' });

  await cases.close(1, 'evt_case1');

  expect(await cases.openOf(1)).toBe('evt_case2');
});

it('leaves a case open that another report opened while an earlier one was being closed', async () => {
  const client = redis();
  const cases = createFraudCases(client);
  await cases.open(1, 'evt_case1', 'evt_a');
  const mget = client.mget.bind(client);
  const opensAnother = vi.spyOn(client, 'mget').mockImplementationOnce(async (...keys: unknown[]) => {
    const before = await mget(keys[0] as string[]);
    await client.del(stateKey('fraud-case:1'));
    await cases.open(1, 'evt_case2', 'evt_b');
    return before;
  });

  await cases.close(1, 'evt_case1');

  opensAnother.mockRestore();
  expect(await cases.openOf(1)).toBe('evt_case2');
});
