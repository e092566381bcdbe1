import { describe, expect, it } from 'vitest';
import { outboxKey } from '../../../src/core/keys.ts';
import { createEdits, type Edit, type Edits } from '../../../src/outbox/edit-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const alert = (id: string) => ({ kind: 'alert', id }) as const;
const message = (ts: string) => ({ channel: 'C1', ts });

it('merges four hundred changes in five messages into five edits', async () => {
  const edits = createEdits(redis());

  for (let index = 0; index < 400; index += 1) await edits.ask(message(`${index % 5}.0`), alert(`evt_${index}`));

  expect(await edits.waiting('C1')).toBe(5);
  const first = await edits.next('C1');
  expect(first).toMatchObject({ ts: '0.0' });
  expect(first?.subjects).toHaveLength(80);
});

it('a change during an edit waits its turn behind the other messages', async () => {
  const edits = createEdits(redis());
  await edits.ask(message('1.0'), alert('a'));
  await edits.ask(message('1.0'), alert('b'));
  const edit = await edits.next('C1');
  if (edit === null) throw new Error('nothing to edit');
  await edits.ask(message('2.0'), alert('c'));
  await edits.ask(message('1.0'), alert('b'));
  // Edits requested in the same millisecond have no defined order.
  await new Promise((resolve) => setTimeout(resolve, 3));

  await edits.done('C1', edit);

  const other = await edits.next('C1');
  expect(other).toMatchObject({ ts: '2.0', subjects: [alert('c')] });
  if (other !== null) await edits.done('C1', other);
  expect(await edits.next('C1')).toMatchObject({ ts: '1.0', subjects: [alert('b')] });
});

it('a change after an edit is not taken for the one that a slower edit of another worker shows', async () => {
  const edits = createEdits(redis());
  await edits.ask(message('1.0'), alert('a'));
  const [quick, slow] = [await edits.next('C1'), await edits.next('C1')];
  if (quick === null || slow === null) throw new Error('nothing to edit');

  await edits.done('C1', quick);
  await edits.ask(message('1.0'), alert('a'));
  await edits.done('C1', slow);

  expect(await edits.next('C1')).toMatchObject({ ts: '1.0', subjects: [alert('a')] });
});

it('a postponed edit waits behind the others and is not lost', async () => {
  const edits = createEdits(redis());
  await edits.ask(message('1.0'), alert('a'));
  const edit = await edits.next('C1');
  if (edit === null) throw new Error('nothing to edit');
  await new Promise((resolve) => setTimeout(resolve, 3));
  await edits.ask(message('2.0'), alert('b'));
  await new Promise((resolve) => setTimeout(resolve, 3));

  await edits.putOff('C1', edit);

  expect(await edits.next('C1')).toMatchObject({ ts: '2.0' });
  expect(await edits.waiting('C1')).toBe(2);
});

