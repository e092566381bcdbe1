import { describe, expect, it } from 'vitest';
import { type Evidence, verifyChain, verifyCopy } from '../../../bin/audit/verify-chain.ts';
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

    expect(await verify()).toMatchObject({ faults: [{ number }], end: null });
  });

  it('truncated with a matching head, is detected only by anchors or copies', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const [, second, third] = await chain();
    const copied = await heads();
    await write((await lines()).slice(0, 2), second?.hash);

    expect(await verify({ isSigned })).toMatchObject({ faults: [], end: { count: 2 } });
    expect(await verify({ anchors: [{ count: 3, hash: third?.hash ?? '' }] })).toMatchObject({
      faults: [{ number: 3 }],
    });
    expect(await verify({ anchors: [{ count: 2, hash: (second?.hash ?? '').slice(0, 16) }] })).toMatchObject({
      faults: [],
    });
    expect(await verify({ isSigned, copied })).toEqual({
      faults: [{ number: 3, why: 'is missing, and all after it: the copy has the heads of 3 records' }],
      end: null,
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

    expect(await verify(), 'without any key or copy').toMatchObject({ faults: [] });
    expect(await verify({ isSigned })).toMatchObject({
      faults: [{ number: 1, why: expect.stringContaining('not signed') }],
    });
    expect(await verify({ copied })).toMatchObject({
      faults: [{ number: 2, why: expect.stringContaining('was rewritten') }],
    });
    expect(await verify({ anchors: [{ count: 2, hash: noted?.hash ?? '' }] })).toMatchObject({
      faults: [{ number: 2 }],
    });
  });

  it('rewritten with the old signatures, has no valid signature', async () => {
    await fill('act_a', 'act_b');
    const copied = await heads();
    const old = (await chain()).map(({ signature }) => signature);
    await rewrite(
      () => ({ reason: 'nothing happened' }),
      () => old.shift() ?? '',
    );

    expect(await verify({ isSigned })).toMatchObject({
      faults: [{ number: 1, why: expect.stringContaining('not signed') }],
    });
    expect(await verify({ isSigned, copied })).toMatchObject({
      faults: [{ number: 1, why: expect.stringContaining('was rewritten') }],
    });
  });

  it('truncated and continued with signed records, differs from the copies', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const copied = await heads();
    const [first] = copied;
    await write((await lines()).slice(0, 1), first?.hash);
    await fill('act_x', 'act_y', 'act_z');

    expect(await verify({ isSigned })).toMatchObject({ faults: [], end: { count: 4 } });
    expect(await verify({ isSigned, copied })).toMatchObject({
      faults: [{ number: 2, why: expect.stringContaining('workers went on from there') }],
      end: { count: 4 },
    });
  });

  describe('that was restored from a backup and went on', () => {
    const at = (minute: number) => `2026-03-04T15:${String(minute).padStart(2, '0')}:00.000Z`;
    const append = async (minute: number) => await audit().append({ ...statement(`act_${minute}`), at: at(minute) });
    const cutTo = async (count: number) => {
      const kept = await lines();
      await write(kept.slice(0, count), (await chain())[count - 1]?.hash);
    };

    /** Four records, of which a restore lost the last two, and three more. All were copied. */
    async function restored() {
      for (const minute of [1, 2, 3, 4]) await append(minute);
      const lost = await heads();
      await cutTo(2);
      for (const minute of [11, 12, 13]) await append(minute);
      const copied = [...lost, ...(await heads())];
      const [, , first] = await chain();
      const accepted = [{ count: 3, hash: first?.hash.slice(0, 16) ?? '' }];
      return { copied, accepted };
    }

    it('has one fault until that is accepted, and is checked to its end', async () => {
      const { copied, accepted } = await restored();
      const [, , , , last] = await chain();
      const end = { count: 5, hash: last?.hash };

      expect(await verify({ isSigned, copied })).toMatchObject({ faults: [{ number: 3 }], end });
      expect(await verify({ isSigned, copied, accepted })).toEqual({ faults: [], end });
      expect(await verifyCopy(audit().read(), copied, { isSigned, now: new Date(at(59)), wasCopied: true })).toEqual(
        [],
      );
    });

    it('is broken where it was rewritten, cut off or continued once more after that', async () => {
      const { copied, accepted } = await restored();
      const all = await lines();
      await write(all.with(3, JSON.stringify(edited(all[3] ?? '', { reason: 'other' }))));
      expect(await verify({ isSigned, copied })).toMatchObject({ faults: [{ number: 3 }, { number: 4 }], end: null });
      await write(all);

      await cutTo(4);
      expect(await verify({ isSigned, copied, accepted })).toMatchObject({
        faults: [{ number: 5, why: expect.stringContaining('the copy has the heads of 5 records') }],
        end: null,
      });

      await cutTo(3);
      await append(21);
      await append(22);
      expect(await verify({ isSigned, copied, accepted })).toMatchObject({
        faults: [{ number: 4, why: expect.stringContaining('workers went on from there') }],
        end: { count: 5 },
      });
    });

    it('is broken if the lost end was put back instead, once for all of its records', async () => {
      for (const minute of [1, 2, 3, 4]) await append(minute);
      const [before, lost] = [await lines(), await heads()];
      await cutTo(2);
      for (const minute of [11, 12, 13]) await append(minute);
      const copied = [...lost, ...(await heads())];
      const accepted = [{ count: 3, hash: (await chain())[2]?.hash ?? '' }];
      await write(before, lost.at(-1)?.hash);

      expect(await verify({ isSigned, copied })).toMatchObject({ faults: [{ number: 3 }, { number: 5 }], end: null });
      expect(await verify({ isSigned, copied, accepted })).toMatchObject({
        faults: [{ number: 3, why: 'is not the one that was noted' }],
      });
    });

    it('needs a head of each record in the copy, not only one under its number', async () => {
      const { copied } = await restored();
      const [, , third] = await chain();
      const without = copied.filter(({ hash }) => hash !== third?.hash);

      expect(await verifyCopy(audit().read(), without, { isSigned, now: new Date(at(59)), wasCopied: true })).toEqual([
        'Missing in the copy: the heads of record 3',
      ]);
    });

    it('has one fault if workers wrote the last seconds again in another order', async () => {
      const inOrder = async (...seconds: number[]) => {
        for (const second of seconds)
          await audit().append({ ...statement(`act_${second}`), at: `2026-03-04T15:00:0${second}.000Z` });
      };
      await inOrder(1, 2, 3, 4);
      const lost = await heads();
      await redis().flushall();
      await inOrder(1, 4, 3, 2);

      expect(await verify({ isSigned, copied: [...lost, ...(await heads())] })).toMatchObject({
        faults: [{ number: 2 }],
        end: { count: 4 },
      });
    });
  });

  it('is not suspected because of an unsigned head in the copy', async () => {
    await fill('act_a', 'act_b');
    const forged = { record: 2, hash: 'ab'.repeat(32), at: '2026-03-04T15:00:00.000Z', signature: 'x' };

    expect(await verify({ isSigned, copied: [...(await heads()), forged] })).toMatchObject({ faults: [] });
  });

  it('signed with an earlier secret, is intact if that secret is known', async () => {
    await fill('act_a');
    const later = createRecordSigner(['next-secret-0123456789', 'worker-secret-0123456789']);

    expect(await verify({ isSigned: later.verify })).toMatchObject({ faults: [] });
    expect(await verify({ isSigned: createRecordSigner(['next-secret-0123456789']).verify })).toMatchObject({
      faults: [{ number: 1 }],
    });
  });
});

describe('the copy of an intact chain', () => {
  const now = new Date('2026-03-04T16:00:00.000Z');
  const soon = new Date('2026-03-04T15:05:00.000Z');
  const faults = (copied: readonly CopiedHead[], at = now, wasCopied = false) =>
    verifyCopy(audit().read(), copied, { isSigned, now: at, wasCopied });

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

  it('is lost if heads were copied and it has none, however young the records are', async () => {
    await fill('act_a');
    const lost = expect.stringMatching(/^The copy no longer has any heads/);

    expect(await faults(await heads(), soon, true)).toEqual([]);
    expect(await faults([], soon, true)).toEqual([lost]);
    expect(await faults([], now, true)).toEqual([lost, expect.stringMatching(/^Not copied/)]);
  });

  it('reports a head that no worker signed', async () => {
    await fill('act_a', 'act_b');
    const copied = (await heads()).map((head) => (head.record === 2 ? { ...head, signature: 'x' } : head));

    expect(await faults(copied)).toEqual(['The head of record 2 in the copy is not signed by a worker']);
  });
});
