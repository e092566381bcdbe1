import { describe, expect, it } from 'vitest';
import { checkWaiting, tellMemory } from '../../../bin/doctor/check-waiting.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { intakeKey, outboxKey } from '../../../src/core/keys.ts';
import { channelsKey } from '../../../src/outbox/outbox-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

async function findings(): Promise<string[]> {
  const report = createReport(() => {});
  await checkWaiting(redis(), { shards: 1, fullAt: 0.85, hasWorker: true, inTime: (work) => work }, report);
  return report.findings.map(({ level, what }) => `${level}: ${what}`);
}

describe('the doctor’s check of the backlog', () => {
  it('reports no backlog in an empty Redis, and leaves it empty', async () => {
    expect(await findings()).toEqual([
      'ok: no event waits',
      'ok: what waits is posted at once',
      expect.stringMatching(/^note: will use \d+ MB when all .* stored; no event came in the last 24 hours.* no limit/),
    ]);
    expect(await redis().dbsize()).toBe(0);
  });

  it('reports the backlog, how long it takes and why, and the memory Redis will need', async () => {
    for (let n = 0; n < 3; n += 1) await redis().xadd(intakeKey('webhooks'), '*', 'event', '{}');
    await redis().sadd(channelsKey, 'C1', 'C2');
    for (let n = 0; n < 497; n += 1) await redis().zadd(outboxKey('C2', 'queue'), n, `e${n}`);
    const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
    const alerts = createAlerts(redis(), () => new Date());
    await alerts.save(transactionAlert({ id: 'evt_0000000000000001', callbackAt: daysAgo(0) }));
    await alerts.save(transactionAlert({ id: 'evt_0000000000000002', callbackAt: daysAgo(3) }));

    const [waits, drain, memory] = await findings();

    expect(waits).toBe(
      'ok: webhooks and requests in the inbox: 3, events in the queues: 0, alerts in outboxes: 497 for C2',
    );
    expect(drain).toMatch(/^ok: .* within 9 minutes where each needs its own: Slack takes one message a second.* 500$/);
    expect(memory).toMatch(/at today's rate \(events in the last 24 hours: 1\) it levels off at \d+ MB after 30 days/);
  });

  it('leaves no connection open for another card program', async () => {
    const connections = async () =>
      String(await redis().client('LIST'))
        .trim()
        .split('\n').length;
    const before = await connections();
    const ofEu = redis().duplicate({ keyPrefix: 'eu:' });
    const report = createReport(() => {});

    await checkWaiting(ofEu, { shards: 1, fullAt: 0.85, hasWorker: true, inTime: (work) => work }, report);
    ofEu.disconnect();

    await until(async () => (await connections()) === before, 'every connection is closed');
    expect(report.findings[0]?.what).toBe('no event waits');
  });

  it('says in one sentence if it may not read the backlog', async () => {
    await redis().set(channelsKey, 'not a set');

    expect(await findings()).toEqual([expect.stringMatching(/^note: how much waits cannot be told/)]);
  });
});

it.each([
  [{ used: 90e6, max: 100e6 }, 'fix', /more than 81 MB, 85 % of maxmemory \(REDIS_FULL_PERCENT\)/],
  [{ used: 10e6, max: 100e6 }, 'ok', /webhooks are refused above 81 MB/],
  [null, 'note', /Redis does not tell how much it uses/],
])('reports memory of %j as %s', (memory, level, words) => {
  const report = createReport(() => {});
  const waits = { inbox: 0, queues: 0, outboxes: new Map<string, number>(), lastDay: 0, kept: 0 };

  tellMemory(waits, memory, 0.85, report);

  expect(report.findings).toMatchObject([{ level, what: expect.stringMatching(words) }]);
});
