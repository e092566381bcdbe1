import { afterEach, describe, expect, it } from 'vitest';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { createIsCounted } from '../../../src/app/is-counted.ts';
import { type Gap, gapOf } from '../../../src/core/gap.ts';
import { webKeys } from '../../../src/core/keys.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { usePatientRedis } from '../../support/patient-redis.ts';

import { openWorkerContext } from '../../support/worker-context.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { read } from '../webhooks/read.ts';

const server = usePatientRedis();
const endMs = Date.parse('2026-11-20T14:00:00Z');
const at = (secondsAfter: number): Date => new Date(endMs + secondsAfter * 1000);
const decline = (number: number, secondsAfter: number) => ({
  ...read('decline', { NetworkTransactionId: number }),
  occurredAt: at(secondsAfter).toISOString(),
  receivedAt: at(secondsAfter).toISOString(),
});

async function setUp() {
  const opened = await openWorkerContext(server().redis, server().url);
  let nowMs = endMs - 3_600_000;
  const isCounted = createIsCounted({ ...opened.context, now: () => new Date(nowMs) });
  const isCountedAt = async (minutesLate: number): Promise<boolean> => {
    nowMs = endMs + minutesLate * 60_000;
    return await isCounted(endMs);
  };
  return { ...opened, isCountedAt };
}

it('waits for an event in the inbox that arrived before the end, and for none that came later', async () => {
  const { isCountedAt, close } = await setUp();
  const id = await server().redis.xadd(inboxKeys.webhooks, `${endMs - 1}-0`, 'entry', '{}');
  expect(await isCountedAt(1)).toBe(false);

  await server().redis.xdel(inboxKeys.webhooks, String(id));
  await server().redis.xadd(inboxKeys.webhooks, `${endMs + 1}-0`, 'entry', '{}');

  expect(await isCountedAt(1)).toBe(true);
  await server().redis.del(inboxKeys.webhooks);
  await close();
});

const jobs = {
  'an event': { queue: 'alerts', name: 'deliver-alert', dataOf: (seconds: number) => decline(1, seconds), delay: 0 },
  'an event that is tried again': {
    queue: 'alerts',
    name: 'deliver-alert',
    dataOf: (seconds: number) => decline(2, seconds),
    delay: 60_000,
  },
  'a burst': {
    queue: 'bursts',
    name: 'deliver-burst',
    dataOf: (seconds: number) =>
      burstOf([60, seconds].map((after, index) => ({ type: 'event', event: decline(3 + index, after) }))),
    delay: 0,
  },
} as const;

it.each(Object.entries(jobs))(
  'waits for the job of %s that arrived before the end, and for none that came later',
  async (_what, { queue, name, dataOf, delay }) => {
    const { isCountedAt, queues, close } = await setUp();
    await queues[queue].add(name, dataOf(5), { delay });
    expect(await isCountedAt(1)).toBe(true);

    const earlier = await queues[queue].add(name, dataOf(-5), { delay });
    expect(await isCountedAt(1)).toBe(false);
    expect(await isCountedAt(15)).toBe(false);
    expect(await isCountedAt(16), 'not forever').toBe(true);

    await earlier.remove();
    expect(await isCountedAt(1)).toBe(true);
    await queues[queue].obliterate({ force: true });
    await close();
  },
);

it('waits for a decline that is counted when its limits are known', async () => {
  const { isCountedAt, queues, context, close } = await setUp();
  const event = decline(9, -5);
  const alert = transactionAlert();
  await context.alerts.save({
    ...alert,
    event: { ...alert.event, id: event.id, occurredAt: event.occurredAt, receivedAt: event.receivedAt },
  });
  const job = await queues.updates.add('enrich-alert', { alertId: event.id }, { delay: 2000 });
  expect(await isCountedAt(0)).toBe(false);

  await job.remove();

  expect(await isCountedAt(0)).toBe(true);
  await close();
});

