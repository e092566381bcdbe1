import { expect, it } from 'vitest';
import { missedRows } from '../../../src/app/compose-recovery.ts';
import { workerConfig } from '../../../src/app/config.ts';
import type { CallOptions } from '../../../src/card-api/call.ts';
import { createLog } from '../../../src/core/log.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('gives the card service two minutes for the rows of a period, of which one attempt may take all', async () => {
  const config = workerConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_URL: 'http://127.0.0.1:9/v4',
    CARD_API_TOKEN: 'api-token-0123456789',
  });
  const given: (CallOptions | undefined)[] = [];
  const { fetchRows } = missedRows({
    redis: redis(),
    config,
    assumptions: config.cardApiAssumptions,
    card: {
      async listNetworkTransactions(_window, options) {
        given.push(options);
        return [];
      },
    },
    now: () => new Date(),
    log: createLog({ level: 'silent', process: 'test' }),
  });

  await fetchRows(new Date(0), new Date(1));

  expect(given).toEqual([{ deadlineMs: 120_000, attemptMs: 120_000 }]);
});
