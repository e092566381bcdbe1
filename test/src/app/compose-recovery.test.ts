import { expect, it } from 'vitest';
import { missedRows } from '../../../src/app/compose-recovery.ts';
import { workerConfig } from '../../../src/app/config.ts';
import type { CallOptions } from '../../../src/card-api/call.ts';
import { badAnswer } from '../../../src/card-api/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

type List = Parameters<typeof missedRows>[0]['card']['listNetworkTransactions'];

function rowsFrom(listNetworkTransactions: List) {
  const config = workerConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_URL: 'http://127.0.0.1:9/v4',
    CARD_API_TOKEN: 'api-token-0123456789',
  });
  return missedRows({
    redis: redis(),
    config,
    assumptions: config.cardApiAssumptions,
    card: { listNetworkTransactions },
    now: () => new Date(),
    log: createLog({ level: 'silent', process: 'test' }),
  });
}

it('gives the card service two minutes for the rows of a period, of which one attempt may take all', async () => {
  const given: (CallOptions | undefined)[] = [];
  const { fetchRows } = rowsFrom(async (_window, options) => {
    given.push(options);
    return [];
  });

  await fetchRows(new Date(0), new Date(1));

  expect(given).toEqual([{ deadlineMs: 120_000, attemptMs: 120_000 }]);
});

const MINUTE = 60_000;

it('asks for shorter periods when the list of a period has more pages than one', async () => {
  const { fetchRows } = rowsFrom(async ({ from, to }) => {
    const minutes = (to.getTime() - Number(from)) / MINUTE;
    if (minutes > 10) throw badAnswer('list', 200, 'more pages than one');
    return [{ from: Number(from) / MINUTE, minutes }];
  });

  expect(await fetchRows(new Date(0), new Date(20 * MINUTE))).toEqual([
    { from: 0, minutes: 10 },
    { from: 10, minutes: 10 },
  ]);
});

it('gives up when not even the list of a short period can be read', async () => {
  let calls = 0;
  const { fetchRows } = rowsFrom(async () => {
    calls += 1;
    throw badAnswer('list', 200, 'more pages than one');
  });

  await expect(fetchRows(new Date(0), new Date(30 * MINUTE))).rejects.toThrow('more pages than one');
  expect(calls).toBeLessThan(4);
});
