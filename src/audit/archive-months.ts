import { auditKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { type Archive, ArchiveError, type Segment } from './archive.ts';
import { type AuditReader, readArchived, whyNotFollows } from './audit.ts';

/**
 * Days after the end of a month. Until then digests compare it with the next month; all its heads were copied long
 * before.
 */
const KEPT_DAYS = 35;
const DAY_MS = 24 * 3_600_000;

const forgetSource = readScript(new URL('./forget-archived.lua', import.meta.url));

interface Deps {
  readonly redis: RedisClient;
  readonly reader: AuditReader;
  readonly archive: Archive;
  readonly now: () => Date;
  /** Called for a record that does not follow from the previous one. It is evidence and is not moved. */
  readonly recordChanged: (number: number) => Promise<void>;
}

/**
 * Moves each month that ended more than 35 days ago from Redis to a file.
 *
 * Removes only records that are on disk and were read back. After a crash a month is at worst in both places, and the
 * next run writes the same file again. Two concurrent workers write the same file, and one of them removes the records.
 */
export function createArchiveMonths({ redis, reader, archive, now, recordChanged }: Deps): () => Promise<void> {
  const forget = defineScript(redis, forgetSource);
  const [chain, archived] = [auditKey('chain'), auditKey('archived')];

  return async function archiveMonths() {
    while (await archiveMonth());
  };

  /** @returns whether there may be another month to move. */
  async function archiveMonth(): Promise<boolean> {
    const before = await readArchived(redis);
    // An unmounted folder looks empty. Records written there would be lost with the machine, after their removal from
    // Redis.
    const missing = await archive.firstMissing(before.count);
    if (missing !== null) throw new ArchiveError(missing, 'is missing: no file in AUDIT_ARCHIVE has it');
    const taken: Taken = { after: before.count, segment: null, last: null };
    await archive.write(monthOf(before.hash, taken), () => taken.segment);
    const { segment, last } = taken;
    if (segment === null || last === null) return false;
    const args = [
      before.count === 0 ? '' : `${before.count}:${before.hash}`,
      segment.last - before.count,
      last.line,
      `${segment.last}:${last.hash}`,
    ];
    return (await forget.run([chain, archived], args)) === 1;
  }

  /** The lines of the oldest month in Redis if it ended long enough ago; none if the chain is broken within it. */
  async function* monthOf(hash: string, taken: Taken): AsyncGenerator<string> {
    let previous = hash;
    let month: string | null = null;
    for await (const entry of reader.read({ from: taken.after + 1 })) {
      if (entry.record !== null) {
        const own = entry.record.at.slice(0, 'YYYY-MM'.length);
        month ??= own;
        if (own > month || !isOver(month, now())) return;
      }
      if (whyNotFollows(entry, previous) !== null) {
        taken.segment = null;
        await recordChanged(entry.number);
        return;
      }
      previous = entry.hash;
      taken.segment = { month: month ?? '', first: taken.after + 1, last: entry.number };
      taken.last = { line: entry.line, hash: entry.hash };
      yield entry.line;
    }
  }
}

interface Taken {
  /** How many records are already archived. */
  readonly after: number;
  segment: Segment | null;
  last: { readonly line: string; readonly hash: string } | null;
}

/** @param month `2026-08` */
function isOver(month: string, now: Date): boolean {
  const end = new Date(`${month}-01T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + 1);
  return now.getTime() - end.getTime() >= KEPT_DAYS * DAY_MS;
}
