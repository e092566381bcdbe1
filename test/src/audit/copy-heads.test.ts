import { expect, it } from 'vitest';
import { type AuditReader, createAudit } from '../../../src/audit/audit.ts';
import { createCopyHeads } from '../../../src/audit/copy-heads.ts';
import type { CopiedHead, Sink } from '../../../src/audit/sink.ts';
import { createLog } from '../../../src/core/log.ts';
import { signer, statement } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const chain = '{cardbell:audit}:chain';

const audit = () =>
  createAudit({ redis: redis(), sign: signer.sign, inForce: () => ({ twoPersonAboveCents: 100_000 }) });

async function fill(from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i += 1) await audit().append(statement(`act_${i}`));
}

function world(sink: Partial<Pick<Sink, 'id' | 'append'>> = {}, reader: AuditReader = audit()) {
  const batches: CopiedHead[][] = [];
  const problems: string[] = [];
  const logged: string[] = [];
  const copyHeads = createCopyHeads({
    redis: redis(),
    reader,
    isSigned: signer.verify,
    sink: {
      id: 'sink_1',
      append: async (heads) => void batches.push([...heads]),
      ...sink,
    },
    notifyOps: async ({ cause }) => void problems.push(cause),
    notifyResolved: async ({ cause }) => void problems.push(`resolved: ${cause}`),
    log: createLog({
      level: 'warn',
      process: 'worker',
      destination: { write: (line) => void logged.push((JSON.parse(line) as { err: Error }).err.message) },
    }),
  });
  return { copyHeads, batches, problems, logged, copied: () => batches.flat().map(({ record }) => record) };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

it('copies each head once, in batches of 500', async () => {
  const { copyHeads, copied, batches } = world();
  await fill(1, 520);
  await copyHeads();
  await fill(521, 522);
  await copyHeads();
  await copyHeads();

  expect(copied()).toEqual(numbers(1, 522));
  expect(batches.map(({ length }) => length)).toEqual([500, 20, 2]);
  expect(batches[0]?.[0]).toEqual({
    record: 1,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    at: '2026-03-04T15:00:00.000Z',
    signature: expect.stringMatching(/./),
  });
});

it('loses nothing while the sink is down, and reports when it goes down and comes back', async () => {
  let isAway = true;
  const heads: CopiedHead[] = [];
  const append: Sink['append'] = async (batch) => {
    if (isAway) throw new Error('the sink answered 503');
    heads.push(...batch);
  };
  const { copyHeads, problems, logged } = world({ append });
  for (let i = 1; i <= 3; i += 1) {
    await fill(i, i);
    await copyHeads();
  }
  isAway = false;
  await copyHeads();

  expect(heads.map(({ record }) => record)).toEqual([1, 2, 3]);
  expect(problems).toEqual([...Array(3).fill('audit-sink'), 'resolved: audit-sink']);
  // Once: the log counts repeats.
  expect(logged).toEqual(['the sink answered 503']);
});

it('copies heads again if it died before recording them, so that a head may be copied twice but never be missing', async () => {
  const { copyHeads, copied } = world();
  await fill(1, 2);
  await copyHeads();
  await redis().set('{cardbell:audit}:copied:sink_1', '');
  await copyHeads();

  expect(copied()).toEqual([1, 2, 1, 2]);
});

it('copies all heads to another sink, and goes on where it was if the former one is used again', async () => {
  const [former, other] = [world(), world({ id: 'sink_2' })];
  await fill(1, 2);
  await former.copyHeads();
  await other.copyHeads();
  await fill(3, 3);
  await other.copyHeads();
  await former.copyHeads();

  expect(other.copied()).toEqual([1, 2, 3]);
  expect(former.copied()).toEqual([1, 2, 3]);
  expect([...former.problems, ...other.problems].filter((cause) => !cause.startsWith('resolved'))).toEqual([]);
});

it('reports a chain shorter than the copy, and copies all current records', async () => {
  const { copyHeads, copied, problems } = world();
  await fill(1, 4);
  await copyHeads();
  const third = JSON.parse((await redis().lindex(chain, 2)) ?? '') as { hash: string };
  await redis().ltrim(chain, 0, 2);
  await redis().set('{cardbell:audit}:head', third.hash);
  await copyHeads();
  await fill(5, 5);
  await copyHeads();

  expect(problems).toEqual(['resolved: audit-sink', 'audit-changed:4', 'resolved: audit-sink', 'resolved: audit-sink']);
  expect(copied()).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
});

it('reports a record that no worker signed, and copies it as evidence', async () => {
  const { copyHeads, copied, problems } = world();
  await fill(1, 1);
  await createAudit({
    redis: redis(),
    sign: () => 'guessed',
    inForce: () => ({ twoPersonAboveCents: 0 }),
  }).append(statement('act_forged'));
  await copyHeads();

  expect(problems).toEqual(['audit-forged:2', 'resolved: audit-sink']);
  expect(copied()).toEqual([1, 2]);
});

it('ends each reading of the record, because one may hold a file of the archive open', async () => {
  let started = 0;
  let ended = 0;
  async function* read(options?: { readonly from?: number }) {
    started += 1;
    try {
      yield* audit().read(options);
    } finally {
      ended += 1;
    }
  }
  let isAway = true;
  const append = async (): Promise<void> => {
    if (isAway) throw new Error('the sink answered 503');
  };
  const { copyHeads } = world({ append }, { ...audit(), read });
  await fill(1, 520);
  await copyHeads();
  isAway = false;
  for (let run = 0; run < 3; run += 1) await copyHeads();

  expect([started, ended]).toEqual([6, 6]);
});

it('skips a line that is not a record', async () => {
  const { copyHeads, copied, problems } = world();
  await redis().rpush(chain, '{');
  await fill(2, 2);
  await copyHeads();

  expect(problems).toEqual(['audit-forged:1', 'resolved: audit-sink']);
  expect(copied()).toEqual([2]);
});
