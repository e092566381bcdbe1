import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { createAudit, createRecordSigner } from '../../src/audit/audit.ts';
import { nobody } from '../../src/audit/audit-record.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();
const key = 'a-key-of-32-characters-or-more-0123';
let server: Server | undefined;
beforeEach(async () => {
  const { sign } = createRecordSigner([key]);
  const { append } = createAudit({ redis: redis(), sign, inForce: () => ({ twoPersonAboveCents: 100_000 }) });
  for (const userId of ['U1', 'U2', 'U3'])
    await append({
      ...nobody,
      event: 'asked',
      verb: 'block',
      actionId: `act_${userId}`,
      actor: { userId, teamId: 'T1' },
      at: new Date().toISOString(),
    });
});
afterEach(() => void server?.close());

/** An export, with a Slack that answers each question about a person with this. */
async function exported(
  answer: (call: number) => { status?: number; body: object | string },
  range: readonly string[] = [],
) {
  let calls = 0;
  server = createServer((_request, response) => {
    calls += 1;
    const { status = 200, body } = answer(calls);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const ended = await runCommand('audit', ['export', '--csv', ...range], {
    REDIS_URL: await urlOf(redis()),
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_API_URL: `http://127.0.0.1:${await listen(server)}/api/`,
    AUDIT_KEY: key,
  });
  return { ...ended, calls };
}

it('an export with a dead token says that names are left out and why, and asks Slack once', async () => {
  const { code, out, err, calls } = await exported(() => ({ body: { ok: false, error: 'token_revoked' } }));

  expect({ code, calls }).toEqual({ code: 0, calls: 1 });
  expect(err).toBe('Names are left out: Slack answered token_revoked. Correct SLACK_BOT_TOKEN and export again.\n');
  expect(out).toContain('U3');
});

it('an export during a fault of Slack says that names are missing, and has those that Slack told', async () => {
  const { code, out, err, calls } = await exported((call) =>
    call === 1 ? { status: 502, body: 'no' } : { body: { ok: true, user: { real_name: `Person ${call}` } } },
  );

  expect({ code, calls }).toEqual({ code: 0, calls: 3 });
  expect(err).toBe('Some names are left out: Slack answered http_502. Export again later.\n');
  expect(out).toContain('Person 3');
});

it('an export with a person whom Slack does not know is complete', async () => {
  const { code, err } = await exported(() => ({ body: { ok: false, error: 'user_not_found' } }));

  expect({ code, err }).toEqual({ code: 0, err: '' });
});

it('an export whose old months cannot be read says so, writes nothing, and leaves no record', async () => {
  await redis().set('{cardbell:audit}:archived', `1:${'a'.repeat(64)}`);
  const before = await redis().lrange('{cardbell:audit}:chain', 0, -1);
  const files = { REDIS_URL: await urlOf(redis()), AUDIT_KEY: key };

  const unset = await runCommand('audit', ['export', '--csv'], files);
  const missing = await runCommand('audit', ['export', '--csv'], { ...files, AUDIT_ARCHIVE: '/nowhere/audit' });

  const folder = await mkdtemp(join(tmpdir(), 'cardbell-archive-'));
  const file = join(folder, 'audit-2026-09-000000001-000000001.jsonl');
  await symlink(join(folder, 'nowhere'), file);
  const locked = await runCommand('audit', ['export', '--csv'], { ...files, AUDIT_ARCHIVE: folder });
  await rm(folder, { recursive: true });

  expect(locked).toMatchObject({ code: 78, out: '', err: `AUDIT_ARCHIVE: ${file} cannot be read (ENOENT)\n` });
  expect(unset).toMatchObject({
    code: 78,
    out: '',
    err: 'AUDIT_ARCHIVE: expected the folder with records 1 to 1, which were moved there from Redis.\n',
  });
  expect(missing).toMatchObject({
    code: 1,
    out: '',
    err: 'The record is broken: record 1 is missing: no file in AUDIT_ARCHIVE has it.\n',
  });
  expect(await redis().lrange('{cardbell:audit}:chain', 0, -1)).toEqual(before);
});

it('an export names the people who approved before its time', async () => {
  const { sign } = createRecordSigner([key]);
  const { append } = createAudit({
    redis: redis(),
    sign,
    inForce: () => ({ twoPersonAboveCents: 100_000 }),
    describe: async ({ event }) => (event === 'approved' ? { approvers: ['U_APPROVER'] } : {}),
  });
  const limit = { ...nobody, verb: 'limit', actionId: 'act_1', actor: { userId: 'U1', teamId: 'T1' } } as const;
  await append({ ...limit, event: 'approved', at: '2026-08-31T23:59:00.000Z' });
  await append({ ...limit, event: 'done', at: '2026-09-01T00:01:00.000Z' });

  const range = ['--since', '2026-09-01', '--until', '2026-10-01'];
  const { out, calls } = await exported(
    (call) => ({ body: { ok: true, user: { real_name: `Person ${call}` } } }),
    range,
  );

  expect(calls).toBe(2);
  expect(out.split('\r\n')[1]).toContain('Person 2');
});
