import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createAudit, createRecordSigner } from '../../src/audit/audit.ts';
import { auditKey } from '../../src/core/keys.ts';
import { statement } from '../support/audit-records.ts';
import { channels, people, secrets } from '../support/people.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });
const folder = mkdtempSync(join(tmpdir(), 'cardbell-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** `cardbell audit …` */
const audit = (words: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    const given = {
      PATH: process.env.PATH ?? '',
      REDIS_URL: cardbell().redis.url,
      CARD_API_TOKEN: secrets.apiToken,
      ...env,
    };
    execFile(process.execPath, ['dist/bin/audit.js', ...words], { env: given }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });

it('a worker archives old months to files; verify and export read the files and Redis and report missing records', async () => {
  const { store, workers, startWorker, command, take, waitTold } = cardbell();
  await workers[0]?.stop();
  await store.del(auditKey('chain'), auditKey('head'));
  const { sign } = createRecordSigner([secrets.apiToken]);
  const { append } = createAudit({ redis: store, sign, inForce: () => ({ twoPersonAboveCents: 1 }) });
  for (const at of ['2026-01-03', '2026-01-20', '2026-02-01'])
    await append({ ...statement(`act_${at}`), at: `${at}T12:00:00.000Z`, reason: `old ${at}` });

  await startWorker({ AUDIT_ARCHIVE: folder });
  await until(
    () => readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length === 2,
    'both months are archived',
  );
  await until(async () => (await store.llen(auditKey('chain'))) === 0, 'the archived records are gone from Redis');
  await command(people.olga, `block ${take('ACTIVE').AcctId}`);
  await waitTold(people.olga, /^Blocked/);

  const archive = { AUDIT_ARCHIVE: folder };
  const verified = await audit(['verify'], archive);
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(verified.out).toMatch(/^The record is whole: \d+ records/);
  const exported = await audit(['export', '--csv'], archive);
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.out).toContain('old 2026-01-03');
  expect(exported.out).toContain('old 2026-02-01');
  expect(exported.out).toContain('block');

  expect(await audit(['verify'])).toMatchObject({
    code: 78,
    err: expect.stringContaining('AUDIT_ARCHIVE: expected the folder with records 1 to 3') as string,
  });
  rmSync(join(folder, 'audit-2026-02-000000003-000000003.jsonl'));
  expect(await audit(['verify'], archive)).toMatchObject({
    code: 1,
    err: 'The record is broken: record 3 is missing: no file in AUDIT_ARCHIVE has it.\n',
  });
});

it('keeps the record in Redis and notifies ops when the archive folder is unusable', async () => {
  const { startWorker, store, workers, waitFor } = cardbell();
  for (const worker of workers) await worker.stop();
  // Resetting the timer runs the job at once. The next regular run would be in six hours.
  await store.hdel('{cardbell:queue}:maintenance:repeat:archive-audit', 'every');
  const before = await store.lrange(auditKey('chain'), 0, -1);

  await startWorker({ AUDIT_ARCHIVE: '/dev/null/archive' });

  await waitFor(channels.ops, /Old months of the audit record cannot be moved to files/);
  expect(await store.lrange(auditKey('chain'), 0, before.length - 1)).toEqual(before);
});
