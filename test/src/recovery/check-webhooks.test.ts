import { beforeEach, describe, expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import type { TransactionEvent, TransactionKind } from '../../../src/core/event.ts';
import type { Gap } from '../../../src/core/gap.ts';
import { webKeys } from '../../../src/core/keys.ts';
import { seenKey } from '../../../src/intake/intake.ts';
import { createCheckWebhooks, createReadArrivals, readUnsentKinds } from '../../../src/recovery/check-webhooks.ts';
import { createCountNew, createRecoveries, readUptime } from '../../../src/recovery/recovery-store.ts';
import { createNoteArrival } from '../../../src/recovery/sent-kinds.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const ms = (time: string): number => Date.parse(`2026-11-20T${time}Z`);
const wall = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);

let rows: TransactionEvent[];
let asked: string[];
let recovered: string[];
let told: string[];
let isAway: boolean;
let isDying: boolean;

beforeEach(async () => {
  [rows, asked, recovered, told, isAway, isDying] = [[], [], [], [], false, false];
  await redis().set(webKeys.since, String(ms('00:00')));
});

/** What happened, as the card service lists it. */
function happened(time: string, kind: TransactionKind = 'decline'): TransactionEvent {
  const at = new Date(ms(time)).toISOString();
  const event = read('decline', { NetworkTransactionId: rows.length + 1 }) as TransactionEvent;
  const row = { ...event, kind, occurredAt: at, requestedAt: at };
  rows.push(row);
  return row;
}

/** The same, and its webhook arrived, or a recovery fetched it. */
async function arrived(time: string, kind?: TransactionKind, late = false): Promise<void> {
  const event = happened(time, kind);
  await redis().set(seenKey(event.id), '1');
  await createAlerts(redis(), () => new Date()).save({ ...transactionAlert(event), late });
  if (!late) await createNoteArrival(createRecoveries(redis()), () => new Date(event.occurredAt))(event);
}
const fetched = (time: string, kind?: TransactionKind): Promise<void> => arrived(time, kind, true);

/** Runs the check. @param beat when web last accepted webhooks; null: it has not run yet. */
async function check(beat: string | null): Promise<void> {
  if (beat !== null) await redis().set(webKeys.open, String(ms(beat)));
  const recoveries = createRecoveries(redis());
  await createCheckWebhooks({
    async fetchRows(from, to) {
      asked.push(`${wall(from.getTime())}-${wall(to.getTime())}`);
      if (isAway) throw unanswered();
      return rows
        .filter(({ requestedAt }) => requestedAt >= from.toISOString() && requestedAt <= to.toISOString())
        .map((event) => ({ event }));
    },
    readRow: ({ event }) => ({ kind: 'event', event: event as TransactionEvent }),
    readUptime: () => readUptime(redis()),
    readArrivals: createReadArrivals({
      alerts: createAlerts(redis(), () => new Date()),
      countUnreported: createCountNew(redis(), 1),
    }),
    recoveries,
    async enqueueRecovery({ from, to, cause }: Gap) {
      if (isDying) throw new Error('killed');
      recovered.push(`${wall(Date.parse(from))}-${wall(Date.parse(to))} ${cause}`);
    },
    notifyOps: async ({ title }) => void told.push(title),
    notifyResolved: async ({ title }) => void told.push(`over: ${title}`),
  })();
}

it('asks nothing at first, and then for the time since the last check, until five minutes ago', async () => {
  for (const beat of ['08:05', '09:05', '10:06']) await check(beat);

  expect(asked).toEqual(['08:00-09:00', '09:00-10:01']);
  expect([...recovered, ...told]).toEqual([]);
});

it('recovers what happened while webhooks did not reach web, and tells ops', async () => {
  await check('08:05');
  await arrived('08:10');
  happened('08:40');

  await check('09:05');

  expect(recovered).toEqual(['08:00-09:00 unnoticed']);
  expect(told).toEqual(['Webhooks of declines are missing or cannot be read']);
});

it('misses the webhooks of purchases only if such webhooks have arrived before', async () => {
  await check('08:05');
  happened('08:10', 'authorization');
  happened('08:20', 'pin');
  await check('09:05');
  expect([...recovered, ...told]).toEqual([]);
  const unsent = () => readUnsentKinds(createRecoveries(redis()));
  expect(await unsent(), 'the doctor names them').toEqual(['authorization', 'pin']);
  await arrived('09:10', 'authorization');
  await check('10:05');
  expect(await unsent()).toEqual(['pin']);
  happened('10:10', 'authorization');
  happened('10:20', 'pin');

  await check('11:05');

  expect(recovered).toEqual(['10:00-11:00 unnoticed']);
  const missing = 'Webhooks of purchases are missing or cannot be read';
  expect(told).toEqual([`over: ${missing}`, missing]);
});

