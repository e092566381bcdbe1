import { expect, it } from 'vitest';
import { createSendOwnDigests } from '../../../src/app-home/send-own-digests.ts';
import type { OwnDigest } from '../../../src/holders/preference-store.ts';
import type { Message } from '../../../src/slack/message.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

const MONDAY_9_AM = Date.parse('2026-11-23T14:00:00.000Z');
const MINUTE = 60_000;
const weekly: OwnDigest = { userId: 'U0SAM', often: 'weekly', since: '2026-11-20T00:00:00.000Z' };
const facts = { card, value: '', status: 'ACTIVE', balanceCents: 5000, limits: [], hasLimits: true, declines: [] };

function createWorld(
  digests: readonly OwnDigest[],
  declinedAt: readonly string[] = [],
  cities: readonly string[] = [],
) {
  const told: { userId: string; message: Message }[] = [];
  const recorded: string[] = [];
  const ids = new Set<string>();
  let nowMs = MONDAY_9_AM + MINUTE;
  const send = createSendOwnDigests({
    preferences: { ownDigests: async () => [...digests] },
    ownCards: async (userId) => ({ shown: userId === 'U0SAM' ? [facts] : [] }),
    recentDeclines: async () =>
      declinedAt.map((occurredAt, index) => {
        const { event } = transactionAlert();
        return { ...event, occurredAt, merchant: { ...event.merchant, city: cities[index] ?? 'Austin' } };
      }),
    sent: { has: async (id) => ids.has(id), add: async (id) => void ids.add(id) },
    notifyDirectly: async (userId, _id, message) => void told.push({ userId, message }),
    record: async (userId, _id, what) => void recorded.push(`${userId}: ${what}`),
    zone: 'America/New_York',
    now: () => new Date(nowMs),
  });
  const at = (ms: number): void => {
    nowMs = ms;
  };
  return { told, recorded, send, at };
}

it('sends a due digest once, with thirty attempts of a purchase as one decline', async () => {
  const tries = Array.from({ length: 30 }, (_, minute) => new Date(MONDAY_9_AM - (minute + 1) * MINUTE).toISOString());
  const { told, recorded, send } = createWorld([weekly], [...tries, '2026-11-01T00:00:00.000Z']);

  await send();
  await send();

  expect(told.map(({ userId }) => userId)).toEqual(['U0SAM']);
  expect(recorded).toEqual(['U0SAM: weekly digest of own cards: 1']);
  const [{ message } = { message: { text: '', blocks: [] } }] = told;
  expect(message.text).toBe('Your cards: 1 declined purchase in the last week, $84.10.');
  expect(JSON.stringify(message.blocks)).toContain('(30 attempts)');
  expect(checkBlocks(message.blocks, 'message')).toEqual([]);
});

it('counts the same purchase in two cities as two', async () => {
  const { told, send } = createWorld(
    [weekly],
    ['2026-11-22T14:00:00.000Z', '2026-11-22T14:01:00.000Z'],
    ['Austin', 'Reno'],
  );

  await send();

  expect(told[0]?.message.text).toBe('Your cards: 2 declined purchases in the last week, $168.20.');
});

it('reports daily that nothing was declined if daily was chosen', async () => {
  const { told, send, at } = createWorld([{ ...weekly, often: 'daily' }]);

  await send();
  at(MONDAY_9_AM + 25 * 60 * MINUTE);
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
