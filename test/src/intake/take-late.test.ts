import { expect, it } from 'vitest';
import { FETCHED_PATH } from '../../../src/core/event.ts';
import { intakeKey } from '../../../src/core/keys.ts';
import { shardOf, shardsOf } from '../../../src/core/shards.ts';
import { createIntake, inboxKeys, seenKey } from '../../../src/intake/intake.ts';
import { createLateIntake } from '../../../src/intake/take-late.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { reread } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { toMissedTransaction } from '../../../src/webhooks/transaction.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read, receivedAt } from '../webhooks/read.ts';

const redis = useRedis();
const event = (NetworkTransactionId: number) => read('decline', { NetworkTransactionId });
const stored = async () =>
  (await redis().xrange(inboxKeys.webhooks, '-', '+')).map(([, [, entry]]) => JSON.parse(entry ?? '') as unknown);
const counted = () => redis().hgetall(intakeKey('recovery:gap_1'));

it('stores unseen events in order, marks them as late and counts them for the gap', async () => {
  const late = createLateIntake(redis(), () => true);

  expect(await late.take('gap_1', [event(1), event(2)])).toBe(2);

  expect(await stored()).toEqual([1, 2].map((id) => ({ type: 'event', event: event(id), isLate: true })));
  expect(await counted()).toEqual({ recovered: '2' });
});

it('adds nothing when the webhook of a recovered event is replayed from quarantine', async () => {
  const zone = 'America/New_York';
  const body = webhook('decline');
  const kept = quarantine(body, { path: 'decline', issues: ['unknown'], version: '2.0.1.3', receivedAt });
  await createLateIntake(redis(), () => true).take('gap_1', [toMissedTransaction(body.Data, { zone, receivedAt })]);

  const replayed = { type: 'event', event: reread(kept, zone), isLate: true } as const;
  expect(await createIntake(redis()).take(replayed)).toBe('seen');

  expect(await stored()).toHaveLength(1);
});

it('stores each event once, however often it is fetched', async () => {
  const late = createLateIntake(redis(), () => true);
  await late.take('gap_1', [event(1)]);

  expect(await late.take('gap_1', [event(1), event(2), event(2)])).toBe(1);

  expect(await stored()).toHaveLength(2);
  expect(await counted()).toEqual({ recovered: '2' });
});

it('counts the statuses of cards also by themselves, over all shards, and each once', async () => {
  const events = Array.from({ length: 20 }, (_, index) => event(index + 1));
  const late = createLateIntake(redis(), () => true, 16);
  await late.take('gap_1', events.slice(0, 5));

  expect(await late.takeStatuses('gap_1', events)).toBe(15);
  expect(await late.takeStatuses('gap_1', events)).toBe(0);

  expect(await createRecoveries(redis(), 16).read('gap_1')).toMatchObject({ recovered: 20, statuses: 15 });
});

it('stores each event in its shard, and counts all of them once for the recovery', async () => {
  const events = Array.from({ length: 60 }, (_, index) => event(index + 1));
  const late = createLateIntake(redis(), () => true, 16);

  expect(await late.take('gap_1', events)).toBe(60);
  expect(await late.take('gap_1', events)).toBe(0);

  for (const shard of shardsOf(16))
    expect(await redis().xlen(intakeKey('webhooks', shard))).toBe(
      events.filter(({ id }) => shardOf(id, 16) === shard).length,
    );
  expect(await createRecoveries(redis(), 16).read('gap_1')).toMatchObject({ recovered: 60, unreadable: 0 });
});

it('stores events again that only the server of their shard has lost, even in a full Redis, and counts each once', async () => {
  const writes: (() => Promise<unknown>)[] = [];
  let hasRoom = true;
  const redo = { remember: (again: () => Promise<unknown>) => void writes.push(again) };
  const late = createLateIntake(redis(), () => hasRoom, 16, redo);
  const events = Array.from({ length: 40 }, (_, index) => event(index + 1));
  const lostShard = shardOf(event(1).id, 16);
  const waiting = () => Promise.all(shardsOf(16).map((shard) => redis().xlen(intakeKey('webhooks', shard))));
  await late.take('gap_1', events);
  const before = await waiting();

  await redis().del(await redis().keys(intakeKey('*', lostShard)));
  hasRoom = false;
  for (const again of writes) await again();

  expect(await waiting()).toEqual(before);
  expect((await createRecoveries(redis(), 16).read('gap_1')).recovered).toBe(40);
});

it('counts apart those of which no webhook is sent, in every shard', async () => {
  const late = createLateIntake(redis(), () => true, 16);

  const [first, second] = [event(1), event(3)];
  await late.take('gap_1', [first, event(2), second, event(4)], (one) => one === first || one === second);

  expect(await createRecoveries(redis(), 16).read('gap_1')).toMatchObject({ recovered: 4, unsent: 2 });
});

it('keeps the count of a recovery for 30 days', async () => {
  await createLateIntake(redis(), () => true).take('gap_1', [event(1)]);

  expect(await redis().ttl(intakeKey('recovery:gap_1'))).toBeGreaterThan(29 * 24 * 3600);
});

it('remembers an unreadable row for 30 days, so that one that was discarded does not come back', async () => {
  const row = quarantine({ a: 1 }, { path: FETCHED_PATH, issues: ['x'], version: undefined, receivedAt });

  await createLateIntake(redis(), () => true).quarantineRows('gap_1', [row]);

  expect(await redis().ttl(seenKey(row.id))).toBeGreaterThan(29 * 24 * 3600);
});

it('stores more than one batch', async () => {
  const events = Array.from({ length: 250 }, (_, index) => event(index + 1));

  expect(await createLateIntake(redis(), () => true).take('gap_1', events)).toBe(250);
  expect(await stored()).toHaveLength(250);
});

it('stores nothing while Redis is full; the recovery continues when there is room', async () => {
  let room = 1;
  const late = createLateIntake(redis(), () => room-- > 0);

  await expect(late.take('gap_1', [event(1), event(2)])).rejects.toThrow('nearly full');
  expect(await stored()).toEqual([]);
  room = 2;

  expect(await late.take('gap_1', [event(1), event(2)])).toBe(2);
});
