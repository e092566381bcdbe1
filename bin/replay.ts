import './unexpected-error.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { auditConfig, EX_CONFIG } from '../src/app/config.ts';
import type { JobName } from '../src/app/jobs.ts';
import { wordsOf } from '../src/app/programs.ts';
import { remembered } from '../src/app/remember-writes.ts';
import { readShards } from '../src/app/stored-format.ts';
import { PayloadError } from '../src/core/errors.ts';
import { type CardStatusEvent, FETCHED_PATH, StoredEvent } from '../src/core/event.ts';
import { stateKey } from '../src/core/keys.ts';
import { createLog } from '../src/core/log.ts';
import { closeQueues, openQueues, type Queues } from '../src/core/queues.ts';
import { redactText } from '../src/core/redact-text.ts';
import { createRedo } from '../src/core/redo.ts';
import { createDirectory } from '../src/directory/directory.ts';
import { createIntake } from '../src/intake/intake.ts';
import { everyStuck } from '../src/ops/stuck.ts';
import { createTrackedMessages } from '../src/outbox/tracked-message-store.ts';
import { createBackfilled } from '../src/recovery/recover-statuses.ts';
import { createUnreportedOnly } from '../src/recovery/recovery-store.ts';
import { reread } from '../src/webhooks/kind.ts';
import { createQuarantineStore } from '../src/webhooks/quarantine.ts';
import { endMisused, readVerb, requireNoMore } from './arguments.ts';
import { measuredClock } from './measured-clock.ts';
import { openRecord } from './open-record.ts';
import { orExit, reachRedis, warnIfEmpty } from './reach-redis.ts';

const usage = `Quarantined webhooks and failed jobs: inspect, retry, discard.

  npm run replay -- list                          what is there, newest first
  npm run replay -- show ID                       one of them in full (redacted)
  npm run replay -- run ID|all                    retry
  npm run replay -- discard ID --reason "..."     delete it permanently

Reads REDIS_URL. run and discard go on record, which needs what the worker reads, too: without it, discard does nothing.
Exit code: 0 when it is done, 1 when it failed, 64 for a wrong command line, 69 when Redis does not answer, 78 when a variable is missing or bad.
`;

/** If Redis comes back without what it was told in this time, what was discarded would be back with it. */
const UNTIL_ON_DISK_MS = 2000;

