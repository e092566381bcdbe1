import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchive, type Segment } from '../../../src/audit/archive.ts';
import { ConfigError } from '../../../src/core/errors.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardbell-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

const september: Segment = { month: '2026-09', first: 1, last: 3 };
const october: Segment = { month: '2026-10', first: 4, last: 5 };

async function* lines(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function read(from: number, to: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of openArchive(folder).read(from, to)) found.push(line);
  return found;
}

async function writeBoth(): Promise<void> {
  await openArchive(folder).write(lines('a', 'b', 'c'), () => september);
  await openArchive(folder).write(lines('d', 'e'), () => october);
}

it('keeps one file per month, readable only by its owner, and returns any range of it', async () => {
  await writeBoth();

  expect((await readdir(folder)).toSorted()).toEqual([
    'audit-2026-09-000000001-000000003.jsonl',
    'audit-2026-10-000000004-000000005.jsonl',
  ]);
  expect((await stat(join(folder, 'audit-2026-09-000000001-000000003.jsonl'))).mode & 0o777).toBe(0o600);
  expect(await read(1, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await read(3, 4)).toEqual(['c', 'd']);
});

it('returns a record with any line separator of people’s texts as one line', async () => {
  const texts = ['lost\u2028stolen', '\u2029', '\r', 'c'];
  await openArchive(folder).write(lines(...texts), () => ({ ...september, last: 4 }));

  expect(await read(1, 4)).toEqual(texts);
});

it('names the missing record if a file is missing or truncated', async () => {
  await writeBoth();
  await expect(read(1, 6)).rejects.toThrow('record 6 is missing: no file in AUDIT_ARCHIVE has it');

  await writeFile(join(folder, 'audit-2026-10-000000004-000000005.jsonl'), 'd\n');
  await expect(read(1, 5)).rejects.toThrow(
    'record 5 is missing: audit-2026-10-000000004-000000005.jsonl ends before it',
  );

  await rm(join(folder, 'audit-2026-09-000000001-000000003.jsonl'));
  await expect(read(2, 5)).rejects.toThrow('record 2 is missing: no file in AUDIT_ARCHIVE has it');
});

it('says that records are missing if there is no folder, and names the variable if it is none', async () => {
  const [none, file] = [join(folder, 'none'), join(folder, 'file')];
  await writeFile(file, '');

  const missing = 'record 1 is missing: no file in AUDIT_ARCHIVE has it';
  await expect(openArchive(none).read(1, 2).next()).rejects.toThrow(missing);
  expect(await openArchive(none).firstMissing(2)).toBe(1);
  const unreadable = `AUDIT_ARCHIVE: ${file} cannot be read (ENOTDIR)`;
  await expect(openArchive(file).read(1, 2).next()).rejects.toThrow(unreadable);
  await expect(openArchive(file).firstMissing(2)).rejects.toThrow(unreadable);
});

it('says that a file of old months cannot be read, also before it reads any', async () => {
  await writeBoth();
  const file = join(folder, 'audit-2026-10-000000004-000000005.jsonl');
  await rm(file);
  await symlink(join(folder, 'nowhere'), file);
  const unreadable = `AUDIT_ARCHIVE: ${file} cannot be read (ENOENT)`;

  await expect(read(1, 5)).rejects.toThrow(unreadable);
  await expect(read(1, 5)).rejects.toBeInstanceOf(ConfigError);
  expect(await read(1, 3)).toEqual(['a', 'b', 'c']);
  await expect(openArchive(folder).checkReadable()).rejects.toThrow(unreadable);
});

it('may write the same records again, but never overwrites other records', async () => {
  await writeBoth();
  await openArchive(folder).write(lines('d', 'e'), () => october);
  expect(await read(1, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);

  await expect(openArchive(folder).write(lines('d', 'x'), () => october)).rejects.toThrow(
    'record 4 is in audit-2026-10-000000004-000000005.jsonl already, in another form',
  );
  await expect(openArchive(folder).write(lines('c'), () => ({ ...october, first: 3, last: 3 }))).rejects.toThrow(
    'record 3 is in audit-2026-09-000000001-000000003.jsonl already, in another form',
  );
  expect(await read(1, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('leaves no unfinished file after an empty or failed write, and deletes those of a killed worker after a day', async () => {
  const [old, recent] = [join(folder, '.unfinished-old'), join(folder, '.unfinished-recent')];
  for (const path of [old, recent]) await writeFile(path, 'a\n');
  await utimes(old, new Date(), new Date(Date.now() - 25 * 3_600_000));
  async function* broken(): AsyncGenerator<string> {
    yield 'a';
    throw new Error('Redis is away');
  }

  await openArchive(folder).write(lines(), () => null);
  await expect(openArchive(folder).write(broken(), () => september)).rejects.toThrow('Redis is away');

  expect(await readdir(folder)).toEqual(['.unfinished-recent']);
  expect(await readFile(recent, 'utf8')).toBe('a\n');
});

it('reads a file back, and rejects one that does not hold what was written', async () => {
  const half = () => {
    const [unfinished = ''] = readdirSync(folder);
    writeFileSync(join(folder, unfinished), 'a\nb\n');
    return september;
  };

  await expect(openArchive(folder).write(lines('a', 'b', 'c'), half)).rejects.toThrow(
    'record 1 cannot be read back from audit-2026-09-000000001-000000003.jsonl',
  );
});

it('rejects a line that would be read back as two', async () => {
  await expect(openArchive(folder).write(lines('a', 'b\nc'), () => ({ ...september, last: 2 }))).rejects.toThrow(
    'record 1 cannot be read back from audit-2026-09-000000001-000000002.jsonl',
  );
});
