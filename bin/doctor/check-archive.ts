import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openArchive } from '../../src/audit/archive.ts';
import { readArchived } from '../../src/audit/audit.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import type { Report } from './report.ts';

interface Options {
  /** `AUDIT_ARCHIVE`. Null when it is not set. */
  readonly folder: string | null;
  /** Root may use every folder, also those that the worker may not. */
  readonly isRoot: boolean;
  readonly inTime: <T>(work: Promise<T>) => Promise<T>;
}

/** What a check by root does not prove. */
export const rootMay =
  'Root may write there, but the worker may be another user; under systemd it may write only below /var/lib/cardbell';

/** Whether the folder of old months is usable and has every record that left Redis. */
export async function checkArchive(
  redis: RedisClient,
  { folder, isRoot, inTime }: Options,
  report: Report,
): Promise<void> {
  const { count } = await inTime(readArchived(redis));
  if (folder === null) {
    if (count > 0)
      report.fix(
        `records 1 to ${count} of the audit record were moved to files, but AUDIT_ARCHIVE is not set`,
        'set AUDIT_ARCHIVE to their folder; otherwise nobody can verify the record',
      );
    return;
  }
  const problem = await inTime(whyNotUsable(folder));
  if (problem !== null) {
    report.fix(
      `AUDIT_ARCHIVE: ${problem}`,
      'correct AUDIT_ARCHIVE, or let the user of the worker read and write there',
    );
    return;
  }
  const missing = count === 0 ? null : await inTime(openArchive(folder).firstMissing(count));
  if (missing !== null) {
    report.fix(
      `AUDIT_ARCHIVE has no file with record ${missing}, and records 1 to ${count} have left Redis`,
      'mount the folder that the workers write to, or restore its files from a backup',
    );
    return;
  }
  const moved = count === 0 ? 'no month was moved to it yet' : `it has records 1 to ${count} of the audit record`;
  if (isRoot) report.note(`AUDIT_ARCHIVE: ${moved}. ${rootMay}`);
  else report.ok(`AUDIT_ARCHIVE can be used; ${moved}`);
}

/** @returns what is wrong with the folder; null when nothing is. The worker creates a missing folder. */
async function whyNotUsable(folder: string): Promise<string | null> {
  for (let path = folder; ; path = dirname(path)) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? 'unknown error');
    if (found === 'ENOENT' && dirname(path) !== path) continue;
    if (typeof found === 'string') return `${path} cannot be read (${found})`;
    if (!found.isDirectory()) return `${path} is not a folder`;
    const mayUse = await access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    return mayUse ? null : `this user may not read and write in ${path}`;
  }
}
