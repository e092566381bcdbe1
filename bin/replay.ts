import { parseArgs } from 'node:util';
import { toStoredEvent } from '../src/card/kind.ts';
import { storeConfig } from '../src/config.ts';
import { PayloadError } from '../src/errors.ts';
import { createLog } from '../src/log.ts';
import { connectPatient } from '../src/queue/connection.ts';
import { createIntake } from '../src/queue/intake.ts';
import { createQueues } from '../src/queue/queues.ts';
import { createQuarantineStore } from '../src/store/quarantine.ts';

const usage = `Quarantined webhooks and failed jobs: look, try again, discard.

  npm run replay -- list                          what is there, newest first
  npm run replay -- show ID                       one, whole (redacted)
  npm run replay -- run ID|all                    try again
  npm run replay -- discard ID --reason "..."     take it away for good

Reads REDIS_URL, like the two processes.
`;

const EX_USAGE = 64;
const FAILED_QUEUES = ['alerts', 'updates', 'actions', 'upkeep'] as const;
const LIST_MAX = 200;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { reason: { type: 'string' }, help: { type: 'boolean' } },
});
const [verb = 'help', id] = positionals;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.help === true || verb === 'help') {
  say(usage);
  process.exit(0);
}
const config = storeConfig();
const log = createLog({ level: 'error', process: 'replay' });
const redis = connectPatient({ urls: config.redisUrls, log, name: 'replay' });
const quarantine = createQuarantineStore(redis);
const queues = createQueues(redis);
const intake = createIntake(redis);
// The intake refuses while the connection is not there; here we may wait for it.
await redis.ping();

/** Jobs that failed for good, of every queue. */
async function failedJobs() {
  const jobs = await Promise.all(
    FAILED_QUEUES.map(async (name) => (await queues.queue(name).getFailed(0, LIST_MAX)).map((job) => ({ name, job }))),
  );
  return jobs.flat().filter(({ job }) => job !== undefined);
}

async function list(): Promise<number> {
  const kept = await quarantine.list(LIST_MAX);
  const failed = await failedJobs();
  for (const { id: one, path, receivedAt, issues } of kept)
    say(`${one}  quarantined  ${receivedAt}  ${path}  ${issues.join('; ')}`);
  for (const { name, job } of failed) {
    say(
      `${job.id}  failed  ${new Date(job.finishedOn ?? job.timestamp).toISOString()}  ${name}/${job.name}  ${job.failedReason}`,
    );
  }
  say(`${kept.length} quarantined, ${failed.length} failed.`);
  return 0;
}

async function show(wanted: string): Promise<number> {
  const kept = await quarantine.get(wanted);
  const failed = (await failedJobs()).find(({ job }) => job.id === wanted)?.job;
  if (kept === null && failed === undefined) return unknown(wanted);
  say(
    JSON.stringify(
      kept ?? { id: failed?.id, name: failed?.name, reason: failed?.failedReason, data: failed?.data },
      null,
      2,
    ),
  );
  return 0;
}

async function run(wanted: string): Promise<number> {
  const ids =
    wanted === 'all'
      ? [
          ...(await quarantine.list(LIST_MAX)).map((one) => one.id),
          ...(await failedJobs()).map(({ job }) => job.id ?? ''),
        ]
      : [wanted];
  let stillBad = 0;
  for (const one of ids) stillBad += await runOne(one);
  say(`${ids.length - stillBad} replayed, ${stillBad} not.`);
  return stillBad === 0 ? 0 : 1;
}

async function runOne(wanted: string): Promise<0 | 1> {
  const kept = await quarantine.get(wanted);
  if (kept !== null) {
    try {
      const facts = { zone: config.serviceZone, version: kept.version ?? undefined, receivedAt: kept.receivedAt };
      const taken = await intake.take({ type: 'event', event: toStoredEvent(kept.body, kept.path, facts) });
      await quarantine.remove(wanted);
      say(`${wanted}: ${taken === 'new' ? 'taken, its alert is on its way' : 'was there already, nothing added'}`);
      return 0;
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      say(`${wanted}: still does not fit: ${error.issues.join('; ')}`);
      return 1;
    }
  }
  const failed = (await failedJobs()).find(({ job }) => job.id === wanted)?.job;
  if (failed === undefined) return unknown(wanted);
  await failed.retry('failed');
  say(`${wanted}: runs again`);
  return 0;
}

async function discard(wanted: string): Promise<number> {
  if (values.reason === undefined || values.reason.trim() === '') {
    process.stderr.write('discard needs --reason "why": it is written to the log.\n');
    return EX_USAGE;
  }
  const failed = (await failedJobs()).find(({ job }) => job.id === wanted)?.job;
  await failed?.remove();
  if (!(await quarantine.remove(wanted)) && failed === undefined) return unknown(wanted);
  log.error({ replayId: wanted, reason: values.reason }, 'discarded by hand');
  say(`${wanted}: discarded.`);
  return 0;
}

function unknown(wanted: string): 1 {
  process.stderr.write(`${wanted}: nothing of that id is quarantined or failed.\n`);
  return 1;
}

const commands: Readonly<Record<string, (wanted: string) => Promise<number>>> = { list, show, run, discard };
const command = commands[verb];
let code: number = EX_USAGE;
if (command === undefined || (verb !== 'list' && id === undefined)) process.stderr.write(usage);
else code = await command(id ?? '');
await queues.close();
redis.disconnect();
process.exit(code);