const command = { name: 'replay', usage };
const { verb, words, values } = readVerb(
  command,
  { reason: { type: 'string' } },
  { list: [], show: [], run: [], discard: ['reason'] },
);
const [id = '', ...more] = verb === 'list' ? ['', ...words] : words;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${wordsOf(config.program, line)}\n`);

if (verb !== 'list' && id === '') endMisused(command, `expected the ID of what to ${verb}`);
requireNoMore(command, verb === 'list' ? verb : id, more);
const reason = values.reason?.trim() ?? '';
if (verb === 'discard' && reason === '') endMisused(command, 'discard needs --reason "why": it goes on record');
const config = orExit(() => auditConfig());
const redis = await reachRedis('replay', config);
if (verb === 'list' || id === 'all') await warnIfEmpty(redis);
const quarantine = createQuarantineStore(redis);
const shards = await readShards(redis);
// A Redis without data stays empty, also when something was to be changed there.
const queues = openQueues(redis, shards, { onlyLook: true });
const intake = createIntake(redis, { shards });
const now = await measuredClock(redis);
const unreportedOnly = createUnreportedOnly(redis, now);
const messages = createTrackedMessages(redis, now);
const directory = createDirectory({ redis, loader: null, now });

async function list(): Promise<number> {
  const count = { quarantined: 0, failed: 0 };
  for await (const { id: one, kind, at, what, cause } of everyStuck({ queues, quarantined: quarantine })) {
    say(`${one}  ${kind}  ${at}  ${what}  ${cause}`);
    count[kind] += 1;
  }
  say(`${count.quarantined} quarantined, ${count.failed} failed.`);
  return 0;
}

async function show(wanted: string): Promise<number> {
  const kept = await quarantine.get(wanted);
  const failed = (await findFailed(wanted))?.job;
  if (kept === null && failed === undefined) return unknown(wanted);
  say(
    JSON.stringify(
      kept ?? {
        id: failed?.id,
        name: failed?.name,
        cause: redactText(failed?.failedReason ?? ''),
        attempts: failed?.attemptsMade,
        data: failed?.data,
      },
      null,
      2,
    ),
  );
  return 0;
}

async function run(wanted: string): Promise<number> {
  const ids = new Set<string>();
  if (wanted !== 'all') ids.add(wanted);
  // Noted first, so that what fails again is not tried again.
  else for await (const stuck of everyStuck({ queues, quarantined: quarantine })) ids.add(stuck.id);
  const what = wanted === 'all' ? `all ${ids.size}` : await whatIs(wanted);
  if (what === null) return unknown(wanted);
  if (ids.size > 0) await recordRun(wanted === 'all' ? what : `${what} ${wanted}`);
  let stillBad = 0;
  for (const one of ids) stillBad += await runOne(one);
  say(`${ids.size - stillBad} replayed, ${stillBad} not.`);
  return stillBad === 0 ? 0 : 1;
}

async function recordRun(detail: string): Promise<void> {
  const record = await openRecord(redis, config);
  if (record === null)
    complain('This is not on record: set AUDIT_KEY, or CARD_API_TOKEN if the worker has no AUDIT_KEY.');
  await record?.({ event: 'asked', verb: 'replay', actionId: `replay_${randomUUID()}`, detail });
}

/** Recovery may have reported the same under another id, or longer ago than the inbox remembers. */
async function isReported(event: StoredEvent, path: string): Promise<boolean> {
  if (event.kind === 'card-status') return await isBackfilled(event);
  if (path === FETCHED_PATH && 'merchant' in event && (await unreportedOnly([event])).length === 0) return true;
  return (await redis.exists(stateKey(`alert:${event.id}`))) === 1;
}

async function isBackfilled(event: CardStatusEvent): Promise<boolean> {
  return await createBackfilled(redis).covers(event, (await directory.account(event.acctId))?.cards ?? []);
}

/** A job may have failed days ago. Its alert then says so and pings nobody, like that of a replayed webhook. */
async function isLate({ job }: FailedJob): Promise<boolean> {
  if (job.name !== ('deliver-alert' satisfies JobName)) return false;
  const { data: event } = StoredEvent.safeParse(job.data);
  // The text of a status change says when it happened. Only this job skips what recovery has reported, at each try.
  if (event?.kind === 'card-status') return false;
  // Its message was on time: the job failed at what follows.
  return event === undefined || (await messages.references({ kind: 'alert', id: event.id })).length === 0;
}

async function runFailed(failed: FailedJob): Promise<void> {
  const { queue, job } = failed;
  // Restore all attempts: the job had used them up.
  if (!(await isLate(failed)))
    return await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
  const late: JobName = 'deliver-late-alert';
  await queue.add(late, job.data, { ...job.opts, jobId: `late-${job.id}` });
  // Last, so that nothing is lost if this command ends before: an alert is delivered once, however many jobs do it.
  await job.remove();
}

async function runOne(wanted: string): Promise<0 | 1> {
  const kept = await quarantine.get(wanted);
  if (kept !== null) {
    try {
      const event = reread(kept, config.serviceZone);
      const isKnown = await isReported(event, kept.path);
      const taken = isKnown ? 'seen' : await intake.take({ type: 'event', event, isLate: true });
      await quarantine.remove(wanted);
      say(`${wanted}: ${taken === 'new' ? 'taken, its alert is on its way' : 'was there already, nothing added'}`);
      return 0;
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      say(`${wanted}: still does not fit: ${error.issues.join('; ')}`);
      return 1;
    }
  }
  const failed = await findFailed(wanted);
  if (failed === null) return unknown(wanted);
  await runFailed(failed);
  say(`${wanted}: runs again`);
  return 0;
}

async function discard(wanted: string): Promise<number> {
  const record = await openRecord(redis, config);
  if (record === null) {
    complain(
      'discard needs AUDIT_KEY (or CARD_API_TOKEN if the worker has no AUDIT_KEY): it signs the record. Nothing was changed.',
    );
    return EX_CONFIG;
  }
  const what = await whatIs(wanted);
  if (what === null) return unknown(wanted);
  const redo = createRedo(redis, createLog({ level: 'silent', process: 'replay' }), { othersMaxMs: 0 });
  // Recorded first, so that nothing is discarded without a trace.
  const said = {
    event: 'done',
    verb: 'discard',
    actionId: wanted,
    reason: redactText(reason),
    detail: what,
  } as const;
  await remembered(redo, record)(said);
  await remembered(redo, remove)(wanted);
  say(`${wanted}: discarded, which is on record.`);
  await sleep(UNTIL_ON_DISK_MS);
  await redo.settled();
  redo.stop();
  return 0;
}

type FailedJob = Queues['all'][number] & { readonly job: Job };

/** The job with this id that failed for good, in whichever queue. Null when there is none. */
async function findFailed(wanted: string): Promise<FailedJob | null> {
  const found = await Promise.all(
    queues.all.map(async (open) => {
      const { queue } = open;
      // Asked first: under some words the queue has data of its own, which is no job. `getJobState` would search all jobs
      // that wait, in each queue that does not have this one.
      if ((await queues.connection.zscore(queue.toKey('failed'), wanted)) === null) return null;
      const job = await queue.getJob(wanted);
      return job === undefined ? null : { ...open, job };
    }),
  );
  return found.find((one) => one !== null) ?? null;
}

/** In words, for the record. Null: there is nothing with this id. */
async function whatIs(wanted: string): Promise<string | null> {
  const failed = await findFailed(wanted);
  if (failed !== null) return `failed ${failed.name}/${failed.job.name}`;
  const kept = await quarantine.get(wanted);
  return kept === null ? null : `quarantined ${kept.path} ${kept.path === FETCHED_PATH ? 'row' : 'webhook'}`;
}

async function remove(wanted: string): Promise<void> {
  await (await findFailed(wanted))?.job.remove();
  await quarantine.remove(wanted);
}

function unknown(wanted: string): 1 {
  process.stderr.write(`${wanted}: nothing with this id is quarantined or failed.\n`);
  return 1;
}

const code = await { list, show, run, discard }[verb](id);
await closeQueues(queues);
redis.disconnect();
process.exit(code);
