import { describe, expect, it } from 'vitest';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { stateKey, webKeys } from '../../../src/core/keys.ts';
import { createLateIntake } from '../../../src/intake/take-late.ts';
import {
  createCountNew,
  createRecoveries,
  createUnreportedOnly,
  readUptime,
} from '../../../src/recovery/recovery-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const now = new Date('2026-11-20T12:00:00Z');
const daysAgo = (days: number): string => new Date(now.getTime() - days * 24 * 3_600_000).toISOString();

function step(kind: 'settlement' | 'reversal', requested: number, happened: number): TransactionEvent {
  return transactionAlert({
    kind,
    decline: null,
    requestedAt: daysAgo(requested),
    occurredAt: daysAgo(happened),
    settledAt: kind === 'settlement' ? daysAgo(happened) : null,
  }).event;
}

const isLeftOut = async (event: TransactionEvent): Promise<boolean> =>
  (await createUnreportedOnly(redis(), () => now)([event])).length === 0;

describe('an event with a stored alert counts as reported', () => {
  it.each([
    ['settlement', 20, 7],
    ['reversal', 7, 1],
    ['reversal', 40, 1],
  ] as const)('if it is a %s requested %i days ago that happened %i days ago', async (kind, requested, happened) => {
    const event = step(kind, requested, happened);
    expect(await isLeftOut(event)).toBe(false);

    await redis().set(stateKey(`alert:${event.id}`), '{}');

    expect(await isLeftOut(event)).toBe(true);
  });

  it('unless it is recent enough for the inbox to deduplicate: a settlement of the last days, however old its purchase', async () => {
    const event = step('settlement', 40, 5);
    await redis().set(stateKey(`alert:${event.id}`), '{}');

    expect(await isLeftOut(event)).toBe(false);
  });
});

describe('an event too old to have a stored alert', () => {
  it.each([
    ['settlement', 'settled', step('settlement', 90, 40)],
    ['reversal', 'requested', step('reversal', 40, 1)],
  ])('counts as reported if webhooks were being accepted when a %s was %s', async (_kind, _what, event) => {
    expect(await isLeftOut(event)).toBe(false);

    await redis().set(webKeys.since, String(Date.parse(daysAgo(60))));
    expect(await isLeftOut(event)).toBe(true);

    const [from, to] = [Date.parse(daysAgo(41)), Date.parse(daysAgo(39))];
    await redis().zadd(webKeys.gaps, to, `${from}-${to}`);
    expect(await isLeftOut(event)).toBe(false);
  });

  it('counts as unreported from an hour before a gap through its end, inclusive', async () => {
    await redis().set(webKeys.since, String(Date.parse(daysAgo(60))));
    const [from, to] = [Date.parse(daysAgo(40)), Date.parse(daysAgo(39))];
    await redis().zadd(webKeys.gaps, to, `${from}-${to}`);
    const at = (ms: number): number => (now.getTime() - ms) / (24 * 3_600_000);
    const hourMs = 3_600_000;

    const leftOut = await Promise.all(
      [from - hourMs - 1000, from - hourMs, from, to, to + 1000].map((ms) => isLeftOut(step('settlement', 90, at(ms)))),
    );

    expect(leftOut).toEqual([true, false, false, false, true]);
  });

  it('counts as reported again once the gap was recovered, of which its neighbors hear nothing', async () => {
    await redis().set(webKeys.since, String(Date.parse(daysAgo(60))));
    const gap = (fromDays: number, toDays: number) => ({ id: 'gap_1', from: daysAgo(fromDays), to: daysAgo(toDays) });
    const noticed = [gap(41, 40), gap(36, 35)].map(({ from, to }) => [Date.parse(from), Date.parse(to)]);
    for (const [from = 0, to = 0] of noticed) await redis().zadd(webKeys.gaps, from, `${from}-${to}`);
    const recoveries = createRecoveries(redis());

    for (const recovered of [gap(41, 40), gap(41, 40), gap(39, 38)])
      await recoveries.finish(recovered, { finishedAt: daysAgo(0) });

    expect(await isLeftOut(step('settlement', 90, 40.5))).toBe(true);
    expect(await isLeftOut(step('settlement', 90, 35.5))).toBe(false);
    // No webhook came then, whatever was fetched since.
    expect((await readUptime(redis())).wasReceiving(Date.parse(daysAgo(40.5)))).toBe(false);
    expect(await redis().zcard(webKeys.gaps)).toBe(2);
  });

  it('counts as unreported before webhooks were first accepted', async () => {
    await redis().set(webKeys.since, String(Date.parse(daysAgo(40))));

    expect(await isLeftOut(step('settlement', 90, 41))).toBe(false);
    expect(await isLeftOut(step('settlement', 90, 39))).toBe(true);
  });
});

it.each([1, 16])('counts the events that were not stored, over %i shards, and stores nothing', async (shards) => {
  const event = (NetworkTransactionId: number) => read('decline', { NetworkTransactionId });
  const countNew = createCountNew(redis(), shards);
  const late = createLateIntake(redis(), () => true, shards);
  await late.take('gap_1', [event(1)]);

  expect(await countNew([event(1), event(61)])).toBe(1);
  expect(await countNew([event(1), event(61)])).toBe(1);
  await late.take('gap_1', [event(61)]);
  expect(await countNew([event(1), event(61)])).toBe(0);
});
