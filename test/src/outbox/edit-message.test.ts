import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SlackError, TooLateError } from '../../../src/core/errors.ts';
import type { MessageRef } from '../../../src/slack/message.ts';
import { useRedis } from '../../support/on-redis.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const alert = (index: number) => ({ kind: 'alert', id: alertId(index) }) as const;
const ref = (ts: string): MessageRef => ({ channel: 'C1', ts });

type World = ReturnType<typeof createPostingWorld>;

/** Alerts that each have their own message. */
async function posted(world: World, count: number): Promise<void> {
  for (const [index, entry] of (await world.entries(count)).entries()) {
    const draft = await world.renderEntries([entry], 'C1');
    await world.recordPosted([entry], ref(`${index + 1}.0`), draft);
  }
}

/** Flushes until nothing remains to be done now. */
async function flushed(world: World): Promise<void> {
  for (let run = 0; run < 100; run += 1) {
    const again = await world.flush('C1');
    if (again === null) return;
    await redis().del('{cardbell:out:C1}:paused');
  }
  throw new Error('it never ends');
}

describe('edits', () => {
  it("share the channel's post interval: after each edit the channel waits", async () => {
    const world = createPostingWorld(redis());
    await posted(world, 2);
    for (const index of [0, 1]) await world.askForEdits(alert(index));

    expect(await world.flush('C1')).toBeGreaterThan(900);

    expect(world.updates).toHaveLength(1);
  });

  it('of one message by two workers at once end with what is true now, however slow the first is', async () => {
    const request = { kind: 'request', id: 'req_1' } as const;
    let text = 'Open';
    const rendered: string[] = [];
    const world = createPostingWorld(redis(), {
      async request() {
        rendered.push(text);
        return { text, blocks: [] };
      },
      slack: {
        async update(_ref, message) {
          if (message.text === 'Open') await sleep(300);
        },
      },
    });
    await world.trackedMessages.add(ref('5.0'), [{ subject: request, audience: 'team', threadId: null }]);

    const first = world.update(request);
    await until(() => rendered.length > 0, 'the first worker has rendered it');
    text = 'Approved';
    await Promise.all([first, world.update(request)]);

    expect(world.updates.map((update) => update.text)).toEqual(['Open', 'Approved']);
  });

  it('by a worker that was frozen for longer than its lock do not undo those of another one', async () => {
    const request = { kind: 'request', id: 'req_1' } as const;
    let text = 'Open';
    const world = createPostingWorld(redis(), {
      async request() {
        const rendered = { text, blocks: [] };
        if (text === 'Open') {
          text = 'Decided';
          await redis().del('{cardbell:state}:lock:message:C1:5.0');
          await flushed(world);
        }
        return rendered;
      },
    });
    await world.trackedMessages.add(ref('5.0'), [{ subject: request, audience: 'team', threadId: null }]);
    await world.askForEdits(request);

    await expect(world.flush('C1')).rejects.toThrow(TooLateError);

    expect(world.updates.map((update) => update.text)).toEqual(['Decided']);
  });

  it("share Slack's rate limit for all channels", async () => {
    const world = createPostingWorld(redis(), { budget: { perMinute: 6, burst: 2 } });
    await posted(world, 5);
    for (const index of [0, 1, 2, 3, 4]) await world.askForEdits(alert(index));

    await flushed(world);

    expect(world.wakes.at(-1), 'until the third is allowed').toBeGreaterThan(5000);
    expect(world.updates).toHaveLength(2);
    expect(await world.edits.waiting('C1'), 'the others wait').toBe(3);
  });

  it('that meet a rate limit wait as long as Slack says, and posts do not', async () => {
    const texts: string[] = [];
    let calls = 0;
    const world = createPostingWorld(redis(), {
      slack: {
        async update() {
          calls += 1;
          throw new SlackError('chat.update', 'rate_limited', 'ratelimited', { retryAfterMs: 20_000 });
        },
        async post(channel, { text }) {
          texts.push(text);
          return { channel, ts: '9.0' };
        },
      },
    });
    await posted(world, 2);
    for (const index of [0, 1]) await world.askForEdits(alert(index));
    await world.outbox.put('C1', { kind: 'notice', id: 'n', message: { text: 'News', blocks: [] } });

    await flushed(world);
    expect(world.wakes.at(-1)).toBeGreaterThan(10_000);
    expect(calls).toBe(1);
    expect(texts).toEqual(['News']);

    await world.outbox.put('C1', { kind: 'notice', id: 'n2', message: { text: 'More news', blocks: [] } });
    await redis().del('{cardbell:out:C1}:paused');
    await flushed(world);
    expect(texts, 'a post that came meanwhile').toEqual(['News', 'More news']);
  });

  it.each(['http_403', 'update_failed', 'team_added_to_org', 'a_future_code'])(
    'that Slack refuses with %s are tried again, because the message is still there',
    async (code) => {
      let refusals = 1;
      const world = createPostingWorld(redis(), {
        slack: {
          async update() {
            refusals -= 1;
            if (refusals >= 0) throw new SlackError('chat.update', 'refused', code);
          },
        },
      });
      await posted(world, 1);
      await world.askForEdits(alert(0));

      await flushed(world);
      expect(world.wakes).toHaveLength(1);
      expect((await world.outbox.look('C1', 9)).waiting, 'nothing is posted again').toEqual([]);
      expect(world.opsIssues).toMatchObject([{ cause: `edit-refused:${code}` }]);

      await flushed(world);
      expect(world.updates).toHaveLength(1);
    },
  );

  it('whose content Slack refuses show plain text, without posting the message a second time', async () => {
    const texts: string[] = [];
    const world = createPostingWorld(redis(), {
      slack: {
        async update(_ref, { text }) {
          texts.push(text);
          if (texts.length === 1) throw new SlackError('chat.update', 'refused', 'invalid_blocks (no more than 50)');
        },
      },
    });
    await posted(world, 1);
    await world.askForEdits(alert(0));

    await flushed(world);

    expect(texts).toHaveLength(2);
    expect((await world.outbox.look('C1', 9)).waiting).toEqual([]);
    expect(await world.trackedMessages.references(alert(0))).toMatchObject([ref('1.0')]);
    expect(world.opsIssues).toHaveLength(1);
  });

  it('of a message that cannot be rendered hold up no other, and ops are notified', async () => {
    const world = createPostingWorld(redis(), {
      request: async () => {
        throw new TypeError('stored by another version');
      },
    });
    await posted(world, 1);
    const request = { kind: 'request', id: 'req_1' } as const;
    await world.trackedMessages.add(ref('5.0'), [{ subject: request, audience: 'team', threadId: null }]);
    await world.askForEdits(request);
    await world.askForEdits(alert(0));

    await flushed(world);

    expect(world.updates.map(({ ts }) => ts)).toEqual(['1.0']);
    expect(world.opsIssues).toMatchObject([{ cause: 'cannot-render' }]);
  });
});
