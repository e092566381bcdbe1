import { expect, it } from 'vitest';
import { createLog, type Log } from '../../../src/core/log.ts';
import { until } from '../../support/until.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly repeated?: number;
  readonly jobId?: string;
}

function collect(repeatMs?: number): { log: Log; lines: () => Line[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const limit = repeatMs === undefined ? {} : { repeatMs };
  return {
    log: createLog({ level: 'info', process: 'test', destination, ...limit }),
    lines: () => written.map((line) => JSON.parse(line) as Line),
  };
}

const full = (size: number): Error => new Error(`OOM command not allowed, ${size} bytes used`);

it('writes a repeated error once, and then with the number of repeats', async () => {
  const { log, lines } = collect(30);

  for (let i = 0; i < 1000; i += 1) log.error({ err: full(i), queue: 'alerts', jobId: `job-${i}` }, 'job failed');
  expect(lines()).toHaveLength(1);
  await until(() => lines().length === 2, 'the repeats are counted');

  expect(lines()[1]).toMatchObject({ level: 'error', msg: 'job failed', repeated: 999, jobId: 'job-999' });
});

it('distinguishes causes by message, error and subject, not by ids', () => {
  const { log, lines } = collect();

  log.warn({ what: 'appendonly is off' }, 'redis settings can lose events');
  log.warn({ what: 'maxmemory-policy is allkeys-lru' }, 'redis settings can lose events');
  log.error({ err: full(1), queue: 'alerts' }, 'queue error');
  log.error({ err: full(1), queue: 'outbox' }, 'queue error');
  log.error({ err: new Error('no such script'), queue: 'outbox' }, 'queue error');
  log.error({ err: full(2), queue: 'outbox' }, 'queue error');
  log.error('queue error');

  expect(lines()).toHaveLength(6);
});

it('never suppresses audit lines and fatal errors', () => {
  const { log, lines } = collect();

  for (const record of [1, 2]) log.info({ record }, 'on record');
  for (const _ of [1, 2]) log.fatal({}, 'Slack refuses the bot token');

  expect(lines()).toHaveLength(4);
});

it('writes a repeated line at once after a pause', async () => {
  const { log, lines } = collect(20);

  log.warn({}, 'maintenance failed; will retry on the next run');
  await new Promise((resolve) => setTimeout(resolve, 60));
  log.warn({}, 'maintenance failed; will retry on the next run');

  expect(lines()).toHaveLength(2);
  expect(lines()[1]?.repeated).toBeUndefined();
});
