import { expect, it } from 'vitest';
import { DECLINES_MAX } from '../../../src/alerts/save-alerts.ts';
import { createSendOwnDigests } from '../../../src/app-home/send-own-digests.ts';
import { createShownDeclines } from '../../../src/digests/shown-declines.ts';
import { noSums } from '../../../src/digests/tally-store.ts';
import type { OwnDigest } from '../../../src/holders/preference-store.ts';
import type { QuietHours } from '../../../src/routing/channel-rules-store.ts';
import { createHeldUntil, createQuietLeft } from '../../../src/routing/held-until.ts';
import type { Message } from '../../../src/slack/message.ts';
import { createWarned } from '../../../src/warnings/warned-store.ts';
import { ownDigest } from '../../../templates/app-home/own-digest.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { useRedis } from '../../support/on-redis.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

const MONDAY_9_AM = Date.parse('2026-11-23T14:00:00.000Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const weekly: OwnDigest = { userId: 'U0SAM', often: 'weekly', since: '2026-11-20T00:00:00.000Z' };
const daily: OwnDigest = { ...weekly, often: 'daily', since: '2026-11-22T15:00:00.000Z' };
const facts = {
  card,
  value: '',
  status: 'ACTIVE',
  isStatusRead: true,
  readAt: '2026-11-23T14:00:00.000Z',
  balance: 5000,
  limits: [],
  hasLimits: true,
  declines: [],
};

const accounts = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** A decline that is known from now on. */
interface Declined {
  readonly at: string;
  readonly city?: string;
  readonly acctId?: number;
}

function createWorld(first: readonly OwnDigest[], declines: readonly Declined[] = []) {
  const told: { userId: string; id: string; message: Message }[] = [];
  const recorded: string[] = [];
  const known: Declined[] = [...declines];
  let held = accounts(1).map((acctId) => ({ acctId, linkedAt: '2026-01-01T00:00:00.000Z' }));
  let nowMs = MONDAY_9_AM + MINUTE;
  let digests = [...first];
  /** UTC. */
  let quiet: readonly [from: string, to: string] | null = null;
  /** Accounts that the person no longer holds when the second page is read. */
  const takenAway: number[] = [];
  const failures: string[] = [];
  const now = (): Date => new Date(nowMs);
  const quietHours = {
    async get(channel: string): Promise<QuietHours | null> {
      if (quiet === null) return null;
      const [from, to] = quiet;
      return {
        channel,
        window: { from, to, zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] },
        except: null,
        by: 'U0SAM',
        at: '',
      };
    },
  };
  const heldUntil = createHeldUntil({ quietHours, alerts: { get: async () => null }, now });
  const quietLeftMs = createQuietLeft({ heldUntil, directChannel: async () => 'D0SAM', now }, Infinity);
  const send = createSendOwnDigests({
    preferences: { ownDigests: async () => digests, quietLeftMs },
    ownCards: async (userId, page) => {
      if (page > 1) held = held.filter(({ acctId }) => !takenAway.includes(acctId));
      const mine = userId === 'U0SAM' ? held : [];
      const pages = Math.max(1, Math.ceil(mine.length / 12));
      const at = Math.min(page, pages);
      const shown = mine
        .slice((at - 1) * 12, at * 12)
        .map(({ acctId, linkedAt }) => ({ ...facts, card: { ...card, acctId }, linkedAt }));
      return { shown, pages };
    },
    recentDeclines: async (acctId, countMax) =>
      known
        .filter((each) => (each.acctId ?? 1) === acctId)
        .map(({ at, city = 'Austin' }) => {
          const { event } = transactionAlert();
          return { ...event, occurredAt: at, merchant: { ...event.merchant, city } };
        })
        .toSorted((one, other) => other.occurredAt.localeCompare(one.occurredAt))
        .slice(0, countMax),
    sent: { ...createWarned(redis()), ...createShownDeclines(redis()) },
    notifyUnasked: async (userId, id, message) => void told.push({ userId, id, message }),
    record: async (userId, _id, what) => {
      if (failures.shift() === 'record') throw new Error('killed');
      recorded.push(`${userId}: ${what}`);
    },
    zone: 'America/New_York',
    now,
  });
  const at = (ms: number): void => {
    nowMs = ms;
  };
  const arrives = (...more: Declined[]) => void known.push(...more);
  const holds = (acctIds: number[], linkedAt = '2026-01-01T00:00:00.000Z'): void => {
    held = acctIds.map((acctId) => held.find((each) => each.acctId === acctId) ?? { acctId, linkedAt });
  };
  const chooses = (digest: OwnDigest): void => {
    digests = [digest];
  };
  const isQuiet = (from: string, to: string): void => {
    quiet = [from, to];
  };
  const texts = () => told.map(({ message }) => message.text);
  return { told, texts, recorded, failures, send, at, isQuiet, arrives, holds, chooses, takenAway };
}

