import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createAudit, createRecordSigner } from '../../src/audit/audit.ts';
import { createCopyHeads } from '../../src/audit/copy-heads.ts';
import { openSink } from '../../src/audit/sink.ts';
import { webKeys } from '../../src/core/keys.ts';
import { createLog } from '../../src/core/log.ts';
import { statement } from '../support/audit-records.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();
beforeEach(async () => void (await redis().set(webKeys.since, Date.now())));
const AUDIT_KEY = 'a-key-of-32-characters-or-more-0123';

/** An installation with a file as its copy, which the first batch creates. */
async function installation() {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-copy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = pathToFileURL(join(folder, 'heads.jsonl'));
  const signer = createRecordSigner([AUDIT_KEY]);
  const audit = createAudit({ redis: redis(), sign: signer.sign, inForce: () => ({ twoPersonAboveCents: 100_000 }) });
  return {
    record: async () => await audit.append({ ...statement('act_1'), at: new Date().toISOString() }),
    copy: createCopyHeads({
      redis: redis(),
      reader: audit,
      isSigned: signer.verify,
      sink: openSink({ url, token: undefined, accessKeyId: undefined, secretAccessKey: undefined }),
      notifyOps: async ({ cause }) => expect.unreachable(cause),
      notifyResolved: async () => {},
      log: createLog({ level: 'silent', process: 'test' }),
    }),
    removeCopy: () => rm(url),
    verify: async () =>
      await runCommand('audit', ['verify'], { REDIS_URL: await urlOf(redis()), AUDIT_KEY, AUDIT_SINK: url.href }),
  };
}

it('verify says that nothing was copied yet, and that a record that was cut off would not show', async () => {
  const { record, verify } = await installation();
  const empty = await verify();
  await record();
  const young = await verify();

  for (const { code, out, err } of [empty, young]) {
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('The copy has no heads yet (AUDIT_SINK).');
    expect(out).toContain('Records cut off at the end show only against a copy');
    expect(out).not.toContain('The copy fits');
  }
});

it('verify without the keys of its bucket names them, as the worker does', async () => {
  const { code, out, err } = await runCommand('audit', ['verify'], {
    REDIS_URL: await urlOf(redis()),
    AUDIT_KEY,
    AUDIT_SINK: 's3://bucket/heads?region=eu-west-1',
  });

  expect({ code, out }).toEqual({ code: 78, out: '' });
  expect(err).toContain('AWS_ACCESS_KEY_ID: expected the access key of the bucket in AUDIT_SINK\n');
  expect(err).toContain('AWS_SECRET_ACCESS_KEY: expected');
});

it('verify does not find the record complete when its copy is gone, even if the record is young, or gone as well', async () => {
  const { record, copy, removeCopy, verify } = await installation();
  await record();
  await copy();
  const whole = await verify();
  await removeCopy();
  const young = await verify();
  await redis().del('{cardbell:audit}:chain', '{cardbell:audit}:head');
  const gone = await verify();

  expect(whole).toMatchObject({ code: 0, err: '', out: expect.stringContaining('The copy fits') });
  for (const { code, out, err } of [young, gone]) {
    expect(code).toBe(1);
    expect(err).toMatch(/^The copy no longer has any heads \(AUDIT_SINK\)/);
    expect(out).not.toContain('The copy');
  }
});
