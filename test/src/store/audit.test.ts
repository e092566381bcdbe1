import { expect, it } from 'vitest';
import { type AuditEntry, type AuditRecord, chainHash, createAudit, GENESIS } from '../../../src/store/audit.ts';
import { useRedis } from './on-redis.ts';

const redis = useRedis();

const record = (actionId: string): AuditRecord => ({
  at: '2026-03-04T15:00:00.000Z',
  actionId,
  event: 'done',
  verb: 'block',
  actor: { userId: 'U1', teamId: 'T1' },
  roles: ['operator'],
  acctId: 1,
  cardId: 2,
  before: 'active',
  after: 'blocked',
  reason: 'lost',
  channel: 'C1',
  messageTs: null,
  alertId: null,
  detail: null,
  twoPersonAboveCents: 100_000,
});

async function chain(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of createAudit(redis()).read()) entries.push(entry);
  return entries;
}

/** Index of the first entry that does not follow from the one before; -1 when all do. */
function firstBroken(entries: readonly AuditEntry[]): number {
  return entries.findIndex(({ previous, hash, record: own }, index) => {
    const before = index === 0 ? GENESIS : entries[index - 1]?.hash;
    return previous !== before || hash !== chainHash(previous, own);
  });
}

it('each record follows from the one before, also when many write at once', async () => {
  const writers = [createAudit(redis()), createAudit(redis()), createAudit(redis())];

  await Promise.all(Array.from({ length: 60 }, (_, i) => writers[i % 3]?.append(record(`act_${i}`))));

  const entries = await chain();
  expect(new Set(entries.map((entry) => entry.record.actionId)).size).toBe(60);
  expect(firstBroken(entries)).toBe(-1);
});

it('a record that was changed or removed breaks the chain there', async () => {
  const audit = createAudit(redis());
  for (const id of ['act_a', 'act_b', 'act_c']) await audit.append(record(id));
  const entries = await chain();

  const changed = entries.map((entry, i) => (i === 1 ? { ...entry, record: record('act_x') } : entry));

  expect(firstBroken(changed)).toBe(1);
  expect(firstBroken(entries.toSpliced(1, 1))).toBe(1);
});

it('is read in pages from anywhere', async () => {
  const audit = createAudit(redis());
  for (let i = 0; i < 520; i += 1) await audit.append(record(`act_${i}`));

  const sequences: number[] = [];
  for await (const { sequence } of audit.read({ fromSequence: 510 })) sequences.push(sequence);

  expect(sequences).toEqual([510, 511, 512, 513, 514, 515, 516, 517, 518, 519]);
});
