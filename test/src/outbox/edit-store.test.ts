import { expect, it } from 'vitest';
import { outboxKey } from '../../../src/core/keys.ts';
import { createEdits } from '../../../src/outbox/edit-store.ts';
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

it('an edit that waited for so long that its changes are no longer known is dropped, and the next one takes its turn', async () => {
  const edits = createEdits(redis());
  for (const ts of ['1.0', '2.0']) await edits.ask(message(ts), alert('a'));
  await redis().del(outboxKey('C1', 'asked:1.0'));

  expect(await edits.next('C1')).toMatchObject({ ts: '2.0' });
  expect(await edits.waiting('C1')).toBe(1);
});

it('no edit is pending in a channel without changes', async () => {
  expect(await createEdits(redis()).next('C1')).toBeNull();
});