describe('webhooks that may have been missed before the end', () => {
  const redis = () => server().redis;
  /** The last beat of the web process. */
  const beat = (secondsAfter: number) => redis().set(webKeys.open, String(at(secondsAfter).getTime()));
  const gapFrom = (secondsAfter: number) => gapOf(at(secondsAfter).getTime(), at(45).getTime(), 'start');
  const spanOf = ({ from, to }: Gap): string => `${Date.parse(from)}-${Date.parse(to)}`;
  const recordGap = (gap: Gap) => redis().zadd(webKeys.gaps, Date.parse(gap.from), spanOf(gap));
  afterEach(() => redis().del(webKeys.open, webKeys.gaps, inboxKeys.gaps, inboxKeys.webhooks));

  it('are waited for while no webhooks are accepted', async () => {
    const { isCountedAt, close } = await setUp();
    await beat(-300);
    expect(await isCountedAt(1)).toBe(false);
    expect(await isCountedAt(16), 'not forever').toBe(true);

    await beat(-4);
    expect(await isCountedAt(0.1), 'the next beat is not due').toBe(true);
    await beat(55);
    expect(await isCountedAt(1)).toBe(true);
    await close();
  });

  it('are waited for from when their gap is recorded until it is recovered', async () => {
    const { isCountedAt, queues, close } = await setUp();
    const gap = gapFrom(-300);
    await beat(50);
    await recordGap(gap);
    await redis().xadd(inboxKeys.gaps, `${at(45).getTime()}-0`, 'entry', '{}');
    expect(await isCountedAt(1)).toBe(false);

    const job = await queues.maintenance.add('recover-gap', gap, { jobId: `recover-${gap.id}`, delay: 15_000 });
    await redis().del(inboxKeys.gaps);
    expect(await isCountedAt(2)).toBe(false);
    expect(await isCountedAt(16), 'not forever').toBe(true);

    await job.remove();
    expect(await isCountedAt(3), 'also if the recovery has failed for good').toBe(true);
    await close();
  });

  it('are not waited for if the gap began after the end', async () => {
    const { isCountedAt, queues, close } = await setUp();
    const gap = gapFrom(5);
    await beat(50);
    await recordGap(gap);
    const job = await queues.maintenance.add('recover-gap', gap, { jobId: `recover-${gap.id}`, delay: 15_000 });

    expect(await isCountedAt(1)).toBe(true);
    await job.remove();
    await close();
  });

  it('are waited for until what was fetched is counted, although it arrived after the end', async () => {
    const { isCountedAt, queues, close } = await setUp();
    await beat(50);
    await redis().zadd(webKeys.gaps, 1, `${spanOf(gapFrom(-300))}-recovered`);
    await redis().xadd(inboxKeys.webhooks, `${at(70).getTime()}-0`, 'entry', '{}');
    expect(await isCountedAt(2)).toBe(false);

    await redis().del(inboxKeys.webhooks);
    const fetched = { ...decline(20, 70), occurredAt: at(-120).toISOString() };
    const job = await queues.alerts.add('deliver-late-alert', fetched);
    expect(await isCountedAt(2)).toBe(false);

    await job.remove();
    expect(await isCountedAt(2)).toBe(true);
    await close();
  });
});

it('holds back the digests of channels and of people’s own cards', async () => {
  const { context, queues, close } = await setUp();
  let nowMs = endMs - 3_600_000;
  const atNine = { weekday: null, isMonthly: false, hour: 9, minute: 0, zone: 'America/New_York' };
  await context.digests.set({ ...atNine, channel: 'C0TEAM', by: 'U0ANA', at: '2026-11-19T15:00:00Z' });
  await context.preferences.setOwnDigest('U0MAX', { often: 'daily', since: '2026-11-19T15:00:00Z' });
  const { sendDigests } = composeDigests({ ...context, now: () => new Date(nowMs) });
  const areSent = async (): Promise<boolean[]> => {
    await sendDigests();
    const jobs = await queues.maintenance.getJobs();
    const isOwnSent = await context.warned.has('own-digest-U0MAX-daily-2026-11-20');
    return [jobs.some(({ name }) => name === 'send-digest'), isOwnSent];
  };
  nowMs = endMs + 60_000;
  const job = await queues.alerts.add('deliver-alert', decline(10, -5));
  expect(await areSent()).toEqual([false, false]);

  await job.remove();

  expect(await areSent()).toEqual([true, true]);
  await close();
});