describe('edits in a channel that cannot be posted to', () => {
  /** Parks the edit that is next in the channel. */
  async function park(edits: Edits, isRedirected = false): Promise<Edit> {
    const edit = await edits.next('C1');
    if (edit === null) throw new Error('nothing to edit');
    await edits.park('C1', edit, isRedirected);
    return edit;
  }
  const asked = async (...timestamps: string[]): Promise<Edits> => {
    const edits = createEdits(redis());
    for (const ts of timestamps) await edits.ask(message(ts), alert('a'));
    return edits;
  };
  const parkedKey = outboxKey('C1', 'parked');
  /** Lets the time pass that they wait. */
  const later = async (): Promise<void> => {
    for (const ts of await redis().zrange(parkedKey, '0', '-1')) await redis().zincrby(parkedKey, -20 * 60_000, ts);
  };

  it('wait for some time, and are not lost', async () => {
    const edits = await asked('1.0');
    await park(edits);

    expect(await edits.next('C1')).toBeNull();
    expect(await edits.waiting('C1')).toBe(1);

    await later();
    expect(await edits.next('C1')).toMatchObject({ subjects: [alert('a')], isRedirected: false });
  });

  it('are tried one at a time, each in its turn, however many there are', async () => {
    const edits = await asked('1.0', '2.0', '3.0');
    for (let count = 0; count < 3; count += 1) await park(edits);
    const tried: string[] = [];

    for (let time = 0; time < 3; time += 1) {
      await later();
      tried.push((await park(edits)).ts);
      expect(await edits.next('C1'), 'the others wait with it').toBeNull();
    }

    expect(tried.toSorted()).toEqual(['1.0', '2.0', '3.0']);
    expect(await edits.waiting('C1')).toBe(3);
  });

  it('are all made as soon as one of them is', async () => {
    const edits = await asked('1.0', '2.0', '3.0');
    for (let count = 0; count < 3; count += 1) await park(edits);
    await later();

    for (let left = 3; left > 0; left -= 1) {
      expect(await edits.waiting('C1')).toBe(left);
      const edit = await edits.next('C1');
      if (edit !== null) await edits.done('C1', edit);
    }

    expect(await edits.waiting('C1')).toBe(0);
  });

  it('do not delay the edit of another message there', async () => {
    const edits = await asked('1.0');
    await park(edits);
    await edits.ask(message('2.0'), alert('b'));

    expect(await edits.next('C1')).toMatchObject({ ts: '2.0' });
  });

  it('wait no longer when their message changes again', async () => {
    const edits = await asked('1.0');
    await park(edits, true);
    await edits.ask(message('1.0'), alert('a'));

    expect(await edits.next('C1')).toMatchObject({ ts: '1.0', isRedirected: false });
    expect(await edits.waiting('C1')).toBe(1);
  });

  it.each(['a', 'b'])('do not wait if their message changed meanwhile: %s', async (id) => {
    const edits = await asked('1.0');
    const edit = await edits.next('C1');
    await edits.ask(message('1.0'), alert(id));
    if (edit !== null) await edits.park('C1', edit, true);

    expect(await edits.next('C1')).toMatchObject({ ts: '1.0', isRedirected: false });
  });

  it('know that their changes were redirected, until they are done', async () => {
    const edits = await asked('1.0');
    await park(edits, true);
    await later();

    const again = await edits.next('C1');
    expect(again).toMatchObject({ subjects: [alert('a')], isRedirected: true });
    if (again !== null) await edits.done('C1', again);

    expect(await edits.waiting('C1')).toBe(0);
  });

  it('wait behind the others when Slack postpones them', async () => {
    const edits = await asked('1.0', '2.0');
    const first = await park(edits);
    await park(edits);
    await later();
    const postponed = await edits.next('C1');
    expect(postponed).toMatchObject({ ts: first.ts });

    if (postponed !== null) await edits.putOff('C1', postponed);
    await edits.ask(message('3.0'), alert('c'));

    expect(await edits.waiting('C1')).toBe(3);
    expect(await edits.next('C1')).toMatchObject({ ts: first.ts });
  });

  it.each([
    ['minutes', 5 * 60_000],
    ['a day', 24 * 3_600_000],
  ])('wait no longer than others after the clock of Redis was set back by %s', async (_by, ms) => {
    const edits = await asked('1.0', '2.0');
    await park(edits);
    for (const key of [parkedKey, outboxKey('C1', 'edits')])
      for (const ts of await redis().zrange(key, '0', '-1')) await redis().zincrby(key, ms, ts);

    const ordinary = await edits.next('C1');
    expect(ordinary, 'an ordinary one does not wait at all').toMatchObject({ waitedMs: 0 });
    if (ordinary !== null) await edits.done('C1', ordinary);
    expect(await edits.next('C1')).toBeNull();
    await later();
    expect(await edits.next('C1')).not.toBeNull();
  });
});

it('no edit is pending in a channel without changes', async () => {
  expect(await createEdits(redis()).next('C1')).toBeNull();
});
