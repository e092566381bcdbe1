import { describe, expect, it } from 'vitest';
import { outboxKey } from '../../../src/core/keys.ts';
import {
  channelsKey,
  createNoteChannel,
  createOutbox,
  type Outbox,
  wakingOutbox,
} from '../../../src/outbox/outbox-store.ts';
import { heldIn } from '../../support/held-entries.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertEntry as alert, claimed } from '../../support/outbox-entries.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

async function order(outbox: Outbox): Promise<string[]> {
  return (await outbox.look('C1', 100)).waiting.map(({ entry }) => entry.id);
}

it('stores each entry once, while it waits and after it was posted', async () => {
  const outbox = createOutbox(redis());
  expect(await outbox.put('C1', alert('a'))).toBe(true);
  expect(await outbox.put('C1', alert('a'))).toBe(false);
  const ref = await claimed(outbox, ['a']);
  expect(await outbox.put('C1', alert('a'))).toBe(false);

  await outbox.markSent('C1', ref, '1.0');

  expect(await outbox.put('C1', alert('a'))).toBe(false);
  expect(await outbox.put('C2', alert('a'))).toBe(true);
  expect(await order(outbox)).toEqual([]);
});

it('wakes the channel of each entry, also of one that is stored already', async () => {
  const woken: string[] = [];
  const outbox = wakingOutbox(createOutbox(redis()), async (channel) => void woken.push(channel));

  expect(await outbox.put('C1', alert('a'))).toBe(true);
  expect(await outbox.put('C1', alert('a'))).toBe(false);

  expect(woken).toEqual(['C1', 'C1']);
});

it('stores a batch of entries the same way as single ones', async () => {
  const outbox = createOutbox(redis());
  const later = Date.now() + 60_000;
  await outbox.put('C1', alert('held', { notBefore: later }));

  const put = [alert('a'), alert('b'), alert('a'), alert('held'), alert('c', { notBefore: later })];
  const answers = await Promise.all([...put.map((entry) => outbox.put('C1', entry)), outbox.put('C2', alert('a'))]);

  expect(answers).toEqual([true, true, false, true, true, true]);
  expect((await order(outbox)).toSorted()).toEqual(['a', 'b', 'held']);
  expect((await heldIn(redis(), 'C1')).map(({ entry, untilMs }) => [entry.id, untilMs])).toEqual([['c', later]]);
  expect((await outbox.look('C2', 100)).waiting.map(({ entry }) => entry.id)).toEqual(['a']);
});

/** Pretends that the entry arrived that much earlier. */
async function age(id: string, ms: number): Promise<void> {
  await redis().zincrby(outboxKey('C1', 'queue'), -ms, id);
}

it('sends urgent entries first, unless others have waited long enough', async () => {
  const outbox = createOutbox(redis());
  for (const priority of ['spend', 'shipping', 'decline', 'fraud'] as const)
    await outbox.put('C1', alert(priority, { priority }));
  await outbox.put('C1', alert('old spend', { priority: 'spend' }));
  await age('old spend', 29_000);

  expect(await order(outbox)).toEqual(['fraud', 'old spend', 'decline', 'shipping', 'spend']);
});

it('holds entries until their time, then releases them all', async () => {
  const outbox = createOutbox(redis());
  const soon = Date.now() + 60_000;
  await outbox.put('C1', alert('a', { notBefore: soon }));
  await outbox.put('C1', alert('b', { notBefore: soon + 1 }));
  await outbox.put('C1', alert('c', { notBefore: soon + 1_200_000 }));
  const before = await outbox.look('C1', 9);
  expect(before).toMatchObject({ unresolved: null, waiting: [] });
  expect(before.heldForMs).toBeLessThanOrEqual(60_000);
  expect(await outbox.put('C1', alert('b', { notBefore: soon }))).toBe(false);

  // The test does not wait for the time: a slow machine may need longer for the lines above.
  for (const id of ['a', 'b']) await redis().zincrby(outboxKey('C1', 'held'), -60_001, id);
  expect(await outbox.waiting('C1')).toBe(2);

  const { waiting, heldForMs } = await outbox.look('C1', 9);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(['a', 'b']);
  expect(heldForMs).toBeGreaterThan(600_000);
});

