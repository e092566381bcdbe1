import { expect, it } from 'vitest';
import { createOutbox, type OutboxEntry } from '../../../src/store/outbox.ts';
import { settled, until } from '../../support/until.ts';
import { useRedis } from './on-redis.ts';

const redis = useRedis();
const alert = (id: string): OutboxEntry => ({
  kind: 'alert',
  id,
  alertId: id,
  audience: 'team',
  threadId: null,
  broadcast: false,
});

it('keeps each entry once, while it waits and after it was posted', async () => {
  const outbox = createOutbox(redis());
  expect(await outbox.put('C1', alert('a'))).toBe(true);
  expect(await outbox.put('C1', alert('a'))).toBe(false);
  const claim = await outbox.claim('C1', 1);
  if (claim.state !== 'claimed') throw new Error('nothing to claim');
  expect(await outbox.put('C1', alert('a'))).toBe(false);

  await outbox.settleSent('C1', claim.sending.ref, '1.0');

  expect(await outbox.put('C1', alert('a'))).toBe(false);
  expect(await outbox.put('C2', alert('a'))).toBe(true);
  expect(await outbox.claim('C1', 1)).toEqual({ state: 'empty' });
});

it('gives the oldest first, and nothing else until that is settled', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('b'));
  await settled(3);
  await outbox.put('C1', alert('a'));

  const claims = await Promise.all([outbox.claim('C1', 1), outbox.claim('C1', 1), outbox.claim('C1', 1)]);

  expect(claims.map(({ state }) => state).toSorted()).toEqual(['claimed', 'unsettled', 'unsettled']);
  for (const claim of claims) expect(claim).toMatchObject({ sending: { entryIds: ['b'] }, entries: [alert('b')] });
});

it('unsent, an entry waits again; dropped, it is gone and may come back later', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  const first = await outbox.claim('C1', 1);
  if (first.state === 'empty') throw new Error('nothing to claim');
  await outbox.settleUnsent('C1', first.sending.ref);
  expect(await outbox.waiting('C1')).toBe(1);

  const second = await outbox.claim('C1', 1);
  if (second.state === 'empty') throw new Error('nothing to claim');
  expect(second.sending.ref).not.toBe(first.sending.ref);
  await outbox.settleDropped('C1', second.sending.ref);

  expect(await outbox.waiting('C1')).toBe(0);
  expect(await outbox.put('C1', alert('a'))).toBe(true);
});

it('settling something else than what is on its way changes nothing', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  await outbox.claim('C1', 1);

  await outbox.settleSent('C1', 'm_other', '1.0');

  expect((await outbox.claim('C1', 1)).state).toBe('unsettled');
});

it('a pause runs out, and a claim ages, by Redis’ clock', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  await outbox.claim('C1', 1);
  await outbox.pauseFor('C1', 200);

  expect(await outbox.pauseLeft('C1')).toBeGreaterThan(0);
  await until(async () => (await outbox.pauseLeft('C1')) === 0, 'the pause is over');
  const claim = await outbox.claim('C1', 1);

  expect(claim).toMatchObject({ state: 'unsettled', ageMs: expect.any(Number) });
  if (claim.state === 'unsettled') expect(claim.ageMs).toBeGreaterThanOrEqual(150);
});
