import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyChain } from '../../../bin/audit/verify-chain.ts';
import { type Archive, openArchive } from '../../../src/audit/archive.ts';
import { createArchiveMonths } from '../../../src/audit/archive-months.ts';
import { createAudit, createAuditReader, readArchived } from '../../../src/audit/audit.ts';
import { auditKey } from '../../../src/core/keys.ts';
import type { Log } from '../../../src/core/log.ts';
import { signer, statement } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cardbell-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

const CHAIN = auditKey('chain');
const inForce = () => ({ twoPersonAboveCents: 1 });
const reader = (archive: Archive | null = openArchive(folder)) => createAuditReader(redis(), archive);
const months = (now: string, over: { archive?: Archive; recordChanged?: (number: number) => Promise<void> } = {}) =>
  createArchiveMonths({
    redis: redis(),
    reader: reader(),
    archive: openArchive(folder),
    now: () => new Date(now),
    recordChanged: async (number) => expect.unreachable(`record ${number}`),
    ...over,
  })();
const append = (at: string, log?: Log) =>
  createAudit({ redis: redis(), sign: signer.sign, inForce, ...(log && { log }) }).append({
    ...statement(`act_${at}`),
    at,
  });
async function verify() {
  return await verifyChain(reader().read(), await reader().head(), { isSigned: signer.verify });
}
async function numbersAndTimes(from = 1): Promise<string[]> {
  const all: string[] = [];
  for await (const { number, record } of reader().read({ from })) all.push(`${number} ${record?.at.slice(0, 10)}`);
  return all;
}

const days = ['2026-07-01', '2026-07-31', '2026-08-05', '2026-08-20', '2026-09-30', '2026-10-01'];
/** August ended 35 days before this date, September did not. */
const ON = '2026-10-06T00:00:00Z';
const fill = async (): Promise<void> => {
  for (const day of days) await append(`${day}T12:00:00.000Z`);
};

it('moves each month that ended 35 days ago to a file, and reads and verifies everything as one chain', async () => {
  await fill();
  const before = await numbersAndTimes();
  const { head } = reader();
  const ends = await head();

  await months('2026-10-05T23:59:59Z');
  expect(await readdir(folder)).toEqual(['audit-2026-07-000000001-000000002.jsonl']);
  await months(ON);

  expect((await readdir(folder)).toSorted()).toEqual([
    'audit-2026-07-000000001-000000002.jsonl',
    'audit-2026-08-000000003-000000004.jsonl',
  ]);
  expect(await redis().llen(CHAIN)).toBe(2);
  expect(await numbersAndTimes()).toEqual(before);
  expect(await numbersAndTimes(4)).toEqual(before.slice(3));
  expect(await head()).toEqual(ends);
  expect(await verify()).toMatchObject({ faults: [], end: { count: 6 } });
});

it('continues the numbering after moved records, even if none is left in Redis', async () => {
  await fill();
  await months('2027-06-01T00:00:00Z');
  expect(await redis().llen(CHAIN)).toBe(0);
  const noted: unknown[] = [];
  await append('2027-06-02T12:00:00.000Z', { info: (fields: unknown) => noted.push(fields) } as unknown as Log);

  expect(noted).toEqual([expect.objectContaining({ record: 7 })]);
  expect(await reader().head()).toMatchObject({ count: 7 });
  expect((await numbersAndTimes()).at(-1)).toBe('7 2027-06-02');
  expect(await verify()).toMatchObject({ faults: [], end: { count: 7 } });
});

it('loses nothing if killed between writing the file and trimming Redis, because the next run writes the same file', async () => {
  await fill();
  const lines = await redis().lrange(CHAIN, 0, -1);
  const archive = openArchive(folder);
  const dies: Archive = {
    ...archive,
    async write(...args) {
      await archive.write(...args);
      throw new Error('killed');
    },
  };

  await expect(months(ON, { archive: dies })).rejects.toThrow('killed');
  expect(await redis().lrange(CHAIN, 0, -1)).toEqual(lines);
  expect(await verify()).toMatchObject({ faults: [], end: { count: 6 } });
  await Promise.all([months(ON), months(ON)]);

  expect(await redis().llen(CHAIN)).toBe(2);
  expect(await verify()).toMatchObject({ faults: [], end: { count: 6 } });
});

it('continues with a Redis restored from before the move, whose records match the files', async () => {
  await fill();
  const dump = await redis().dumpBuffer(CHAIN);
  await months(ON);
  await redis().del(auditKey('archived'), CHAIN);
  await redis().restore(CHAIN, 0, dump);
  expect(await verify()).toMatchObject({ faults: [], end: { count: 6 } });

  await months(ON);

  expect(await readArchived(redis())).toMatchObject({ count: 4 });
  expect(await verify()).toMatchObject({ faults: [], end: { count: 6 } });
});

it('moves nothing to a folder without the earlier months, because it may not be mounted', async () => {
  await fill();
  await months('2026-09-30T00:00:00Z');
  expect(await redis().llen(CHAIN)).toBe(4);
  const other = await mkdtemp(join(tmpdir(), 'cardbell-archive-'));

  await expect(months(ON, { archive: openArchive(other) })).rejects.toThrow('record 1 is missing');

  expect([await redis().llen(CHAIN), await readdir(other)]).toEqual([4, []]);
  await rm(other, { recursive: true });
});

it('reads each record once even if a month is moved meanwhile', async () => {
  await fill();
  const seen: number[] = [];
  for await (const { number } of reader().read()) {
    seen.push(number);
    if (number === 1) await months(ON);
  }

  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

describe('a month with a tampered record', () => {
  it('stays in Redis as evidence, and ops are notified of the record', async () => {
    await fill();
    const line = JSON.parse((await redis().lindex(CHAIN, 2)) ?? '');
    await redis().lset(CHAIN, 2, JSON.stringify({ ...line, record: { ...line.record, reason: 'other' } }));
    const changed: number[] = [];

    await months(ON, { recordChanged: async (number) => void changed.push(number) });

    expect(changed).toEqual([3]);
    expect(await readdir(folder)).toEqual(['audit-2026-07-000000001-000000002.jsonl']);
    expect(await redis().llen(CHAIN)).toBe(4);
  });

  it('is detected in its file, and so is a missing file', async () => {
    await fill();
    await months(ON);
    const file = join(folder, 'audit-2026-08-000000003-000000004.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"reason":"lost"', '"reason":"left"'));
    expect(await verify()).toEqual({ faults: [{ number: 3, why: 'was changed after it was written' }], end: null });

    await rm(file);
    await expect(verify()).rejects.toThrow('record 3 is missing: no file in AUDIT_ARCHIVE has it');
  });

  it('is detected if the first record in Redis does not follow the files', async () => {
    await fill();
    await months(ON);
    await redis().lpop(CHAIN);

    expect(await verify()).toMatchObject({ faults: [{ number: 5 }], end: null });
  });
});

it('without AUDIT_ARCHIVE reads the records in Redis and names the missing ones', async () => {
  await fill();
  await months(ON);
  const numbers: number[] = [];
  for await (const { number } of reader(null).read({ from: 5 })) numbers.push(number);

  expect(numbers).toEqual([5, 6]);
  await expect(reader(null).read().next()).rejects.toThrow(
    'AUDIT_ARCHIVE: expected the folder with records 1 to 4, which were moved there from Redis',
  );
});
