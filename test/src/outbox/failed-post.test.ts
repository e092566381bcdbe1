import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey } from '../../../src/core/keys.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import type { LateCopies } from '../../../src/outbox/late-copies.ts';
import { refOf } from '../../../src/outbox/sending-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { claimed } from '../../support/outbox-entries.ts';
import { alertId, createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();
const noAnswer = new SlackError('chat.postMessage', 'unknown', 'no_answer');

/**
 * Posts with the outcomes in `posts`, then keeps repeating the last one. @returns the refs of the attempts, and the
 * searches for copies.
 */
async function flushed(posts: readonly ('ok' | SlackError)[], history: SlackError | 'empty' | 'shows it') {
  const refs: string[] = [];
  const texts: string[] = [];
  const copies: LateCopies[] = [];
  const world = createPostingWorld(redis(), {
    slack: {
      async post(channel, { text }, ref) {
        const outcome = posts[Math.min(refs.length, posts.length - 1)];
        refs.push(ref);
        texts.push(text);
        // Another entry arrives while the post is in flight.
        await world.outbox.put(channel, { kind: 'notice', id: 'n1', message: { text: 'Other', blocks: [] } });
        if (outcome !== 'ok' && outcome !== undefined) throw outcome;
        return { channel, ts: `${refs.length}.0` };
      },
      async findMessages() {
        if (history instanceof SlackError) throw history;
        return history === 'empty' ? [] : refs.slice(0, 1).map((ref) => ({ ts: '7.0', ref, marks: [], files: [] }));
      },
    },
    watchForCopies: async (late) => void copies.push(late),
  });
  for (const entry of await world.entries(2)) await world.outbox.put('C1', entry);
  await world.flush('C1');
  return { refs, texts, copies, waiting: await world.outbox.waiting('C1'), opsIssues: world.opsIssues };
}

it('reposts a message that was not found with the same reference, and searches for copies of it', async () => {
  const { refs, texts, copies } = await flushed([noAnswer, 'ok'], 'empty');

  expect(refs[0]).toBe(refs[1]);
  expect(texts[0]).toBe(texts[1]);
  expect(copies).toMatchObject([{ search: { ref: refs[0] }, attempt: 1 }]);
});

it('does not repost a message that is found', async () => {
  const { texts, copies, waiting } = await flushed([noAnswer, 'ok'], 'shows it');

  expect(texts.at(-1), 'the only other post is the entry that arrived meanwhile').toBe('Other');
  expect(texts).toHaveLength(2);
  expect({ copies, waiting }).toEqual({ copies: [], waiting: 0 });
});

it('reposts a message when the history is unreadable, because a duplicate is better than none', async () => {
  const { refs } = await flushed(
    [noAnswer, 'ok'],
    new SlackError('conversations.history', 'app_refused', 'missing_scope'),
  );

  expect(refs[0]).toBe(refs[1]);
});

it('posts the rest of a refused list once if Redis forgot the refusal and the history is unreadable', async () => {
  const texts: string[] = [];
  const world = createPostingWorld(redis(), {
    slack: {
      async post(channel, { text }) {
        texts.push(text);
        return { channel, ts: '2.0' };
      },
      findMessages: () => Promise.reject(new SlackError('conversations.history', 'app_refused', 'missing_scope')),
    },
  });
  const { outbox } = world;
  const [first, second] = await world.entries(2);
  for (const entry of [first, second]) if (entry !== undefined) await outbox.put('C1', entry);
  const all = await claimed(outbox, [alertId(0), alertId(1)]);
  // Slack refused the list, and the first half was posted. Redis comes back from before that, and hears of the half again.
  const half = { ...all, ref: refOf('C1', [alertId(0)]), entryIds: [alertId(0)] };
  await outbox.markSent('C1', half, '1.0');
  await redis().set(outboxKey('C1', 'sending'), JSON.stringify({ ...(await inFlight()), startedAt: 1 }));

  await world.flush('C1');

  expect(texts).toHaveLength(1);
  expect(await outbox.sentAt('C1', [alertId(0), alertId(1)])).toEqual(['1.0', '2.0']);
});

async function inFlight(): Promise<object> {
  return JSON.parse((await redis().get(outboxKey('C1', 'sending'))) ?? '{}') as object;
}

describe('messages wait while Slack refuses every post, and ops are told so', () => {
  async function refused(channel: string, slackError: string) {
    const world = createPostingWorld(redis(), {
      slack: { post: () => Promise.reject(new SlackError('chat.postMessage', 'app_refused', slackError)) },
    });
    const message = { text: 'Hello', blocks: [] };
    await world.outbox.put(channel, OutboxEntry.parse({ kind: 'notice', id: 'n1', message }));
    const again = await world.flush(channel);
    expect(again, 'it is tried again').toBeGreaterThan(0);
    expect(await world.outbox.waiting(channel)).toBe(1);
    return world.opsIssues;
  }

  it.each(['missing_scope', 'access_denied', 'http_403', 'code_of_tomorrow'])('%s', async (slackError) => {
    expect(await refused('C1', slackError)).toMatchObject([
      { title: `Slack refuses messages (${slackError})`, means: expect.stringContaining('wait') },
    ]);
  });

  it('in a direct conversation: they are told the person', async () => {
    const issues = await refused('D1', 'access_denied');

    expect(issues).toMatchObject([{ about: 'U0HUGO' }]);
    expect(JSON.stringify(issues)).not.toContain('D1');
  });

  it('not about the ops channel itself, where they could read it only afterwards', async () => {
    expect(await refused('C0OPS', 'missing_scope')).toEqual([]);
  });

  it('not about a dead token, which has its own report', async () => {
    expect(await refused('C1', 'token_revoked')).toEqual([]);
  });
});

it('keeps the reference of a message whose second attempt meets a rate limit', async () => {
  const limited = new SlackError('chat.postMessage', 'rate_limited', 'ratelimited', { retryAfterMs: 5 });
  const { refs } = await flushed([noAnswer, limited, 'ok'], 'empty');

  expect(new Set(refs.slice(0, 2)).size).toBe(1);
});

it('posts nothing more in an unusable channel if its worker dies once the other channel has the entry', async () => {
  const posts: string[] = [];
  const world = createPostingWorld(redis(), {
    slack: {
      async post(channel) {
        posts.push(channel);
        if (posts.length === 1) throw new SlackError('chat.postMessage', 'channel_unusable', 'is_archived');
        return { channel, ts: '2.0' };
      },
      findMessages: async () => [],
    },
  });
  const { outbox } = world;
  for (const entry of await world.entries(1)) await outbox.put('C1', entry);
  const { markMoved } = outbox;
  outbox.markMoved = () => Promise.reject(new Error('killed'));
  await expect(world.flush('C1')).rejects.toThrow('killed');
  outbox.markMoved = markMoved;
  // Its claim expires, and somebody brings the channel back.
  await redis().set(outboxKey('C1', 'sending'), JSON.stringify({ ...(await inFlight()), startedAt: 1 }));

  await world.flush('C1');
  await world.flush('C0ALL');

  expect(posts).toEqual(['C1', 'C0ALL']);
});

it('notifies ops of a message that gets no clear answer five times, and keeps trying', async () => {
  const { refs, opsIssues } = await flushed([...Array.from({ length: 5 }, () => noAnswer), 'ok'], 'empty');

  expect(new Set(refs.slice(0, 6)).size).toBe(1);
  expect(opsIssues).toMatchObject([
    { cause: 'posts:C1:no_answer', todo: expect.stringContaining('proxy or firewall') },
  ]);
  expect((await flushed([noAnswer, noAnswer, noAnswer, noAnswer, 'ok'], 'empty')).opsIssues).toEqual([]);
});
