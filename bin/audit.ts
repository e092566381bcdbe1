import './unexpected-error.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { auditConfig, EX_CONFIG } from '../src/app/config.ts';
import { useProxy } from '../src/app/outgoing-proxy.ts';
import { wordsOf } from '../src/app/programs.ts';
import { EX_UNAVAILABLE } from '../src/app/run-process.ts';
import { ArchiveError, openArchive } from '../src/audit/archive.ts';
import { checkFiles, createAuditReader, createRecordSigner } from '../src/audit/audit.ts';
import { copiedKey } from '../src/audit/copy-heads.ts';
import { type CopiedHead, openSink, type Sink } from '../src/audit/sink.ts';
import { isDate } from '../src/core/calendar-words.ts';
import { redisNow } from '../src/core/clock.ts';
import { ConfigError, SlackError } from '../src/core/errors.ts';
import { terminalCommand, useInstallation } from '../src/core/installation.ts';
import { createSlack } from '../src/slack/client.ts';
import { countOf } from '../templates/core/blocks.ts';
import { endMisused, readVerb, requireNoMore } from './arguments.ts';
import { auditCsvLine, auditHeader, createCarryOver, type NameOf, peopleIn } from './audit/audit-csv.ts';
import { sinkFault } from './audit/sink-fault.ts';
import { type Anchor, verifyChain, verifyCopy } from './audit/verify-chain.ts';
import { openRecord } from './open-record.ts';
import { orExit, reachRedis, warnIfEmpty } from './reach-redis.ts';

const usage = `The record of who did what: verify and export it.

  npm run audit -- verify [--anchor COUNT:HASH …] [--accepted COUNT:HASH …]    checks that no record was changed, and
                                                                               that the copy matches
  npm run --silent audit -- export --csv [--since T] [--until T]    as CSV on standard output, without lines of npm

COUNT:HASH is in the small print of each line in the audit channel, and in the worker's log. --accepted names the first
record after a loss that you know of, for instance a restore: verify says which. T is a day
(2026-11-20, UTC) or a time (2026-11-20T15:00:00Z); since is included, until is not.
Reads REDIS_URL; AUDIT_ARCHIVE if old months are in files; for verify AUDIT_SINK with its credentials, and AUDIT_KEY
(CARD_API_TOKEN if the worker has no AUDIT_KEY) to check signatures; for the names in the export SLACK_BOT_TOKEN: the
worker has all of them. An export goes on record, which also needs AUDIT_KEY (or CARD_API_TOKEN in the same way).
Exit code: 0 when the record is complete, 1 when it or its copy is not, 64 for a wrong command line, 69 when Redis or
the copy does not answer, 78 when a variable is missing or bad.
`;

/** Reads a day or a time as ISO 8601 in UTC. */
function instantOf(flag: string, text: string | undefined, otherwise: string): string {
  if (text === undefined) return otherwise;
  const isKnown = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = Date.parse(text);
  if (isKnown && isDate(text.slice(0, 10)) && !Number.isNaN(ms)) return new Date(ms).toISOString();
  return endMisused(command, `--${flag}: expected a day (2026-11-20) or a time (2026-11-20T15:00:00Z), not ${text}`);
}

function anchorsOf(flag: 'anchor' | 'accepted'): Anchor[] {
  return (values[flag] ?? []).map((text) => {
    const parts = /^(\d+):([0-9a-f]{8,64})$/i.exec(text);
    if (parts === null)
      return endMisused(command, `--${flag}: expected COUNT:HASH as in the audit channel, not ${text}`);
    return { count: Number(parts[1]), hash: (parts[2] ?? '').toLowerCase() };
  });
}

const command = { name: 'audit', usage };
const { verb, words, values } = readVerb(
  command,
  {
    anchor: { type: 'string', multiple: true },
    accepted: { type: 'string', multiple: true },
    csv: { type: 'boolean' },
    since: { type: 'string' },
    until: { type: 'string' },
  },
  { verify: ['anchor', 'accepted'], export: ['csv', 'since', 'until'] },
);
requireNoMore(command, verb, words);
const since = instantOf('since', values.since, '');
const until = instantOf('until', values.until, '~');
const [anchors, accepted] = [anchorsOf('anchor'), anchorsOf('accepted')];
const isVerify = verb === 'verify';
if (!isVerify && values.csv !== true) endMisused(command, 'export needs --csv');
if (since !== '' && until !== '~' && since >= until)
  endMisused(command, 'nothing is between these times: --since must be before --until');

const config = orExit(() => auditConfig(process.env, { readsCopy: isVerify }));
useInstallation(config);
await useProxy(config.proxy);
const redis = await reachRedis('audit', config);
const hasData = await warnIfEmpty(redis);
const archive = config.audit.archive === null ? null : openArchive(config.audit.archive);
const reader = createAuditReader(redis, archive);
const inWords = (line: string): string => wordsOf(config.program, line);
const say = (line: string): void => void process.stdout.write(`${inWords(line)}\n`);
const complain = (line: string): void => void process.stderr.write(`${inWords(line)}\n`);
const code = await (isVerify ? verify() : exportCsv(since, until)).catch(whyUnreadable);
redis.disconnect();
process.exit(code);

/** Prints why the record cannot be read. @returns the exit code */
function whyUnreadable(error: unknown): number {
  if (error instanceof ArchiveError) {
    complain(`The record is broken: ${error.message}.`);
    return 1;
  }
  if (!(error instanceof ConfigError)) throw error;
  for (const problem of error.problems) complain(problem);
  return EX_CONFIG;
}

