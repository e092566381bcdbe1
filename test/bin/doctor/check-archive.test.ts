import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkArchive } from '../../../bin/doctor/check-archive.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { auditKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function findings(of: string | null, isRoot = false): Promise<string[]> {
  const report = createReport(() => {});
  await checkArchive(redis(), { folder: of, isRoot, inTime: (work) => work }, report);
  return report.findings.map(({ level, what }) => `${level}: ${what}`);
}
const movedTo = (last: number) => redis().set(auditKey('archived'), `${last}:${'0'.repeat(64)}`);
const file = (first: number, last: number) => {
  const numbers = [first, last].map((number) => String(number).padStart(9, '0')).join('-');
  return writeFile(join(folder, `audit-2026-08-${numbers}.jsonl`), '');
};

describe('the doctor’s check of the audit archive', () => {
  it('reports nothing if there is no archive and nothing was moved', async () => {
    expect(await findings(null)).toEqual([]);
  });

  it('says what to set if records were moved and the folder is not configured', async () => {
    await movedTo(7);

    expect(await findings(null)).toEqual([expect.stringMatching(/^fix: records 1 to 7 .* AUDIT_ARCHIVE is not set$/)]);
  });

  it('reports a usable folder, even before the worker has created it', async () => {
    const words = 'ok: AUDIT_ARCHIVE can be used; no month was moved to it yet';

    expect(await findings(folder)).toEqual([words]);
    expect(await findings(join(folder, 'deep', 'down'))).toEqual([words]);
  });

  it('does not say that the worker can use what only root is known to use', async () => {
    expect(await findings(folder, true)).toEqual([
      'note: AUDIT_ARCHIVE: no month was moved to it yet. Root may write there, but the worker may be another user; under systemd it may write only below /var/lib/cardbell',
    ]);
  });

  it('names the first record missing from the files', async () => {
    await movedTo(30);
    await file(1, 10);
    await file(21, 30);
    expect(await findings(folder)).toEqual([expect.stringMatching(/^fix: AUDIT_ARCHIVE has no file with record 11,/)]);

    await file(11, 20);
    expect(await findings(folder)).toEqual([expect.stringMatching(/^ok: .* has records 1 to 30 of the audit record$/)]);
    expect(await findings(join(folder, 'elsewhere'))).toEqual([expect.stringMatching(/no file with record 1,/)]);
  });

  it('reports a path that is not a folder', async () => {
    await writeFile(join(folder, 'a-file'), '');
    expect(await findings(join(folder, 'a-file'))).toEqual([
      `fix: AUDIT_ARCHIVE: ${join(folder, 'a-file')} is not a folder`,
    ]);

    await mkdir(join(folder, 'below'));
    expect(await findings(join(folder, 'a-file', 'below'))).toEqual([
      `fix: AUDIT_ARCHIVE: ${join(folder, 'a-file', 'below')} cannot be read (ENOTDIR)`,
    ]);
  });
});
