import { describe, expect, it } from 'vitest';
import {
  type AuditEntry,
  auditCsvLine,
  auditHeader,
  chainHash,
  createAudit,
  type Statement,
} from '../../../src/audit/audit.ts';
import { type Anchor, verifyChain } from '../../../src/audit/verify.ts';
import type { Log } from '../../../src/core/log.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

const record = (actionId: string): Statement => ({
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
});

async function chain(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of createAudit({ redis: redis() }).read()) entries.push(entry);
  return entries;
}

async function verify(anchors: Anchor[] = []) {
  const audit = createAudit({ redis: redis() });
  return await verifyChain(audit.read(), await audit.head(), anchors);
}

async function fill(...ids: string[]): Promise<void> {
  const audit = createAudit({ redis: redis() });
  for (const id of ids) await audit.append(record(id));
}

it('each record follows from the one before, also when many write at once', async () => {
  const writers = [createAudit({ redis: redis() }), createAudit({ redis: redis() }), createAudit({ redis: redis() })];

  await Promise.all(Array.from({ length: 60 }, (_, i) => writers[i % 3]?.append(record(`act_${i}`))));

  const entries = await chain();
  expect(new Set(entries.map((entry) => entry.record?.actionId)).size).toBe(60);
  expect(await verify()).toMatchObject({ isWhole: true, count: 60 });
});

it('the same statement is on record once, however often it is made', async () => {
  const audit = createAudit({ redis: redis() });

  await audit.append(record('act_a'));
  await audit.append({ ...record('act_a'), at: '2026-03-04T15:00:09.000Z' });
  await audit.append({ ...record('act_a'), event: 'confirmed' });

  expect((await chain()).map((entry) => entry.record?.event)).toEqual(['done', 'confirmed']);
});

it('puts the policy of that moment on each record, and does not repeat a statement because the policy changed', async () => {
  let inForce = { twoPersonAboveCents: 100_000, policy: { version: 'pol_1', words: 'one' } };
  const audit = createAudit({ redis: redis(), inForce: () => inForce });

  await audit.append(record('act_a'));
  inForce = { twoPersonAboveCents: 5000, policy: { version: 'pol_2', words: 'two' } };
  await audit.append(record('act_a'));
  await audit.append(record('act_b'));

  expect((await chain()).map((entry) => entry.record)).toMatchObject([
    { actionId: 'act_a', twoPersonAboveCents: 100_000, policy: { version: 'pol_1' } },
    { actionId: 'act_b', twoPersonAboveCents: 5000, policy: { version: 'pol_2' } },
  ]);
});

it('says where a message stands, and gives the head to the log', async () => {
  const logged: object[] = [];
  const log = { info: (fields: object) => void logged.push(fields) } as unknown as Log;
  const permalink = async (channel: string, ts: string) => `https://x.slack.com/archives/${channel}/p${ts}`;

  await createAudit({ redis: redis(), permalink, log }).append({ ...record('act_a'), messageTs: '12' });

  const [entry] = await chain();
  expect(entry?.record?.permalink).toBe('https://x.slack.com/archives/C1/p12');
  expect(logged).toEqual([expect.objectContaining({ record: 1, auditHead: entry?.hash })]);
});

describe('a chain that somebody laid hands on', () => {
  const key = '{cardbell:audit}:chain';
  const lines = () => redis().lrange(key, 0, -1);
  const write = async (all: readonly string[]) => {
    await redis().del(key);
    if (all.length > 0) await redis().rpush(key, ...all);
  };
  const edited = (line: string, over: object) => {
    const entry = JSON.parse(line) as AuditEntry;
    return { ...entry, record: { ...entry.record, ...over } };
  };

  it.each<[string, (all: string[]) => string[], number]>([
    ['a record was changed', (all) => all.with(1, JSON.stringify(edited(all[1] ?? '', { reason: 'other' }))), 2],
    [
      'a record was changed and its hash made to fit',
      (all) => {
        const entry = edited(all[1] ?? '', { after: 'active' });
        return all.with(1, JSON.stringify({ ...entry, hash: chainHash(entry.previous, entry.record) }));
      },
      3,
    ],
    ['a record was removed', (all) => all.toSpliced(1, 1), 2],
    ['two records changed places', (all) => [all[0], all[2], all[1], all[3]].map(String), 2],
    ['a record was put in twice', (all) => all.toSpliced(1, 0, all[0] ?? ''), 2],
    ['a record is no record any more', (all) => all.with(2, '{'), 3],
    ['the last records were cut off', (all) => all.slice(0, 2), 3],
    ['all of it is gone', () => [], 1],
  ])('%s: says where', async (_how, tamper, number) => {
    await fill('act_a', 'act_b', 'act_c', 'act_d');
    await write(tamper(await lines()));

    expect(await verify()).toMatchObject({ isWhole: false, number });
  });

  it('cut off with the head made to fit, only what was noted elsewhere tells', async () => {
    await fill('act_a', 'act_b', 'act_c');
    const [, second, third] = await chain();
    await write((await lines()).slice(0, 2));
    await redis().set('{cardbell:audit}:head', second?.hash ?? '');

    expect(await verify()).toMatchObject({ isWhole: true, count: 2 });
    expect(await verify([{ count: 3, hash: third?.hash ?? '' }])).toMatchObject({ isWhole: false, number: 3 });
    expect(await verify([{ count: 2, hash: (second?.hash ?? '').slice(0, 16) }])).toMatchObject({ isWhole: true });
  });

  it('written anew from its beginning, it does not fit what was noted elsewhere', async () => {
    await fill('act_a', 'act_b');
    const noted = (await chain())[1]?.hash.slice(0, 16) ?? '';
    await redis().flushall();
    await fill('act_a', 'act_x', 'act_c');

    expect(await verify()).toMatchObject({ isWhole: true });
    expect(await verify([{ count: 2, hash: noted }])).toMatchObject({ isWhole: false, number: 2 });
  });
});

it('as CSV, no text is a formula, and every comma and quote stays in its cell', async () => {
  const formula = '=HYPERLINK("http://x.example","a, b")';
  await createAudit({ redis: redis() }).append({ ...record('act_a'), reason: formula, detail: ' +1' });
  const [entry] = await chain();
  if (entry?.record == null) throw new Error('no record');

  const line = auditCsvLine({ ...entry, record: entry.record });

  expect(line).toContain(',"\'=HYPERLINK(""http://x.example"",""a, b"")","\' +1",');
  expect(auditHeader.split(',')).toHaveLength(25);
});

it('is read in pages from anywhere', async () => {
  const audit = createAudit({ redis: redis() });
  for (let i = 0; i < 520; i += 1) await audit.append(record(`act_${i}`));

  const numbers: number[] = [];
  for await (const { number } of audit.read({ from: 511 })) numbers.push(number);

  expect(numbers).toEqual([511, 512, 513, 514, 515, 516, 517, 518, 519, 520]);
});
