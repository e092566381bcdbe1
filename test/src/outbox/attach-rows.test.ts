import { describe, expect, it } from 'vitest';
import { outboxKey } from '../../../src/core/keys.ts';
import { Killed } from '../../support/crash-at.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();

describe('a worker that is killed while it attaches the rows of a summary', () => {
  it.each(['before Slack takes the file', 'after it'])('%s: the file is shared once', async (when) => {
    const shared: string[] = [];
    let isAlive = true;
    const world = createPostingWorld(redis(), {
      slack: {
        uploadFile: async ({ name, title }) => ({ id: 'F1', name, title }),
        async shareFile(_channel, { name }) {
          if (isAlive || when === 'after it') shared.push(name);
          if (!isAlive) throw new Killed(when);
        },
        findMessages: async ({ by }) =>
          shared.flatMap((name) => ('file' in by && by.file === name ? ['2.000001'] : [])),
      },
    });
    const of = { channel: 'C1', ts: '1.000001' };
    const alerts = (await world.entries(3)).map(({ id }) => ({ id, label: id, times: 1 }));
    await world.batchMessages.save('C1', of.ts, { why: 'busy', audience: 'team', form: 'summary', alerts });
    await world.outbox.put('C1', { kind: 'rows', id: `rows-${of.ts}`, of, page: null });
    isAlive = false;
    await expect(world.flush('C1')).rejects.toThrow(Killed);

    isAlive = true;
    expect(await world.flush('C1')).toBeGreaterThan(0);
    // The claim of whoever died is over.
    const key = outboxKey('C1', 'sending');
    const sending = JSON.parse((await redis().get(key)) ?? '') as { startedAt: number };
    await redis().set(key, JSON.stringify({ ...sending, startedAt: sending.startedAt - 20_000 }));
    await world.flush('C1');

    expect(shared).toHaveLength(1);
    expect(await world.outbox.look('C1', 9)).toMatchObject({ unresolved: null, waiting: [] });
  });
});