const tries = (...times: string[]): Declined[] => times.map((at) => ({ at }));

it('sends a due digest once, with thirty attempts of a purchase as one decline', async () => {
  const thirty = Array.from({ length: 30 }, (_, minute) => new Date(MONDAY_9_AM - (minute + 1) * MINUTE).toISOString());
  const { told, recorded, send } = createWorld([weekly], tries(...thirty, '2026-11-01T00:00:00.000Z'));

  await send();
  await send();

  expect(told.map(({ userId }) => userId)).toEqual(['U0SAM']);
  expect(recorded).toEqual(['U0SAM: weekly digest of own cards: 1']);
  const [{ message } = { message: { text: '', blocks: [] } }] = told;
  expect(message.text).toBe('Your cards: 1 declined purchase in the last week, $84.10.');
  expect(JSON.stringify(message.blocks)).toContain('(30 attempts)');
  expect(checkBlocks(message.blocks, 'message')).toEqual([]);
});

it.each([
  ['as soon as they end', 2, '16:00', [false, true]],
  ['within them, if they end when nobody reads it any more', 13, '03:00', [true, true]],
])('during the quiet hours of its reader, is sent %s', async (_when, hours, to, isSent) => {
  const { told, send, at, isQuiet } = createWorld([weekly]);
  const endsMs = MONDAY_9_AM + hours * 60 * MINUTE;
  isQuiet('12:00', to);
  const sent: boolean[] = [];
  for (const ms of [MONDAY_9_AM + MINUTE, endsMs]) {
    at(ms);
    await send();
    sent.push(told.length === 1);
  }

  expect(sent).toEqual(isSent);
});

it('says that a status is the last known one if the card service did not give it', () => {
  const cards = [{ ...facts, isStatusRead: false }];

  const { blocks } = ownDigest({ often: 'daily', from: null, total: noSums, isCut: false, cards });

  expect(JSON.stringify(blocks)).toContain(': last known as active*');
});

it('counts the same purchase in two cities as two', async () => {
  const { texts, send } = createWorld(
    [weekly],
    [
      { at: '2026-11-22T14:00:00.000Z', city: 'Austin' },
      { at: '2026-11-22T14:01:00.000Z', city: 'Reno' },
    ],
  );

  await send();

  expect(texts()).toEqual(['Your cards: 2 declined purchases in the last week, $168.20.']);
});

it('counts every decline of a card that was declined very often, and says if there are more than are kept', async () => {
  const declines = (count: number): Declined[] =>
    Array.from({ length: count }, (_, index) => ({
      at: new Date(MONDAY_9_AM - (index + 1) * 100).toISOString(),
      city: `City ${index}`,
    }));
  const often = createWorld([weekly], declines(300));
  await often.send();
  expect(often.texts()).toEqual(['Your cards: 300 declined purchases in the last week, $25,230.00.']);

  await redis().flushall();
  const tooOften = createWorld([daily], declines(DECLINES_MAX));
  await tooOften.send();
  expect(tooOften.texts()).toEqual(['Your cards: at least 5,000 declined purchases in the last day, $420,500.00.']);
});

it('counts the same purchase on two days as two, as the digest of a channel does', async () => {
  const { texts, told, send } = createWorld(
    [weekly],
    tries('2026-11-18T14:00:00.000Z', '2026-11-18T14:01:00.000Z', '2026-11-20T14:00:00.000Z'),
  );

  await send();

  expect(texts()).toEqual(['Your cards: 2 declined purchases in the last week, $168.20.']);
  expect(JSON.stringify(told[0]?.message.blocks).match(/attempts\)/g)).toHaveLength(1);
});

it('says nothing of what was declined before the card was linked to them', async () => {
  const { told, texts, send, holds } = createWorld(
    [weekly],
    [
      { at: '2026-11-22T13:59:00.000Z', acctId: 2 },
      { at: '2026-11-22T14:01:00.000Z', acctId: 2 },
      { at: '2026-11-21T14:00:00.000Z', acctId: 2, city: 'Reno' },
    ],
  );
  holds([2], '2026-11-22T14:00:00.000Z');

  await send();

  expect(texts()).toEqual(['Your cards: 1 declined purchase in the last week, $84.10.']);
  expect(JSON.stringify(told[0]?.message.blocks)).not.toMatch(/Reno|attempts/);
});

