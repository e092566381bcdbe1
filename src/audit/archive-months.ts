import { auditKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { type Archive, ArchiveError, type Segment } from './archive.ts';
import { type AuditReader, readArchived } from './audit.ts';
import { whyNotFollows } from './verify.ts';

/** After the end of a month: digests still compare it with the one after, and everything in it was copied long ago. */
const KEPT_DAYS = 35;
const DAY_MS = 24 * 3_600_000;

const forgetSource = readScript(new URL('./forget-archived.lua', import.meta.url));

interface Deps {
  readonly redis: RedisClient;
  readonly reader: AuditReader;
  readonly archive: Archive;
  readonly now: () => Date;
  /** A record that does not follow from the one before it. It is evidence, and stays where it is. */
  readonly recordChanged: (number: number) => Promise<void>;
}

/**
 * Moves each month that ended more than 35 days ago from Redis to a file.
 *
 * Only what is on the disk and was read back is removed, so that a crash anywhere leaves it in both places at worst; the
 * next run writes the same file again. Two workers at once write the same, and one of them removes it.
 */
export function createArchiveMonths({ redis, reader, archive, now, recordChanged }: Deps): () => Promise<void> {
  const forget = defineScript(redis, forgetSource);
  const [chain, archived] = [auditKey('chain'), auditKey('archived')];

  return async function archiveMonths() {
    while (await archiveMonth());
  };

  /** @returns whether there may be another one. */
  async function archiveMonth(): Promise<boolean> {
    const before = await readArchived(redis);
    // A folder that is not mounted is empty: what was written there would be gone with the machine, and from Redis.
    const missing = await archive.firstMissing(before.count);
    if (missing !== null) throw new ArchiveError(missing, 'is missing: no file in AUDIT_ARCHIVE has it');
    const taken = createTaken(before.count);
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

  /** Lines of the oldest month in Redis, if it is over for long enough; none where the chain is broken in it. */
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
  /** How many records are archived already. */
  readonly after: number;
  segment: Segment | null;
  last: { readonly line: string; readonly hash: string } | null;
}

const createTaken = (after: number): Taken => ({ after, segment: null, last: null });

/** @param month `2026-08` */
function isOver(month: string, now: Date): boolean {
  const end = new Date(`${month}-01T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + 1);
  return now.getTime() - end.getTime() >= KEPT_DAYS * DAY_MS;
}
