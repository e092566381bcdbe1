import { describe, expect, it } from 'vitest';
import type { OutboxEntry } from '../../../src/outbox/entry.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();
const ref = { channel: 'C1', ts: '1.000001' };
const alert = (index: number) => ({ kind: 'alert', id: alertId(index) }) as const;

describe.each([1, 3])('a message of %i alerts', (count) => {
  it('is updated if something changed after rendering and before its reference was stored', async () => {
    const world = createPostingWorld(redis());
    const entries = await world.entries(count);
    const draft = await world.renderEntries(entries, 'C1');
    await world.update(alert(count - 1));

    await world.recordPosted(entries, ref, draft);

    expect(world.asked).toEqual([alert(count - 1)]);
    expect(await world.trackedMessages.references(alert(0))).toEqual([{ ...ref, audience: 'team', threadId: null }]);
    expect((await world.trackedMessages.at(ref.channel, ref.ts)).map(({ id }) => id).toSorted()).toEqual(
      entries.map(({ id }) => id),
    );
  });

  it('is left alone if nothing changed', async () => {
    const world = createPostingWorld(redis());
    const entries = await world.entries(count);
    await world.update(alert(0));
    const draft = await world.renderEntries(entries, 'C1');

    await world.recordPosted(entries, ref, draft);

    expect(world.asked).toEqual([]);
  });

  it('is updated if the worker that rendered it crashed', async () => {
    const world = createPostingWorld(redis());

    await world.recordPosted(await world.entries(count), ref, null);

    expect(world.asked).toEqual([alert(0)]);
  });
});

it('the event log of each alert says where it was posted', async () => {
  const world = createPostingWorld(redis());
  const entries = await world.entries(3);

  await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));
  await world.recordPosted(entries.slice(0, 1), { ...ref, ts: '2.000001' }, null);

  const grouped = { step: 'grouped', channel: 'C1', text: 'Posted in one message with 2 others.' };
  const posted = { step: 'posted', channel: 'C1', text: 'Posted.' };
  expect(await world.eventLog.read(alertId(0))).toMatchObject([grouped, posted]);
  expect(await world.eventLog.read(alertId(2))).toMatchObject([grouped]);
});

it.each([
  ['of a summary follow it', 150, [{ entry: { kind: 'rows', id: `rows-${ref.ts}`, of: ref, page: null } }]],
  ['of a table are in it', 40, []],
])('the rows %s', async (_what, count, waiting) => {
  const world = createPostingWorld(redis());
  const entries = await world.entries(count);

  await world.recordPosted(entries, ref, await world.renderEntries(entries, 'C1'));

  expect((await world.outbox.look('C1', 9)).waiting).toMatchObject(waiting);
});

describe('a found message that Redis knows only in part', () => {
  it('shows the known alerts first, and the others once they are known again', async () => {
    const world = createPostingWorld(redis());
    const [first, ...others] = await world.entries(3);
    if (first === undefined) throw new Error('no entry');

    await world.recordPosted([first], ref, null, true);
    expect((await world.batchMessages.get(ref))?.alerts.map(({ id }) => id)).toEqual([first.id]);

    await world.recordPosted(others, ref, null, true);
    expect((await world.batchMessages.get(ref))?.alerts.map(({ id }) => id)).toEqual([
      first.id,
      ...others.map(({ id }) => id),
    ]);
    expect(world.asked, 'it is edited each time').toHaveLength(2);
  });

  it('posts separately an alert that may be missing in the rows of a summary', async () => {
    const world = createPostingWorld(redis());
    const [first, late] = (await world.entries(2)) as [OutboxEntry, OutboxEntry];
    const shown = [{ id: first.id, label: 'a', times: 1 }];
    await world.batchMessages.put(ref, { why: 'busy', audience: 'team', form: 'summary', alerts: shown });

    await world.recordPosted([late], ref, null, true);
    await world.update(alert(1));

    const { waiting } = await world.outbox.look('C1', 9);
    expect(waiting.map(({ entry }) => entry.id)).toContain(`${late.id}-after-${ref.ts}`);
  });
});