it('shows each decline once if they want it more or less often', async () => {
  const { texts, send, at, arrives, chooses } = createWorld([weekly], tries('2026-11-20T20:00:00.000Z'));
  await send();
  // On Wednesday.
  arrives({ at: '2026-11-24T20:00:00.000Z' });
  chooses({ ...daily, since: '2026-11-25T20:00:00.000Z', startedAt: weekly.since });
  at(MONDAY_9_AM + 3 * DAY + MINUTE);
  await send();
  chooses({ ...weekly, since: '2026-11-26T20:00:00.000Z', startedAt: weekly.since });
  arrives({ at: '2026-11-27T20:00:00.000Z', city: 'Reno' });
  at(MONDAY_9_AM + 7 * DAY + MINUTE);
  await send();

  expect(texts()).toEqual([
    'Your cards: 1 declined purchase in the last week, $84.10.',
    'Your cards: 1 declined purchase since Nov 23, 9:00 AM ET, $84.10.',
    'Your cards: 1 declined purchase since Nov 26, 9:00 AM ET, $84.10.',
  ]);
});

it('sends no digest of before they chose it', async () => {
  const { told, send, at } = createWorld([{ ...weekly, since: '2026-11-23T14:01:00.000Z' }]);
  at(MONDAY_9_AM + 2 * MINUTE);

  await send();

  expect(told).toEqual([]);
});

it('covers its own period if it was chosen long ago and no earlier digest is on record', async () => {
  const chosen = '2026-09-01T15:00:00.000Z';
  const declines = tries('2026-09-02T20:00:00.000Z', '2026-11-21T20:00:00.000Z', '2026-11-22T20:00:00.000Z');
  const { texts, send } = createWorld([{ ...daily, since: chosen, startedAt: chosen }], declines);

  await send();

  expect(texts()).toEqual(['Your cards: 1 declined purchase in the last day, $84.10.']);
});

it('sends a digest only once it is on record', async () => {
  const { told, recorded, send, failures } = createWorld([daily]);
  failures.push('record');
  await expect(send()).rejects.toThrow('killed');
  expect(told).toEqual([]);

  await send();
  await send();

  expect(told.map(({ id }) => id)).toEqual(['own-digest-U0SAM-daily-2026-11-23']);
  expect(recorded).toHaveLength(1);
});

it('counts a purchase once that is tried before and after a digest', async () => {
  const { told, texts, send, at, arrives } = createWorld([daily], tries('2026-11-23T13:59:00.000Z'));
  await send();
  arrives({ at: '2026-11-23T14:05:00.000Z' });

  at(MONDAY_9_AM + DAY + MINUTE);
  await send();

  expect(texts()).toEqual([
    'Your cards: 1 declined purchase in the last day, $84.10.',
    'Your cards: no new declines in the last day, 1 more attempt at earlier ones.',
  ]);
  expect(JSON.stringify(told[1]?.message.blocks)).toContain('(1 more attempt)');
});

it('covers every card of a person with more than a page of them', async () => {
  const { texts, recorded, send, holds } = createWorld([weekly], [{ at: '2026-11-22T20:00:00.000Z', acctId: 13 }]);
  holds(accounts(13));

  await send();

  expect(texts()).toEqual(['Your cards: 1 declined purchase in the last week, $84.10.']);
  expect(recorded).toEqual(['U0SAM: weekly digest of own cards: 13']);
});

it('counts no card twice if another one is taken away while they are read', async () => {
  const declines = [{ at: '2026-11-22T20:00:00.000Z', acctId: 1 }];
  const { texts, send, holds, takenAway } = createWorld([weekly], declines);
  holds(accounts(13));
  takenAway.push(13);

  await send();

  expect(texts()).toEqual(['Your cards: 1 declined purchase in the last week, $84.10.']);
});

it('reports daily that nothing was declined if daily was chosen', async () => {
  const { told, send, at } = createWorld([daily]);

  await send();
  at(MONDAY_9_AM + DAY + 60 * MINUTE);
  await send();

  expect(told.map(({ message }) => message.text)).toEqual(
    Array(2).fill('Your cards: nothing was declined in the last day.'),
  );
});

it.each([
  ['before its hour', [weekly], MONDAY_9_AM - MINUTE],
  ['half a day late', [weekly], MONDAY_9_AM + 12 * 60 * MINUTE],
  ['if it was chosen after its hour', [{ ...weekly, since: '2026-11-23T14:00:01.000Z' }], MONDAY_9_AM + MINUTE],
  ['to a person without a card', [{ ...weekly, userId: 'U0ANA' }], MONDAY_9_AM + MINUTE],
] as const)('sends no digest %s', async (_when, digests, nowMs) => {
  const { told, recorded, send, at } = createWorld(digests);
  at(nowMs);

  await send();

  expect([told, recorded]).toEqual([[], []]);
});
