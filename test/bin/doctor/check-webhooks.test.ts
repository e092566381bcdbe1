import { expect, it } from 'vitest';
import { checkWebhooks } from '../../../bin/doctor/check-webhooks.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

async function findings(inTime: <T>(work: Promise<T>) => Promise<T> = (work) => work): Promise<string[]> {
  const report = createReport(() => {});
  await checkWebhooks(redis(), { shards: 1, inTime }, report);
  return report.findings.map(({ level, what }) => `${level}: ${what}`);
}

it('the doctor names a kind of webhook that the card service never sends, until one arrives', async () => {
  expect(await findings()).toEqual([]);
  const recoveries = createRecoveries(redis());
  await recoveries.write('webhooks-unsent-pin', { position: '2026-11-20T12:00:00.000Z' });

  expect(await findings()).toEqual([
    expect.stringMatching(/^note: no webhook of PIN purchases has arrived .* no address for the kind pin on purpose/),
  ]);
  await recoveries.write('webhooks-pin', { position: '2026-11-20T13:00:00.000Z' });
  expect(await findings()).toEqual([]);
});

it('the doctor says nothing about them if it may not read that', async () => {
  await createRecoveries(redis()).write('webhooks-unsent-pin', { position: '2026-11-20T12:00:00.000Z' });

  const refused = async <T>(work: Promise<T>): Promise<T> => {
    await work;
    throw new Error('NOPERM');
  };
  expect(await findings(refused)).toEqual([]);
});