it('releases an entry that is added again without a time, and all entries when the quiet hours are removed', async () => {
  const outbox = createOutbox(redis());
  const notBefore = Date.now() + 600_000;
  for (const id of ['a', 'b', 'c']) await outbox.put('C1', alert(id, { notBefore }));

  await outbox.put('C1', alert('b', { priority: 'decline' }));
  expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { id: 'b', notBefore: null } }]);
  await outbox.put('C1', alert('b', { notBefore }));
  expect(await order(outbox)).toEqual(['b']);

  expect(await outbox.holdUntil('C1', 0)).toBe(2);
  const { waiting, heldForMs } = await outbox.look('C1', 9);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(['a', 'b', 'c']);
  expect(waiting.find(({ entry }) => entry.id === 'c')?.entry).toMatchObject({ notBefore });
  expect(heldForMs).toBeNull();
});

/** Pretends that Redis's clock was set back, so that all stored times are later: negative, that it was set forward. */
async function setClockBack(ms: number): Promise<void> {
  const key = (name: string): string => outboxKey('C1', name);
  for (const id of await redis().zrange(key('queue'), '0', '-1')) await redis().zincrby(key('queue'), ms, id);
  const paused = await redis().get(key('paused'));
  if (paused !== null)
    await redis().set(
      key('paused'),
      paused.replace(/^\d+/, (at) => String(Number(at) + ms)),
    );
  const sending = JSON.parse((await redis().get(key('sending'))) ?? 'null') as { startedAt: number } | null;
  if (sending === null) return;
  await redis().set(key('sending'), JSON.stringify({ ...sending, startedAt: sending.startedAt + ms }));
}

it('a pause ends, and a claim ages, by the clock of Redis', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  await claimed(outbox, ['a']);
  await outbox.pauseFor('C1', 60_000);
  expect(await outbox.pauseLeft('C1')).toBeGreaterThan(0);

  await setClockBack(-60_000);

  expect(await outbox.pauseLeft('C1')).toBe(0);
  expect((await outbox.look('C1', 1)).unresolved?.ageMs).toBeGreaterThanOrEqual(60_000);
});

describe('when the clock of Redis is set back by five minutes', () => {
  const FIVE_MINUTES = 300_000;

  it('a pause lasts no longer than intended', async () => {
    const outbox = createOutbox(redis());
    await outbox.pauseFor('C1', 100);

    await setClockBack(FIVE_MINUTES);

    expect(await outbox.pauseLeft('C1')).toBeLessThanOrEqual(100);
    await until(async () => (await outbox.pauseLeft('C1')) === 0, 'the pause is over', 5_000);
  });

  it('waiting entries still age, and later ones do not overtake them', async () => {
    const outbox = createOutbox(redis());
    await outbox.put('C1', alert('a'));
    await setClockBack(FIVE_MINUTES);
    const ageOf = async () => (await outbox.look('C1', 9)).waiting[0]?.ageMs ?? 0;
    await ageOf();

    await until(async () => (await ageOf()) > 50, 'the entry ages', 5_000);
    await outbox.put('C1', alert('b'));

    expect(await order(outbox)).toEqual(['a', 'b']);
  });

  it('the message of a dead sender is taken over after the usual time', async () => {
    const outbox = createOutbox(redis());
    await outbox.put('C1', alert('a'));
    await claimed(outbox, ['a']);
    await setClockBack(FIVE_MINUTES);
    const ageOf = async () => (await outbox.look('C1', 9)).unresolved?.ageMs ?? 0;
    await ageOf();

    await until(async () => (await ageOf()) > 50, 'the claim ages', 5_000);
  });
});

