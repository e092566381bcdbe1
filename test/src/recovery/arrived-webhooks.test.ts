import { expect, it } from 'vitest';
import { FETCHED_PATH } from '../../../src/core/event.ts';
import { createReadArrived, missedIn } from '../../../src/recovery/arrived-webhooks.ts';
import { createQuarantineStore, quarantine } from '../../../src/webhooks/quarantine.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const receivedAt = new Date().toISOString();
const row = (NetworkTransactionId: number, NetworkType = 'Auth') => ({
  NetworkTransactionId,
  NetworkType,
  AcctId: 'x',
});
const keptAside = (body: object, path: string) =>
  quarantine(body, { path, issues: ['AcctId: expected'], version: undefined, receivedAt });

it('knows the webhooks in quarantine again as fetched transactions, readable or not', async () => {
  const store = createQuarantineStore(redis());
  for (let id = 1; id <= 230; id += 1) await store.keep(keptAside({ Data: row(id) }, 'decline'));
  await store.keep(keptAside({ Data: { NetworkType: 'Auth' } }, 'decline'));
  await store.keep(keptAside(row(500), FETCHED_PATH));

  const hasArrived = await createReadArrived(store)();

  const events = [1, 230, 231, 500].map((NetworkTransactionId) => read('decline', { NetworkTransactionId }));
  expect(events.map((event) => event.kind === 'decline' && hasArrived(event))).toEqual([true, true, false, false]);
  const rows = [row(7), row(7, ' auth '), row(7, 'Settlement'), row(500), {}].map((one) =>
    keptAside(one, FETCHED_PATH),
  );
  expect(rows.map(hasArrived)).toEqual([true, true, false, false, false]);
});

it('does not count them as missed', () => {
  expect(missedIn({ recovered: 5, arrived: 2, unreadable: 1 })).toBe(4);
});