it('does not take a purchase that a recovery fetched for one whose webhook arrived', async () => {
  await check('08:05');
  await fetched('08:10', 'authorization');
  await check('09:05');
  happened('09:10', 'authorization');

  await check('10:05');

  expect([...recovered, ...told]).toEqual([]);
});

it('calls nothing over while declines are missing and only purchases arrive', async () => {
  await check('08:05');
  await arrived('08:10', 'authorization');
  happened('08:40');
  await check('09:05');
  told = [];
  await fetched('09:01');
  await arrived('09:10', 'authorization');

  await check('10:05');

  expect(told).not.toContain('over: Webhooks of declines are missing or cannot be read');
});

it('recovers nothing when every webhook has arrived, and then what ops were told is over', async () => {
  await check('08:05');
  await arrived('08:10');

  await check('09:05');

  expect(recovered).toEqual([]);
  expect(told).toEqual(['over: Webhooks of declines are missing or cannot be read']);
});

describe('says nothing about', () => {
  it('a webhook that is under way', async () => {
    await check('08:05');
    happened('09:01');

    await check('09:05');

    expect([...recovered, ...told]).toEqual([]);
  });

  it('a later step of a purchase, whose webhook may come hours later', async () => {
    await check('08:05');
    happened('08:30', 'settlement');
    happened('08:30', 'reversal');

    await check('09:05');

    expect([...recovered, ...told]).toEqual([]);
  });

  it('what happened in a recorded gap, or shortly before: its own recovery fetches that', async () => {
    await check('08:05');
    happened('08:10');
    happened('08:50');
    await redis().zadd(webKeys.gaps, ms('08:45'), `${ms('08:45')}-${ms('08:55')}`);

    await check('09:05');

    expect([...recovered, ...told]).toEqual([]);
  });

  it('what happened before Cardbell first ran', async () => {
    await check('08:05');
    await redis().set(webKeys.since, String(ms('08:30')));
    happened('08:20');

    await check('09:05');

    expect([...recovered, ...told]).toEqual([]);
  });

  it('anything while web has never run', async () => {
    happened('08:20');

    await check(null);

    expect([...asked, ...recovered, ...told]).toEqual([]);
  });
});

it('asks only for the time in which web is known to have accepted webhooks', async () => {
  await check('08:05');
  await check('08:20');
  await check('08:20');

  expect(asked).toEqual(['08:00-08:15']);
});

it('asks again for the time in which the card service did not answer', async () => {
  await check('08:05');
  happened('08:10');
  isAway = true;
  await expect(check('09:05')).rejects.toThrow();
  isAway = false;

  await check('10:05');

  expect(asked).toEqual(['08:00-09:00', '08:00-10:00']);
  expect(recovered).toEqual(['08:00-10:00 unnoticed']);
});

it("asks again for the last half day when Redis' clock went back, and then goes on from there", async () => {
  await check('20:05');
  happened('13:10');

  await check('14:05');
  await check('15:05');

  expect(asked).toEqual(['02:00-14:00', '14:00-15:00']);
  expect(recovered).toEqual(['02:00-14:00 unnoticed']);
});

it('asks for at most half a day at once, and continues there', async () => {
  for (const beat of ['00:05', '15:05', '15:05']) await check(beat);

  expect(asked).toEqual(['00:00-12:00', '12:00-15:00']);
});

it('recovers what an outage of the card service withheld, also if its webhooks were refused in a later gap', async () => {
  await check('09:00');
  happened('09:30');
  isAway = true;
  await expect(check('10:00')).rejects.toThrow();
  isAway = false;
  await redis().zadd(webKeys.gaps, ms('13:50'), `${ms('13:50')}-${ms('15:10')}`);

  await check('16:00');

  expect(recovered).toEqual(['08:55-15:55 unnoticed']);
});

it('recovers what it found also when it dies before it has enqueued that', async () => {
  await check('08:05');
  happened('08:40');
  isDying = true;
  await expect(check('09:05')).rejects.toThrow('killed');
  isDying = false;

  await check('09:05');

  expect(recovered).toEqual(['08:00-09:00 unnoticed']);
});
