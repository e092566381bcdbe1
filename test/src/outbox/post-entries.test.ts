import { describe, expect, it, vi } from 'vitest';
import { alertKey } from '../../../src/alerts/event-log.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey, stateKey } from '../../../src/core/keys.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import type { Slack } from '../../../src/slack/client.ts';
import type { Message } from '../../../src/slack/message.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createWorld } from '../../support/outbox-world.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

const alert = (id: string): OutboxEntry => OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } });
/** The ids shown in the channel, in order. One message may show several. */
const shownIn = (channel: readonly { text: string }[]): string[] => channel.flatMap(({ text }) => text.split(' '));

const unreadable = [
  ['packed by a newer version', 'p0', Buffer.from([9, 0, 0, 1, 3])],
  ['damaged', 'p0', Buffer.from([1, 0, 0, 1, 0xff])],
  ['with repeats that this version cannot read', 'repeats:C1', 'many'],
] as const;

/** Flushes until nothing waits, without the pauses between messages. */
async function flushAll(world: ReturnType<typeof createPostingWorld>): Promise<void> {
  for (let run = 0; (await world.outbox.waiting('C1')) > 0 && run < 20; run += 1) {
    await redis().del(outboxKey('C1', 'paused'));
    await world.flush('C1');
  }
}

describe.each(unreadable)('an alert %s', (_what, field, value) => {
  it.each([1, 4])(
    'holds up no other: with %i waiting, each is posted or named, and ops are notified',
    async (count) => {
      const posts: string[] = [];
      const post = async (channel: string, { text }: { text: string }) => {
        posts.push(text);
        return { channel, ts: `${posts.length}.000001` };
      };
      const world = createPostingWorld(redis(), { slack: { post } });
      for (const entry of await world.entries(count)) await world.outbox.put('C1', entry);
      await redis().hset(stateKey(`alert:${alertId(0)}`), field, value);

      await flushAll(world);

      expect(await world.outbox.waiting('C1')).toBe(0);
      expect(posts).not.toEqual([]);
      expect(world.opsIssues.length).toBeGreaterThan(0);
    },
  );
});

describe('an entry whose data Redis has lost', () => {
  /** Adds the entry again just before the outbox removes it, like its job, which runs again. */
  function addBeforeRemoved(world: ReturnType<typeof createPostingWorld>, store: () => Promise<unknown>): void {
    const { remove } = world.outbox;
    vi.spyOn(world.outbox, 'remove').mockImplementation(async (channel, id) => {
      await store();
      await remove(channel, id);
    });
  }

  it.each([1, 3])('is posted if its job stores it at that moment, in a message of %i', async (count) => {
    const texts: string[] = [];
    const post: Slack['post'] = async (channel, { text, blocks }) => {
      texts.push(text + JSON.stringify(blocks));
      return { channel, ts: `${texts.length}.0` };
    };
    const world = createPostingWorld(redis(), { slack: { post } });
    const entries = await world.entries(count);
    for (const entry of entries) await world.outbox.put('C1', entry);
    const [lost] = entries;
    if (lost === undefined) return expect.fail('an entry waits');
    const stored = transactionAlert({ id: lost.id, amountCents: 987_65 });
    await redis().del(stateKey(`alert:${lost.id}`));
    expect(await world.alerts.get(lost.id), 'Redis has lost the alert').toBeNull();
    addBeforeRemoved(world, async () => {
      await world.alerts.save(stored);
      expect(await world.outbox.put('C1', lost), 'it still waits').toBe(false);
    });

    await flushAll(world);

    expect(texts.join('\n')).toContain('$987.65');
  });

  it('is removed if nothing is stored for it', async () => {
    const world = createPostingWorld(redis());
    await world.outbox.put('C1', alert('evt_never'));

    await flushAll(world);

    expect(await world.outbox.waiting('C1')).toBe(0);
  });

  it('is attached to its summary if the summary is recorded at that moment', async () => {
    const shared: string[] = [];
    const world = createPostingWorld(redis(), {
      slack: {
        uploadFile: async ({ name }) => ({ id: 'F1', name, title: name }),
        shareFile: async (_channel, { name }) => void shared.push(name),
      },
    });
    await world.entries(1);
    const rows = OutboxEntry.parse({ kind: 'rows', id: 'rows-1.0', of: { channel: 'C1', ts: '1.0' }, page: null });
    await world.outbox.put('C1', rows);
    addBeforeRemoved(world, async () => {
      const alerts = [{ id: alertId(0), label: 'A', times: 1 }];
      await world.batchMessages.put(
        { channel: 'C1', ts: '1.0' },
        { why: 'busy', audience: 'team', form: 'summary', alerts },
      );
      expect(await world.outbox.put('C1', rows), 'it still waits').toBe(false);
    });

    await flushAll(world);

    expect(shared).toHaveLength(1);
  });
});

