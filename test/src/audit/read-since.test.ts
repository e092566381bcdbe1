import { expect, it } from 'vitest';
import { type AuditEntry, createAudit, readRecordsSince } from '../../../src/audit/audit.ts';
import { signer, statement } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-03-01T00:00:00Z');

it('returns all records since a time, oldest first, however far back', async () => {
  const audit = createAudit({ redis: redis(), sign: signer.sign, inForce: () => ({ twoPersonAboveCents: 1 }) });
  for (let hour = 0; hour < 40; hour += 1)
    await audit.append({ ...statement(`act_${hour}`), at: new Date(START + hour * HOUR_MS).toISOString() });

  expect(await readRecordsSince(audit, START)).toHaveLength(40);
  const late = await readRecordsSince(audit, START + 37 * HOUR_MS);
  expect(late.map(({ actionId }) => actionId)).toEqual(['act_37', 'act_38', 'act_39']);
});

it('reads only the end of a long chain, and skips unreadable records', async () => {
  const from: number[] = [];
  const entries = Array.from({ length: 9000 }, (_, index): AuditEntry => {
    const at = new Date(START + index * HOUR_MS).toISOString();
    const record = index === 8999 ? null : { ...statement(`act_${index}`), at, twoPersonAboveCents: 1 };
    return { number: index + 1, record, previous: '', hash: '', signature: '', line: '' };
  });
  const reader = {
    head: async () => ({ count: entries.length, hash: '' }),
    async *read(options?: { from?: number }) {
      from.push(options?.from ?? 1);
      yield* entries.slice((options?.from ?? 1) - 1);
    },
  };

  expect(await readRecordsSince(reader, START + 8000 * HOUR_MS)).toHaveLength(999);
  expect(from).toEqual([8501, 7001]);
  expect(await readRecordsSince(reader, 0)).toHaveLength(8999);
});
