import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createEventLog, type Step } from '../../../src/alerts/event-log.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;
const minute = (count: number): string => new Date(Date.parse('2026-11-20T14:00:00Z') + count * 60_000).toISOString();

const routed: Step = { step: 'routed', channel: 'C1', text: 'Because.' };
const held: Step = { step: 'held', channel: 'C1', text: 'Until later.' };
const logOf = (id: string) => createEventLog(redis(), () => new Date()).read(id);

it('logs the steps of each alert in their order, also of alerts recorded together', async () => {
  const { record } = createAlerts(redis(), () => new Date(minute(0)));
  const logs = [[routed], [routed, held], [], [held, routed], [routed]];

  await Promise.all(logs.map((steps, index) => record(transactionAlert({ id: idOf(index) }), steps)));

  const read = await Promise.all(logs.map((_steps, index) => logOf(idOf(index))));
  expect(read.map((steps) => steps.map(({ step }) => step))).toEqual([
    ['routed'],
    ['routed', 'held'],
    [],
    ['held', 'routed'],
    ['routed'],
  ]);
  expect(read[1]?.map(({ at: logged }) => logged)).toEqual([
    '2026-11-20T14:00:00.000000Z',
    '2026-11-20T14:00:00.000001Z',
  ]);
});

it('keeps the time of a step when an alert is recorded again, and adds new steps', async () => {
  let now = minute(0);
  const { record } = createAlerts(redis(), () => new Date(now));
  const alert = transactionAlert();
  await record(alert, [routed]);

  now = minute(1);
  await record(alert, [routed, held]);

  expect(await logOf(alert.event.id)).toEqual([
    { ...routed, at: '2026-11-20T14:00:00.000000Z' },
    { ...held, at: '2026-11-20T14:01:00.000001Z' },
  ]);
});

it('adds no steps to a log that is full', async () => {
  const { record } = createAlerts(redis(), () => new Date());
  const alert = transactionAlert();
  const many = Array.from({ length: 100 }, (_, index): Step => ({ ...routed, text: `Reason ${index}.` }));
  await record(alert, many);

  await record(alert, [held]);

  expect(await logOf(alert.event.id)).toHaveLength(100);
});

it('adds steps to an alert that has much other data, such as its repeats in many channels', async () => {
  const { record } = createAlerts(redis(), () => new Date());
  const alert = transactionAlert();
  await record(alert, [routed]);
  const repeats = Array.from({ length: 100 }, (_, index) => [`group:C${index}`, idOf(1)] as const);
  await redis().hset(`{cardbell:state}:alert:${alert.event.id}`, Object.fromEntries(repeats));

  await record(alert, [routed, held]);

  expect(await logOf(alert.event.id)).toMatchObject([routed, held]);
});

it('tells of each decline whether a payment of its account followed it, in any order of arrival', async () => {
  const { record } = createAlerts(redis(), () => new Date());
  const paid = async (index: number, acctId: number, minutes: number) =>
    await record(
      transactionAlert({ id: idOf(index), acctId, kind: 'authorization', decline: null, occurredAt: minute(minutes) }),
      [],
    );
  expect(await paid(1, 1001, 10)).toBe(false);
  await paid(2, 1001, 20);
  await paid(3, 1002, 30);

  const declines = [
    [4, 1001, 5],
    [5, 1001, 10],
    [6, 1001, 15],
    [7, 1001, 25],
    [8, 1002, 25],
    [9, 1003, 25],
  ] as const;
  const recorded = await Promise.all(
    declines.map(([index, acctId, minutes]) =>
      record(transactionAlert({ id: idOf(index), acctId, occurredAt: minute(minutes) }), []),
    ),
  );

  expect(recorded).toEqual([true, true, true, false, true, false]);
});
