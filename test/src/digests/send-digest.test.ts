import { expect, it } from 'vitest';
import { createDigests } from '../../../src/digests/schedule-store.ts';
import { createSendDigest } from '../../../src/digests/send-digest.ts';
import { createTallies } from '../../../src/digests/tally-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = new Date('2026-11-20T23:00:00Z');

it('a digest is not posted in a channel that another company can read, and has words for everybody', async () => {
  const posted: string[] = [];
  const shared: string[] = [];
  const tallies = createTallies(redis());
  const reason = { code: 'decline.card.pin', title: 'Wrong PIN' };
  const decline = { cents: 100, reason, merchant: 'Pin Shop', group: null };
  await tallies.count({ ...decline, eventId: 'evt_1', at: '2026-11-20T20:00:00Z' });
  const recorded: string[] = [];
  const digest = createSendDigest({
    digests: createDigests(redis()),
    tallies,
    inactive: async () => [],
    visibilityOf: async (channel) => (channel === 'C0SHARED' ? 'shared' : 'direct'),
    post: async (channel, _id, message, elsewhere) => {
      posted.push(`${channel}: ${message.text}`, `elsewhere: ${elsewhere.text}`);
    },
    record: async (channel, id, what) => void recorded.push(`${channel}: ${id}: ${what}`),
    notifySharedChannel: async (channel) => {
      shared.push(channel);
    },
    now: () => now,
  });

  await digest.now('C0SHARED', 'n1');
  await digest.now('D0ANA', 'n2');

  expect(shared).toEqual(['C0SHARED']);
  expect(recorded).toEqual(['D0ANA: n2: daily digest of 1 declines']);
  expect(posted).toEqual([expect.stringMatching(/^D0ANA: .*PIN/), expect.not.stringMatching(/PIN/)]);
});
