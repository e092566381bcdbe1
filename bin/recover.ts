import './unexpected-error.ts';
import { randomUUID } from 'node:crypto';
import { composeRecovery } from '../src/app/compose-recovery.ts';
import { type WorkerConfig, workerConfig } from '../src/app/config.ts';
import { useProxy } from '../src/app/outgoing-proxy.ts';
import { readShards } from '../src/app/stored-format.ts';
import { createWorkerContext } from '../src/app/worker-context.ts';
import { type Gap, gapOf } from '../src/core/gap.ts';
import { terminalCommand, useInstallation } from '../src/core/installation.ts';
import { createLog, type Log } from '../src/core/log.ts';
import { closeQueues, openQueues } from '../src/core/queues.ts';
import type { RedisClient } from '../src/core/redis.ts';
import { momentOf, readSince } from '../src/core/since.ts';
import { createMetrics } from '../src/ops/metrics.ts';
import { openPolicy } from '../src/policy/policy-source.ts';
import { isTooLongAgo, NOT_ASKABLE } from '../src/recovery/gap-window.ts';
import { endMisused, readArguments } from './arguments.ts';
import { measuredClock } from './measured-clock.ts';
import { openRecord } from './open-record.ts';
import { orExit, reachRedis, warnIfEmpty } from './reach-redis.ts';
import { composeDryRun } from './recover/dry-run.ts';
import { resultWords } from './recover/result-words.ts';
import { whyFailed } from './recover/why-failed.ts';
import { readBeats } from './shards/last-beat.ts';

const usage = `Fetches events that the card service reported and Cardbell missed, and posts them as late.

  npm run recover -- --since 2h                     or 3d, 2026-11-20, 2026-11-20T09:00, with or without offset
  npm run recover -- --since 2h --until 30m         up to half an hour ago; now without it
  npm run recover -- --since 2h --dry-run           only counts, changes nothing

Nothing is posted twice, so you can run it as often as you like. A worker posts the events. A run without
--dry-run goes on record. Reads the worker's variables. Exit code: 0 when it is done, 1 when the card service did not answer,
another recovery is running or Redis has no data of Cardbell (nothing was changed), 64 for a wrong command line, 69 when Redis
does not answer or accepts no writes, 78 for a variable that is missing.
`;

const BAR = 30;

const command = { name: 'recover', usage };
const { values, positionals } = readArguments(command, {
  since: { type: 'string' },
  until: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});

/** A time in its words. If there is none in them, ends the process. */
function timeOf(flag: string, text: string): NonNullable<ReturnType<typeof readSince>> {
  return readSince(text.trim().split(/\s+/)) ?? endNoTime(flag, text);
}

function endNoTime(flag: string, text: string): never {
  return endMisused(command, `--${flag}: expected how long ago (2h) or a date and time, not ${text}`);
}

/** If a time is in the future or too long ago, or the times are in the wrong order, ends the process. */
function gapFrom(since: string, until: string | undefined, now: string, zone: string): Gap {
  const moment = (flag: string, text: string): number =>
    Date.parse(momentOf(timeOf(flag, text), now, zone) ?? endNoTime(flag, text));
  const fromMs = moment('since', since);
  if (isTooLongAgo(fromMs, Date.parse(now))) endMisused(command, `--since ${since}: ${NOT_ASKABLE}`);
  const toMs = until === undefined ? Date.parse(now) : moment('until', until);
  if (fromMs >= toMs) endMisused(command, '--since has to be before --until, and both in the past');
  return gapOf(fromMs, Math.min(toMs, Date.parse(now)), 'asked');
}

function bar(done: number, recovered: number): void {
  if (!process.stderr.isTTY) return;
  const full = Math.round(done * BAR);
  const percent = String(Math.floor(done * 100)).padStart(3);
  process.stderr.write(`\r${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent}%  ${recovered} found so far `);
  if (done >= 1) process.stderr.write('\n');
}

async function main(): Promise<number> {
  const { since, until, 'dry-run': isDryRun } = values;
  const [word] = positionals;
  if (word !== undefined) return endMisused(command, `expected only flags, not ${word}`);
  if (since === undefined) return endMisused(command, 'expected --since with how long ago (2h) or a date and time');
  // First of all: this much of the command line can be read without the time and its zone.
  timeOf('since', since);
  if (until !== undefined) timeOf('until', until);
  const config = orExit(() => workerConfig());
  useInstallation(config);
  await useProxy(config.proxy);
  // The result alone belongs on standard output.
  const log = createLog({ level: 'error', process: 'recover', destination: process.stderr });
  const redis = await reachRedis('recover', config);
  const now = await measuredClock(redis);
  const gap = gapFrom(since, until, now().toISOString(), config.serviceZone);
  // No process would ever post what is stored there.
  if (!(await warnIfEmpty(redis))) {
    process.stderr.write('Nothing was changed.\n');
    return 1;
  }
  const ofData = { ...config, redisShards: await readShards(redis) };
  try {
    const found = isDryRun
      ? await composeDryRun(ofData, redis, now, log)(gap, show)
      : await runHere(ofData, redis, gap, log);
    bar(1, found.recovered);
    process.stdout.write(resultWords(found, gap, isDryRun));
    // Only a hint: if it cannot be read, the recovery was successful all the same.
    if (!isDryRun && found.recovered > 0) await warnIfUnposted(redis).catch(() => {});
    return 0;
  } catch (error) {
    const { why, code } = whyFailed(error);
    process.stderr.write(`\n${why}\n`);
    process.stderr.write(
      isDryRun
        ? 'Nothing was changed. Run it again when that is corrected.\n'
        : // The same times, because a time ago means another one by then.
          `Everything fetched so far is kept. To continue from there: ${terminalCommand(`recover -- --since ${gap.from} --until ${gap.to}`)}\n`,
    );
    return code;
  } finally {
    redis.disconnect();
  }
}

async function warnIfUnposted(redis: RedisClient): Promise<void> {
  const { workersMs } = await readBeats(redis);
  if (workersMs.length === 0) process.stderr.write('No worker runs: start one, it posts what was recovered.\n');
}

const show = async (done: number, { recovered }: { recovered: number }): Promise<void> => bar(done, recovered);

async function runHere(config: WorkerConfig, redis: RedisClient, gap: Gap, log: Log) {
  const detail = `what was missed between ${gap.from} and ${gap.to}, at a terminal`;
  // Recorded first, so that nothing is recovered without a trace.
  const record = await openRecord(redis, config);
  await record?.({ event: 'asked', verb: 'recover', actionId: `recover_${randomUUID()}`, detail });
  const queues = openQueues(redis, config.redisShards);
  const policy = orExit(() => openPolicy(config, log), config.program);
  const metrics = createMetrics('recover');
  const context = createWorkerContext(config, redis, queues, { policy, log, metrics, reportsTokens: false });
  await context.clock.measure();
  try {
    return await composeRecovery(context).runHere(gap, show);
  } finally {
    await context.directory.stop();
    await closeQueues(queues);
  }
}

process.exit(await main());
