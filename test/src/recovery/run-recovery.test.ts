import { expect, it } from 'vitest';
import { CardApiError, SlackError, StoreUnavailableError } from '../../../src/core/errors.ts';
import { gapOf } from '../../../src/core/gap.ts';
import { createLog } from '../../../src/core/log.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { createRunRecovery } from '../../../src/recovery/run-recovery.ts';
import { held, withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const gap = gapOf(0, 3_600_000, 'start');
const apiError = (code: CardApiError['code'], status: number) =>
  new CardApiError('refused', { operation: 'x', status, outcome: 'refused', code, apiMessage: null });

/** A recovery that throws `error`. @returns when it runs again, and what was reported. */
async function run(error: Error | null, isBusy = false) {
  const reported: string[] = [];
  const recoveries = createRecoveries(redis());
  const { run: asJob } = createRunRecovery({
    async recoverGap() {
      if (error !== null) throw error;
      return await recoveries.read(gap.id);
    },
    notify: {
      progress: async (_gap, state) => void reported.push(state),
      end: async (_gap, state) => void reported.push(state),
    },
    recoveries,
    async tryLock(_name, work) {
      if (isBusy) throw new StoreUnavailableError('the lock is taken');
      return await work(held);
    },
    withLock: withoutLock,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  return { againMs: await asJob(gap), reported };
}

it.each([
  ['is closed', null, null, ['done']],
  ['waits for an unresponsive card service', apiError('unavailable', 503), 15_000, ['waiting']],
  ['waits for another token when the card service rejects this one', apiError('token_dead', 401), 60_000, ['waiting']],
  ['fails when the card service refuses it', apiError('refused', 400), null, ['failed']],
  [
    'comes back when Slack rejects its result',
    new SlackError('chat.postMessage', 'rate_limited', 'ratelimited'),
    5000,
    [],
  ],
] as const)('a gap %s', async (_what, error, againMs, reported) => {
  expect(await run(error)).toEqual({ againMs, reported });
});

it('waits while another worker recovers a gap', async () => {
  expect(await run(null, true)).toEqual({ againMs: 1000, reported: [] });
});
