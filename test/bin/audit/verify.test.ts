import { describe, expect, it } from 'vitest';
import { type Evidence, verifyChain, verifyCopy } from '../../../bin/audit/verify.ts';
import { type AuditEntry, chainHash, createAudit, createRecordSigner, GENESIS } from '../../../src/audit/audit.ts';
import type { CopiedHead } from '../../../src/audit/sink.ts';
import { signer, statement } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const key = '{cardbell:audit}:chain';
const { verify: isSigned } = signer;

const audit = () =>
  createAudit({ redis: redis(), sign: signer.sign, inForce: () => ({ twoPersonAboveCents: 100_000 }) });

async function fill(...ids: string[]): Promise<void> {
  for (const id of ids) await audit().append(statement(id));
}

async function chain(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of audit().read()) entries.push(entry);
  return entries;
}

async function verify(evidence: Evidence = {}) {
  return await verifyChain(audit().read(), await audit().head(), evidence);
}

async function heads(): Promise<CopiedHead[]> {
  return (await chain()).map(({ number, hash, signature, record }) => ({
    record: number,
    hash,
    signature,
    at: record?.at ?? '',
  }));
}

async function write(lines: readonly string[], head?: string): Promise<void> {
  await redis().del(key);
  if (lines.length > 0) await redis().rpush(key, ...lines);
  if (head !== undefined) await redis().set('{cardbell:audit}:head', head);
}

/** Simulates an attacker who can write to Redis and knows how the chain is built. */
async function rewrite(change: (entry: AuditEntry) => object, sign: (hash: string) => string): Promise<void> {
  let previous = GENESIS;
  const lines = (await chain()).map((entry) => {
    const record = { ...entry.record, ...change(entry) };
    const hash = chainHash(previous, record);
    const line = JSON.stringify({ record, previous, hash, signature: sign(hash) });
    previous = hash;
    return line;
  });
  await write(lines, previous);
}

