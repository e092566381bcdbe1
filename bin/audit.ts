import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { auditCsvLine, auditHeader, createAudit } from '../src/audit/audit.ts';
import { type Anchor, verifyChain } from '../src/audit/verify.ts';
import { commandConfig, reachRedis } from './reach-redis.ts';

const usage = `The record of who did what: check it, hand it on.

  npm run audit -- verify [--anchor COUNT:HASH …]          is every record as it was written
  npm run audit -- export --csv [--since T] [--until T]    as CSV on standard output

COUNT:HASH stands in the small print of each line in the audit channel, and in the worker's log. T is a day
(2026-11-20, UTC) or a time (2026-11-20T15:00:00Z); since is included, until is not.
Reads REDIS_URL. Ends with 0 when the record is whole, 1 when it is not, 64 when the command could not be read, 69 when
Redis does not answer.
`;

const EX_USAGE = 64;

/** A day or a time as ISO 8601 in UTC; null when it is neither. */
function toInstant(text: string | undefined, otherwise: string): string | null {
  if (text === undefined) return otherwise;
  const isKnown = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = Date.parse(text);
  return isKnown && !Number.isNaN(ms) ? new Date(ms).toISOString() : null;
}

function toAnchor(text: string): Anchor | null {
  const parts = /^(\d+):([0-9a-f]{8,64})$/i.exec(text);
  return parts === null ? null : { count: Number(parts[1]), hash: (parts[2] ?? '').toLowerCase() };
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        anchor: { type: 'string', multiple: true },
        csv: { type: 'boolean' },
        since: { type: 'string' },
        until: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch {
    return null;
  }
}

const given = readArguments();
const [verb = 'help', ...more] = given?.positionals ?? ['?'];
const since = toInstant(given?.values.since, '');
const until = toInstant(given?.values.until, '~');
const anchors = (given?.values.anchor ?? []).map(toAnchor);

if (given?.values.help === true || verb === 'help') {
  process.stdout.write(usage);
  process.exit(0);
}
const isVerify = verb === 'verify';
const isExport = verb === 'export' && given?.values.csv === true;
if ((!isVerify && !isExport) || more.length > 0 || since === null || until === null || anchors.includes(null)) {
  process.stderr.write(usage);
  process.exit(EX_USAGE);
}

const redis = await reachRedis('audit', commandConfig().redis);
const audit = createAudit({ redis });
const code = isVerify ? await verify() : await exportCsv(since, until);
redis.disconnect();
process.exit(code);

async function verify(): Promise<number> {
  const verdict = await verifyChain(
    audit.read(),
    await audit.head(),
    anchors.filter((anchor) => anchor !== null),
  );
  if (verdict.isWhole) {
    process.stdout.write(`The record is whole: ${verdict.count} records, ends with ${verdict.hash}.\n`);
    if (anchors.length === 0) {
      process.stdout.write(
        'Records cut off at the end by somebody who can write to Redis show only against --anchor COUNT:HASH.\n',
      );
    }
    return 0;
  }
  process.stderr.write(`The record is broken: record ${verdict.number} ${verdict.why}.\n`);
  return 1;
}

async function exportCsv(from: string, to: string): Promise<number> {
  await write(auditHeader);
  let unreadable = 0;
  for await (const { record, ...entry } of audit.read()) {
    if (record === null) unreadable += 1;
    else if (record.at >= from && record.at < to) await write(auditCsvLine({ ...entry, record }));
  }
  if (unreadable > 0) process.stderr.write(`${unreadable} records cannot be read: run npm run audit -- verify.\n`);
  return unreadable > 0 ? 1 : 0;
}

/** Waits while whoever reads is slower. */
async function write(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\r\n`)) await once(process.stdout, 'drain');
}
