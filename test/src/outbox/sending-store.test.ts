import { describe, expect, it } from 'vitest';
import { outboxKey } from '../../../src/core/keys.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertEntry as alert, claimed } from '../../support/outbox-entries.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

it('lets one worker claim entries, and blocks all other claims until that one is resolved', async () => {
  const outbox = createOutbox(redis());
  for (const id of ['a', 'b', 'c']) await outbox.put('C1', alert(id));

  const claims = await Promise.all([['a', 'b'], ['a'], ['c']].map((ids) => outbox.claim('C1', ids, null)));

  expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
  const { unresolved, waiting } = await outbox.look('C1', 100);
  expect(waiting).toEqual([]);
  expect(unresolved?.entries.map(({ id }) => id)).toEqual(claims.find((claim) => claim !== null)?.entryIds);
});

it('refuses to claim an entry that no longer exists', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  await outbox.put('C1', alert('b'));
  await outbox.markSent('C1', await claimed(outbox, ['a']), '1.0');

  expect(await outbox.claim('C1', ['a', 'b'], null)).toBeNull();
  expect(await outbox.claim('C1', ['b'], null)).not.toBeNull();
});

it('a requeued entry waits again, and a removed entry may be added again', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  const first = await claimed(outbox, ['a']);
  await outbox.requeue('C1', first, 7);
  expect(await outbox.waiting('C1')).toBe(1);
  expect((await outbox.look('C1', 1)).waiting).toMatchObject([{ entry: { id: 'a' }, most: 7 }]);

  await claimed(outbox, ['a']);
  await outbox.remove('C1', 'a');

  expect(await outbox.waiting('C1')).toBe(0);
  expect(await outbox.put('C1', alert('a'))).toBe(true);
  expect((await outbox.look('C1', 1)).waiting).toMatchObject([{ most: null }]);
});

it('knows until when the next message should be posted, also while it is in flight, and not that of a held one', async () => {
  const outbox = createOutbox(redis());
  const before = Date.now();
  await outbox.put('C1', alert('held', { notBefore: before + 3_600_000 }));
  expect(await outbox.dueAt('C1')).toBeNull();
  await outbox.put('C1', alert('a', { priority: 'decline' }));
  await outbox.put('C1', alert('b', { priority: 'spend' }));

  const sending = await claimed(outbox, ['a']);

  const dueAt = await outbox.dueAt('C1');
  expect(dueAt).toBeGreaterThanOrEqual(before + 4000);
  expect(dueAt).toBeLessThanOrEqual(Date.now() + 4000);
  await outbox.markSent('C1', sending, '1.0');
  expect(await outbox.dueAt('C1')).toBeGreaterThanOrEqual(before + 30_000);
});

it('resolving a message that is not in flight changes nothing', async () => {
  const outbox = createOutbox(redis());
  await outbox.put('C1', alert('a'));
  const sending = await claimed(outbox, ['a']);

  await outbox.markSent('C1', { ...sending, ref: 'm_other' }, '1.0');

  expect((await outbox.look('C1', 1)).unresolved).not.toBeNull();
});

