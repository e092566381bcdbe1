import { describe, expect, it } from 'vitest';
import { useRedis } from '../../support/on-redis.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();
const ref = { channel: 'C1', ts: '1.000001' };
const alert = (index: number) => ({ kind: 'alert', id: alertId(index) }) as const;

describe.each([1, 3])('a message of %i alerts', (count) => {
  it('is updated when something changed after it was rendered and before its reference was stored', async () => {
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

  it('is left alone when nothing changed', async () => {
    const world = createPostingWorld(redis());
    const entries = await world.entries(count);
    await world.update(alert(0));
    const draft = await world.renderEntries(entries, 'C1');

    await world.recordPosted(entries, ref, draft);

    expect(world.asked).toEqual([]);
  });

  it('is updated when the worker that rendered it crashed', async () => {
    const world = createPostingWorld(redis());

    await world.recordPosted(await world.entries(count), ref, null);

    expect(world.asked).toEqual([alert(0)]);
  });
});
