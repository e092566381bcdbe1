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

/** @param inThread what the thread shows; an error: Slack's answer. */
function finder(inChannel: readonly FoundMessage[], inThread: readonly FoundMessage[] | SlackError = []) {
  const reads: (string | null)[] = [];
  let doubtSinceMs: number | null = null;
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
    doubtSinceMs: () => doubtSinceMs,
  });
  const doubt = (sinceMs: number | null): void => {
    doubtSinceMs = sinceMs;
  };
  return { ...found, reads, doubt };
}

it('what was tried to post shows all of its entries, and others show the ones that they are marked with', async () => {
  const { findEntries } = finder([message('1.0', 'm_other', ['a', 'x']), message('2.0', 'm_own', ['a', 'b'])]);

  expect(await findEntries(search, ['a', 'b'], false)).toEqual([
    { ts: '2.0', entryIds: ['a', 'b'], isBatch: true, isOwn: true },
  ]);
  expect(await findEntries({ ...search, ref: 'm_new' }, ['a', 'c'], false), 'the first that shows it').toEqual([
    { ts: '1.0', entryIds: ['a'], isBatch: true, isOwn: false },
  ]);
});

it('an entry in another channel has another mark', () => {
  expect(marksOf('C1', ['a'])).not.toEqual(marksOf('C2', ['a']));
});

it('a message with too many entries for its metadata is found by its reference only', async () => {
  const ids = Array.from({ length: 501 }, (_, index) => `e${index}`);
  const { findEntries } = finder([message('1.0', 'm_own', ids)]);

  expect(marksOf('C1', ids)).toEqual([]);
  expect(await findEntries(search, ids, false)).toMatchObject([{ ts: '1.0', isOwn: true, isBatch: true }]);
  expect(await findEntries({ ...search, ref: 'm_new' }, ids.slice(1), false)).toEqual([]);
});

it('a reply that shows in the channel as well is one message, and a thread that is gone shows nothing', async () => {
  const reply = message('1.0', 'm_own', ['a']);
  const gone = new SlackError('conversations.replies', 'refused', 'thread_not_found');

  expect(await finder([reply], [reply]).find({ ...search, threadTs: '0.9' })).toHaveLength(1);
  expect(await finder([reply], gone).find({ ...search, threadTs: '0.9' })).toHaveLength(1);
});

it('after a restart of Redis the history is read for each message at first, and then once for each place', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { findEntries, reads, doubt } = finder([message('1.0', 'm_other', ['a'])]);
    const look = (channel = 'C1') => findEntries({ ...search, channel }, ['a'], true);
    doubt(performance.now());
    await look();
    await look();
    expect(reads, 'a post that had begun may still appear').toHaveLength(2);

    vi.advanceTimersByTime(31_000);
    for (let times = 0; times < 3; times += 1) expect(await look()).toHaveLength(1);
    expect(reads).toHaveLength(3);
    await look('C2');
    expect(reads, 'another channel').toHaveLength(4);

    doubt(performance.now());
    await look();
    expect(reads, 'another restart').toHaveLength(5);
    await findEntries(search, ['a'], false);
    expect(reads, 'what this process has just tried to post is looked for in a history of now').toHaveLength(6);
  } finally {
    vi.useRealTimers();
  }
});