describe('a message that was not found after an attempt to post it', () => {
  it('is claimed again as the same message, whatever arrived since', async () => {
    const outbox = createOutbox(redis());
    for (const id of ['a', 'b']) await outbox.put('C1', alert(id));
    const first = await claimed(outbox, ['a', 'b']);
    await outbox.put('C1', alert('c', { priority: 'fraud' }));

    await outbox.keepUnsent('C1', first);

    const { unresolved } = await outbox.look('C1', 9);
    expect(unresolved).toMatchObject({ sending: { ref: first.ref, isUnsent: true } });
    expect(unresolved?.entries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(await outbox.claim('C1', ['c'], null), 'nothing else goes before it').toBeNull();
    expect(await claimed(outbox, ['a', 'b'])).toMatchObject({ ref: first.ref, attempt: 2, isUnsent: false });
  });

  it('is marked as sent if an earlier attempt turns out to be posted, but an earlier attempt cannot requeue it', async () => {
    const outbox = createOutbox(redis());
    await outbox.put('C1', alert('a'));
    const first = await claimed(outbox, ['a']);
    await outbox.keepUnsent('C1', first);
    await claimed(outbox, ['a']);

    await outbox.requeue('C1', first);
    await outbox.keepUnsent('C1', first);
    expect((await outbox.look('C1', 9)).unresolved, 'the second attempt is in flight').toMatchObject({
      sending: { attempt: 2, isUnsent: false },
    });

    await outbox.markSent('C1', first, '1.0');
    expect(await outbox.sentAt('C1', ['a'])).toEqual(['1.0']);
    expect(await outbox.waiting('C1')).toBe(0);
  });

  it('has the same reference in a Redis that has forgotten it, and a different one in each channel', async () => {
    const outbox = createOutbox(redis());
    for (const channel of ['C1', 'C2']) for (const id of ['a', 'b']) await outbox.put(channel, alert(id));
    const { ref } = await claimed(outbox, ['a', 'b']);
    await redis().del(outboxKey('C1', 'sending'));

    expect((await claimed(outbox, ['b', 'a'])).ref).toBe(ref);
    expect((await claimed(outbox, ['a', 'b'], 'C2')).ref).not.toBe(ref);
  });

  it('remains the same message when one of its entries has left it', async () => {
    const outbox = createOutbox(redis());
    for (const id of ['a', 'b']) await outbox.put('C1', alert(id));
    const first = await claimed(outbox, ['a', 'b']);
    await outbox.keepUnsent('C1', first);
    await outbox.remove('C1', 'a');

    expect(await claimed(outbox, ['b'])).toMatchObject({ ref: first.ref, attempt: 2 });
  });

  it('loses the entries that another message turns out to have posted', async () => {
    const outbox = createOutbox(redis());
    for (const id of ['a', 'b']) await outbox.put('C1', alert(id));
    const first = await claimed(outbox, ['a', 'b']);
    await outbox.markSent('C1', { ...first, ref: 'm_half', entryIds: ['a'] }, '1.0');
    await outbox.keepUnsent('C1', first);

    const { unresolved } = await outbox.look('C1', 9);
    expect(unresolved?.sending.entryIds).toEqual(['b']);
    const second = await claimed(outbox, ['b']);
    expect(second).toMatchObject({ ref: first.ref, attempt: 2 });

    await outbox.keepUnsent('C1', second);
    await outbox.markSent('C1', { ...first, ref: 'm_rest', entryIds: ['b'] }, '2.0');
    expect(await outbox.look('C1', 9)).toMatchObject({ unresolved: null, waiting: [] });
  });

  it('is searched for from its first attempt on, by Slack’s clock', async () => {
    const outbox = createOutbox(redis());
    await outbox.put('C1', alert('a'));
    const first = await outbox.claim('C1', ['a'], 1_000_000);
    if (first === null) throw new Error('nothing to claim');
    await outbox.keepUnsent('C1', first);

    expect(await outbox.claim('C1', ['a'], 2_000_000)).toMatchObject({ slackMs: 1_000_000 });
  });
});

describe('a long queue', () => {
  const ids = Array.from({ length: 150 }, (_, index) => `e${index}`);
  const entriesKey = outboxKey('C1', 'entries');

  it('is read once while it is collected, and new entries are read when they arrive', async () => {
    const outbox = createOutbox(redis());
    await Promise.all(ids.map((id) => outbox.put('C1', alert(id))));
    expect((await outbox.look('C1', 1000)).waiting).toHaveLength(150);
    await redis().hdel(entriesKey, ...ids.slice(1));
    await outbox.put('C1', alert('new'));

    const { waiting } = await outbox.look('C1', 1000);

    expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual([...ids, 'new'].toSorted());
  });

  it('shows an entry that left and came back as it is now', async () => {
    const outbox = createOutbox(redis());
    await Promise.all(ids.map((id) => outbox.put('C1', alert(id))));
    await outbox.look('C1', 1000);
    const [position] = await redis().zmscore(outboxKey('C1', 'queue'), 'e7');
    await outbox.remove('C1', 'e7');
    await until(async () => {
      await outbox.remove('C1', 'e7');
      await outbox.put('C1', { ...alert('e7'), late: true });
      return (await redis().zmscore(outboxKey('C1', 'queue'), 'e7'))[0] !== position;
    }, 'it is back at another position');

    const { waiting } = await outbox.look('C1', 1000);

    expect(waiting.find(({ entry }) => entry.id === 'e7')?.entry).toMatchObject({ late: true });
  });

  it('does not show an entry that another worker has posted', async () => {
    const [outbox, other] = [createOutbox(redis()), createOutbox(redis())];
    await Promise.all(ids.map((id) => outbox.put('C1', alert(id))));
    await outbox.look('C1', 1000);
    await other.markSent('C1', await claimed(other, ['e3']), '1.0');

    const { waiting } = await outbox.look('C1', 1000);

    expect(waiting.map(({ entry }) => entry.id)).not.toContain('e3');
    expect(waiting).toHaveLength(149);
  });
});