describe('what Slack accepts only as plain text', () => {
  const refused = new SlackError('chat.postMessage', 'refused', 'invalid_blocks');

  function refusing(isRefused: (message: Message) => boolean) {
    const posts: string[] = [];
    const world = createPostingWorld(redis(), {
      slack: {
        async post(channel, message) {
          if (isRefused(message)) throw refused;
          return { channel, ts: `${posts.push(message.text)}.0` };
        },
      },
    });
    return { world, posts };
  }

  it.each([1, 3])(
    'is posted alone, and shows what happens next: an alert that waits in a message of %i',
    async (count) => {
      const { world, posts } = refusing(({ text, blocks }) => text.includes('$987.65') && blocks.length > 0);
      for (const entry of await world.entries(count)) await world.outbox.put('C1', entry);
      await world.alerts.save(transactionAlert({ id: alertId(0), amountCents: 987_65 }));

      await flushAll(world);

      const ts = `${posts.findIndex((text) => text.includes('$987.65')) + 1}.0`;
      expect(posts.filter((text) => text.includes('$987.65'))).toHaveLength(1);
      const shown = { kind: 'alert', id: alertId(0) } as const;
      expect(await world.trackedMessages.references(shown)).toMatchObject([{ channel: 'C1', ts }]);

      await redis().hset(alertKey(alertId(0)), 'repeats:C1', '3 300 300 2026-11-20T15:00:00Z 2026-11-20T15:01:00Z');
      await world.update(shown);

      expect(world.updates).toMatchObject([{ ts, text: expect.stringMatching(/3 times/) }]);
    },
  );

  it('is a notice, too, in its own words', async () => {
    const { world, posts } = refusing(({ blocks }) => blocks.length > 0);
    const message = { text: 'For you.', blocks: [{ type: 'divider' as const }] };
    await world.outbox.put('C1', { kind: 'notice', id: 'n1', message });

    await flushAll(world);

    expect(posts).toEqual(['For you.']);
  });

  it('is dropped once Slack refuses that as well', async () => {
    const { world, posts } = refusing(() => true);
    for (const entry of await world.entries(1)) await world.outbox.put('C1', entry);

    await flushAll(world);

    expect(await world.outbox.waiting('C1')).toBe(0);
    expect(posts).toEqual([]);
  });
});

describe('a message that a worker has claimed', () => {
  const notice = OutboxEntry.parse({ kind: 'notice', id: 'n1', message: { text: 'Once.', blocks: [] } });
  /** Makes a claim older. */
  const age = async (ms: number): Promise<void> => {
    const sending = JSON.parse((await redis().get(outboxKey('C1', 'sending'))) ?? '{}') as { startedAt: number };
    const older = { ...sending, startedAt: sending.startedAt - ms };
    await redis().set(outboxKey('C1', 'sending'), JSON.stringify(older));
  };

  // A post may start 2.5 seconds after its claim, and Slack has ten seconds to answer.
  it.each([
    [0, false],
    [12_000, false],
    [13_100, true],
  ])('%i ms ago is searched for by another worker: %s', async (ms, isTouched) => {
    let searches = 0;
    const world = createPostingWorld(redis(), {
      slack: {
        async findMessages() {
          searches += 1;
          return [];
        },
        post: async (channel) => ({ channel, ts: '1.1' }),
      },
    });
    await world.outbox.put('C1', notice);
    await world.outbox.claim('C1', ['n1'], null);
    await age(ms);

    const again = await world.flush('C1');

    expect(searches).toBe(isTouched ? 1 : 0);
    if (isTouched) return;
    expect(again, 'when its claim ends').toBeGreaterThan(0);
    expect(again).toBeLessThanOrEqual(13_000 - ms);
  });

  it('is put back if the worker freezes before it posts, and is then posted', async () => {
    const steps: string[] = [];
    let hasFrozen = false;
    const world = createWorld({
      entries: [alert('e0')],
      onMoment({ step, when }) {
        if (when === 'before') steps.push(step);
        if (step !== 'claim' || when !== 'after' || hasFrozen) return;
        hasFrozen = true;
        world.pass(2_600);
      },
    });

    await world.drain();

    expect(shownIn(world.shown())).toEqual(['e0']);
    expect(steps.filter((step) => ['claim', 'requeue', 'keepUnsent', 'sendMessage'].includes(step))).toEqual([
      'claim',
      'requeue',
      'claim',
      'sendMessage',
    ]);
  });

  it('is not moved elsewhere by a worker that was frozen while another one posted it', async () => {
    const posts: string[] = [];
    const shared = ['C1'];
    let nowMs = 0;
    const world = createPostingWorld(redis(), {
      slack: {
        async post(channel) {
          posts.push(channel);
          return { channel, ts: '1.1' };
        },
        findMessages: async () => [],
      },
      shared,
      unshared: 'C0OPS',
      now: () => nowMs,
    });
    const { outbox } = world;
    await outbox.put('C1', notice);
    const { claim } = outbox;
    outbox.claim = async (...args) => {
      outbox.claim = claim;
      const sending = await claim(...args);
      // It has decided to move the message. While it stands still, the channel is no longer shared.
      shared.pop();
      await age(20_000);
      await world.flush('C1');
      nowMs += 20_000;
      return sending;
    };

    await world.flush('C1');
    await world.flush('C0OPS');

    expect(posts).toEqual(['C1']);
  });
});