describe('a tampered chain', () => {
  const lines = () => redis().lrange(key, 0, -1);
  const edited = (line: string, over: object) => {
    const entry = JSON.parse(line) as AuditEntry;
    return { ...entry, record: { ...entry.record, ...over } };
  };

  it.each<[string, (all: string[]) => string[], number]>([
    ['a record was changed', (all) => all.with(1, JSON.stringify(edited(all[1] ?? '', { reason: 'other' }))), 2],
    [
      'a record was changed and its hash recomputed',
      (all) => {
        const entry = edited(all[1] ?? '', { after: 'active' });
        return all.with(1, JSON.stringify({ ...entry, hash: chainHash(entry.previous, entry.record) }));
      },
      3,
    ],
    ['a record was removed', (all) => all.toSpliced(1, 1), 2],
    ['two records were swapped', (all) => [all[0], all[2], all[1], all[3]].map(String), 2],
    ['a record was inserted twice', (all) => all.toSpliced(1, 0, all[0] ?? ''), 2],
    ['a record is unreadable', (all) => all.with(2, '{'), 3],
    ['the last records were removed', (all) => all.slice(0, 2), 3],
    ['all records are missing', () => [], 1],
  ])('%s: reports the first bad record', async (_how, tamper, number) => {
    await fill('act_a', 'act_b', 'act_c', 'act_d');
    await write(tamper(await lines()));

    expect(await verify()).toMatchObject({ isWhole: false, number });
  });

  it('truncated with a matching head, is detected only by anchors or copies', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const [, second, third] = await chain();
    const copied = await heads();
    await write((await lines()).slice(0, 2), second?.hash);

    expect(await verify({ isSigned })).toMatchObject({ isWhole: true, count: 2 });
    expect(await verify({ anchors: [{ count: 3, hash: third?.hash ?? '' }] })).toMatchObject({ number: 3 });
    expect(await verify({ anchors: [{ count: 2, hash: (second?.hash ?? '').slice(0, 16) }] })).toMatchObject({
      isWhole: true,
    });
    expect(await verify({ isSigned, copied })).toEqual({
      isWhole: false,
      number: 3,
      why: 'is missing, and all after it: the copy has the heads of 3 records',
    });
  });

  it('rewritten with matching hashes, is unsigned and differs from the copies and anchors', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const copied = await heads();
    const [, noted] = copied;
    await rewrite(
      ({ number }) => (number === 2 ? { reason: 'nothing happened' } : {}),
      () => 'guessed',
    );

    expect(await verify(), 'without any key or copy').toMatchObject({ isWhole: true });
    expect(await verify({ isSigned })).toMatchObject({ number: 1, why: expect.stringContaining('not signed') });
    expect(await verify({ copied })).toMatchObject({ number: 2, why: expect.stringContaining('was rewritten') });
    expect(await verify({ anchors: [{ count: 2, hash: noted?.hash ?? '' }] })).toMatchObject({ number: 2 });
  });

  it('rewritten with the old signatures, has no valid signature', async () => {
    await fill('act_a', 'act_b');
    const copied = await heads();
    const old = (await chain()).map(({ signature }) => signature);
    await rewrite(
      () => ({ reason: 'nothing happened' }),
      () => old.shift() ?? '',
    );

    expect(await verify({ isSigned })).toMatchObject({ number: 1, why: expect.stringContaining('not signed') });
    expect(await verify({ isSigned, copied })).toMatchObject({
      number: 1,
      why: expect.stringContaining('was rewritten'),
    });
  });

  it('truncated and continued with signed records, differs from the copies', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const copied = await heads();
    const [first] = copied;
    await write((await lines()).slice(0, 1), first?.hash);
    await fill('act_x', 'act_y', 'act_z');

    expect(await verify({ isSigned })).toMatchObject({ isWhole: true, count: 4 });
    expect(await verify({ isSigned, copied })).toMatchObject({
      number: 2,
      why: expect.stringContaining('workers went on from there'),
    });
  });

  it('is not suspected because of an unsigned head in the copy', async () => {
    await fill('act_a', 'act_b');
    const forged = { record: 2, hash: 'ab'.repeat(32), at: '2026-03-04T15:00:00.000Z', signature: 'x' };

    expect(await verify({ isSigned, copied: [...(await heads()), forged] })).toMatchObject({ isWhole: true });
  });

  it('signed with an earlier secret, is intact if that secret is known', async () => {
    await fill('act_a');
    const later = createRecordSigner(['next-secret-0123456789', 'worker-secret-0123456789']);

    expect(await verify({ isSigned: later.verify })).toMatchObject({ isWhole: true });
    expect(await verify({ isSigned: createRecordSigner(['next-secret-0123456789']).verify })).toMatchObject({
      number: 1,
    });
  });
});

describe('the copy of an intact chain', () => {
  const now = new Date('2026-03-04T16:00:00.000Z');
  const soon = new Date('2026-03-04T15:05:00.000Z');
  const faults = (copied: readonly CopiedHead[], at = now) => verifyCopy(audit().read(), copied, { isSigned, now: at });

  it('matches if it has every head, even twice', async () => {
    await fill('act_a', 'act_b');
    const copied = await heads();

    expect(await faults([...copied, ...copied])).toEqual([]);
  });

  it('reports heads that were removed from it', async () => {
    await fill('act_a', 'act_b', 'act_c', 'act_d', 'act_e');
    const copied = await heads();

    expect(await faults(copied.filter(({ record }) => record !== 2 && record !== 3))).toEqual([
      'Missing in the copy: the heads of records 2 to 3',
    ]);
  });

  it('is late once records are older than ten minutes, not earlier', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const [first] = await heads();
    const copied = first === undefined ? [] : [first];

    expect(await faults(copied)).toEqual(['Not copied, although older than ten minutes: the heads of records 2 to 3']);
    expect(await faults(copied, soon)).toEqual([]);
    expect(await faults([])).toEqual(['Not copied, although older than ten minutes: the heads of records 1 to 3']);
  });

  it('reports a head that no worker signed', async () => {
    await fill('act_a', 'act_b');
    const copied = (await heads()).map((head) => (head.record === 2 ? { ...head, signature: 'x' } : head));

    expect(await faults(copied)).toEqual(['The head of record 2 in the copy is not signed by a worker']);
  });
});
