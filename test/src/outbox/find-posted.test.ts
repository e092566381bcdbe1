import { expect, it, vi } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createFindPosted, marksOf, type PostSearch } from '../../../src/outbox/find-posted.ts';
import type { FoundMessage } from '../../../src/slack/client.ts';

const search: PostSearch = { channel: 'C1', threadTs: null, ref: 'm_own', file: null, slackMs: 0 };
const message = (ts: string, ref: string | null, entryIds: readonly string[]): FoundMessage => ({
  ts,
  ref,
  marks: marksOf('C1', entryIds),
  files: [],
});

/** @param inThread the messages of the thread, or Slack's error. */
function finder(inChannel: readonly FoundMessage[], inThread: readonly FoundMessage[] | SlackError = []) {
  const reads: (string | null)[] = [];
  let dataLossSinceMs: number | null = null;
  const found = createFindPosted({
    slack: {
      async findMessages({ threadTs }) {
        reads.push(threadTs);
        if (threadTs === null) return [...inChannel];
        if (inThread instanceof SlackError) throw inThread;
        return [...inThread];
      },
    },
    threads: { rootOf: async () => null, isGone: async () => false },
    dataLossSinceMs: () => dataLossSinceMs,
  });
  const doubt = (sinceMs: number | null): void => {
    dataLossSinceMs = sinceMs;
  };
  return { ...found, reads, doubt };
}

it('a found post of ours shows all of its entries, and other messages show the ones in their marks', async () => {
  const { findEntries } = finder([message('1.0', 'm_other', ['a', 'x']), message('2.0', 'm_own', ['a', 'b'])]);

  expect(await findEntries(search, ['a', 'b'], false)).toEqual([
    { ts: '2.0', entryIds: ['a', 'b'], isBatch: true, isOwn: true },
  ]);
  expect(await findEntries({ ...search, ref: 'm_new' }, ['a', 'c'], false), 'the first message that shows it').toEqual([
    { ts: '1.0', entryIds: ['a'], isBatch: true, isOwn: false },
  ]);
});

it('the same entry has a different mark in another channel', () => {
  expect(marksOf('C1', ['a'])).not.toEqual(marksOf('C2', ['a']));
});

it('finds a message with too many entries for its metadata by its reference only', async () => {
  const ids = Array.from({ length: 501 }, (_, index) => `e${index}`);
  const { findEntries } = finder([message('1.0', 'm_own', ids)]);

  expect(marksOf('C1', ids)).toEqual([]);
  expect(await findEntries(search, ids, false)).toMatchObject([{ ts: '1.0', isOwn: true, isBatch: true }]);
  expect(await findEntries({ ...search, ref: 'm_new' }, ids.slice(1), false)).toEqual([]);
});

it('counts a reply that is also sent to the channel as one message, and treats a deleted thread as empty', async () => {
  const reply = message('1.0', 'm_own', ['a']);
  const gone = new SlackError('conversations.replies', 'refused', 'thread_not_found');

  expect(await finder([reply], [reply]).find({ ...search, threadTs: '0.9' })).toHaveLength(1);
  expect(await finder([reply], gone).find({ ...search, threadTs: '0.9' })).toHaveLength(1);
});

it('after a Redis restart reads the history for each message at first, then once per channel', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { findEntries, reads, doubt } = finder([message('1.0', 'm_other', ['a'])]);
    const look = (channel = 'C1') => findEntries({ ...search, channel }, ['a'], true);
    doubt(performance.now());
    await look();
    await look();
    expect(reads, 'a post in flight may still appear').toHaveLength(2);

    vi.advanceTimersByTime(31_000);
    for (let times = 0; times < 3; times += 1) expect(await look()).toHaveLength(1);
    expect(reads).toHaveLength(3);
    await look('C2');
    expect(reads, 'another channel').toHaveLength(4);

    doubt(performance.now());
    await look();
    expect(reads, 'another restart').toHaveLength(5);
    await findEntries(search, ['a'], false);
    expect(reads, 'a message that this process has just tried to post needs a fresh history').toHaveLength(6);
  } finally {
    vi.useRealTimers();
  }
});