it('reads, claims and resolves a message with more entries than one Redis command takes', async () => {
  const outbox = createOutbox(redis());
  const ids = Array.from({ length: 2500 }, (_, index) => `e${String(index).padStart(4, '0')}`);
  await Promise.all(ids.map((id) => outbox.put('C1', alert(id))));

  const { waiting } = await outbox.look('C1', 5000);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(ids);
  const sending = await claimed(outbox, ids);
  expect((await outbox.look('C1', 5000)).unresolved?.entries).toHaveLength(ids.length);
  await outbox.markSent('C1', sending, '1.0');

  expect(await outbox.look('C1', 5000)).toMatchObject({ unresolved: null, waiting: [] });
  expect(new Set(await outbox.sentAt('C1', ids))).toEqual(new Set(['1.0']));
});

describe('an entry of a newer version', () => {
  const put = async (entry: { readonly id: string; readonly [field: string]: unknown }): Promise<void> => {
    await createOutbox(redis()).put('C1', alert(entry.id));
    await redis().hset(outboxKey('C1', 'entries'), entry.id, JSON.stringify(entry));
  };

  it('is read, and moves to another channel with the fields that this version does not know', async () => {
    const outbox = createOutbox(redis());
    await put({ ...alert('a'), tint: 'red' });
    const [waiting] = (await outbox.look('C1', 100)).waiting;

    if (waiting !== undefined) await outbox.put('C2', waiting.entry);

    expect(JSON.parse((await redis().hget(outboxKey('C2', 'entries'), 'a')) ?? '')).toMatchObject({ tint: 'red' });
  });

  it('that is unreadable is reported, and does not hide the others', async () => {
    const outbox = createOutbox(redis());
    const poll = { kind: 'poll', id: 'p', question: 'Lunch?' };
    await put(poll);
    await outbox.put('C1', alert('a'));

    const { waiting, unreadable } = await outbox.look('C1', 100);

    expect(waiting.map(({ entry }) => entry.id)).toEqual(['a']);
    expect(unreadable).toEqual([{ id: 'p', entry: poll }]);
    await outbox.remove('C1', 'p');
    expect((await outbox.look('C1', 100)).unreadable).toEqual([]);
  });

  it('that is unreadable leaves the message in flight, whose other entries stay in it', async () => {
    const outbox = createOutbox(redis());
    for (const id of ['a', 'p']) await outbox.put('C1', alert(id));
    await claimed(outbox, ['a', 'p']);
    await put({ kind: 'poll', id: 'p' });

    await outbox.remove('C1', 'p');

    const { unresolved, unreadable } = await outbox.look('C1', 100);
    expect(unreadable).toEqual([]);
    expect(unresolved?.sending.entryIds).toEqual(['a']);
    expect(unresolved?.entries.map(({ id }) => id)).toEqual(['a']);
  });
});

it('notes each channel once, and again after Redis has lost it', async () => {
  const noteChannel = createNoteChannel(redis());
  await Promise.all(['C1', 'C1', 'C2', 'C1'].map(noteChannel));
  expect((await redis().smembers(channelsKey)).toSorted()).toEqual(['C1', 'C2']);
  await redis().flushall();

  await noteChannel('C1');

  expect(await redis().smembers(channelsKey)).toEqual(['C1']);
});

it('shares one write among concurrent callers', async () => {
  const before = /cmdstat_sadd:calls=(\d+)/.exec(await redis().info('commandstats'))?.[1] ?? '0';
  const noteChannel = createNoteChannel(redis());

  await Promise.all(Array.from({ length: 20 }, () => noteChannel('C1')));

  const after = /cmdstat_sadd:calls=(\d+)/.exec(await redis().info('commandstats'))?.[1] ?? '0';
  expect(Number(after) - Number(before)).toBe(1);
});

it('reports a failure, and tries again on the next call', async () => {
  const noteChannel = createNoteChannel(redis());
  await redis().set(channelsKey, 'no set');
  await expect(noteChannel('C1')).rejects.toThrow('WRONGTYPE');
  await redis().del(channelsKey);

  await noteChannel('C1');

  expect(await redis().smembers(channelsKey)).toEqual(['C1']);
});