async function verify(): Promise<number> {
  const { secrets } = config.audit;
  const sink = config.audit.sink === null ? null : openSink(config.audit.sink);
  const isSigned = secrets.length === 0 ? null : createRecordSigner(secrets).verify;
  // Before the copy is read: a worker may just be copying the first heads.
  const wasCopied = sink !== null && (await redis.exists(copiedKey(sink))) === 1;
  const copied = sink === null ? [] : await readCopy(sink);
  const evidence = { anchors, accepted, isSigned, copied: copied ?? [] };
  const { faults: broken, end } = await verifyChain(reader.read(), await reader.head(), evidence);
  for (const { number, why, wentOn } of broken) {
    complain(`The record is broken: record ${number} ${why}.`);
    if (wentOn === undefined) continue;
    complain(`If you know of this loss, accept it from now on: --accepted ${number}:${wentOn.slice(0, 16)}`);
  }
  if (end === null) return 1;
  const rest = broken.length === 0 ? 'The record is whole' : 'The rest of the record is whole';
  say(`${rest}: ${countOf(end.count, 'record')}, ends with ${end.hash}.`);
  if (isSigned === null)
    say('Signatures were not checked: set AUDIT_KEY, or CARD_API_TOKEN if the worker has no AUDIT_KEY.');
  if (copied === null) return EX_UNAVAILABLE;
  if (copied.length === 0 && anchors.length === 0)
    say('Records cut off at the end show only against a copy (AUDIT_SINK) or against --anchor COUNT:HASH.');
  if (sink === null) return 0;
  const now = new Date(await redisNow(redis));
  const faults = await verifyCopy(reader.read(), copied, { isSigned, now, wasCopied });
  for (const fault of faults) complain(`${fault}.`);
  if (faults.length === 0)
    say(
      copied.length === 0
        ? 'The copy has no heads yet (AUDIT_SINK).'
        : `The copy fits: it has the heads of ${countOf(copied.length, 'record')}.`,
    );
  return faults.length === 0 && broken.length === 0 ? 0 : 1;
}

/** Null when it cannot be read; the reason has been printed. */
async function readCopy(sink: Sink): Promise<readonly CopiedHead[] | null> {
  try {
    const { heads, unreadable } = await sink.read();
    if (unreadable > 0) complain(`${countOf(unreadable, 'line')} of the copy cannot be read.`);
    return heads;
  } catch (error) {
    complain(`The copy cannot be reached (AUDIT_SINK): ${sinkFault(error)}. Only the record in Redis was checked.`);
    return null;
  }
}

async function exportCsv(from: string, to: string): Promise<number> {
  await checkFiles(redis, archive);
  // Nothing is read from an empty Redis, which then stays empty.
  if (hasData) await recordExport(from, to);
  const nameOf = await readNames(from, to);
  const carryOver = createCarryOver();
  await write(auditHeader);
  let unreadable = 0;
  for await (const { record, ...entry } of reader.read()) {
    if (record === null) {
      unreadable += 1;
      continue;
    }
    const whole = carryOver({ ...entry, record });
    if (record.at >= from && record.at < to) await write(auditCsvLine(whole, nameOf));
  }
  if (unreadable > 0)
    complain(`${countOf(unreadable, 'record')} cannot be read: run ${terminalCommand('audit -- verify')}.`);
  return unreadable > 0 ? 1 : 0;
}

/** Before anything is exported, so that nobody can read the record without a trace. */
async function recordExport(from: string, to: string): Promise<void> {
  const record = await openRecord(redis, config);
  if (record === null)
    complain('This export is not on record: set AUDIT_KEY, or CARD_API_TOKEN if the worker has no AUDIT_KEY.');
  const detail = `records ${from === '' ? 'from the first' : `since ${from}`}, ${to === '~' ? 'to the last' : `until ${to}`}`;
  await record?.({ event: 'asked', verb: 'audit-export', actionId: `export_${randomUUID()}`, detail });
}

/** The names of everyone in these records, from Slack, each requested once. */
async function readNames(from: string, to: string): Promise<NameOf> {
  const names = new Map<string, string | null>();
  const { token, apiUrl } = config.slack;
  if (token === undefined) {
    complain('Names of Slack users are left out: SLACK_BOT_TOKEN is not set.');
    return () => null;
  }
  const slack = createSlack({ token, apiUrl, measure: () => {} });
  let fault: SlackError | null = null;
  const carryOver = createCarryOver();
  for await (const { record, ...entry } of reader.read()) {
    if (record === null) continue;
    // The approval may be of an earlier month.
    const whole = carryOver({ ...entry, record }).record;
    if (record.at < from || record.at >= to) continue;
    for (const userId of peopleIn(whole)) {
      // It would get the same answer for everybody else.
      if (names.has(userId) || fault?.code === 'app_refused') continue;
      const found = await nameIn(slack, userId);
      if (found instanceof SlackError) fault = found;
      names.set(userId, found instanceof SlackError ? null : found);
    }
  }
  if (fault !== null) complain(whyNamesAreMissing(fault));
  return (userId) => names.get(userId) ?? null;
}

/** Null when Slack no longer knows this person. The id has a separate column. */
async function nameIn(slack: ReturnType<typeof createSlack>, userId: string): Promise<string | null | SlackError> {
  try {
    return (await slack.person(userId))?.name ?? null;
  } catch (error) {
    if (error instanceof SlackError) return error;
    throw error;
  }
}

function whyNamesAreMissing({ code, slackError }: SlackError): string {
  return code === 'app_refused'
    ? `Names are left out: Slack answered ${slackError}. Correct SLACK_BOT_TOKEN and export again.`
    : `Some names are left out: Slack answered ${slackError}. Export again later.`;
}

/** Waits while the reader is slower. */
async function write(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\r\n`)) await once(process.stdout, 'drain');
}
