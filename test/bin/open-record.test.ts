import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openArchive } from '../../src/audit/archive.ts';
import { createArchiveMonths } from '../../src/audit/archive-months.ts';
import { createAuditReader } from '../../src/audit/audit.ts';
import { QuarantinedWebhook } from '../../src/core/event.ts';
import { webKeys } from '../../src/core/keys.ts';
import { createQuarantineStore } from '../../src/webhooks/quarantine.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();
beforeEach(async () => void (await redis().set(webKeys.since, Date.now())));
const CHAIN = '{cardbell:audit}:chain';
const CARD_API_TOKEN = 'token-of-the-worker';
const AUDIT_KEY = 'key-of-the-worker-1234';

async function run(name: string, args: readonly string[], env: Record<string, string>) {
  return await runCommand(name, args, { REDIS_URL: await urlOf(redis()), ...env });
}

const exportWith = async (env: Record<string, string>) => await run('audit', ['export', '--csv'], env);

it.each<[string, readonly string[]]>([
  ['audit', ['export', '--csv']],
  ['replay', ['run', 'q_1']],
  ['replay', ['discard', 'q_1', '--reason', 'a test']],
])('%s %j with another key than the worker’s records nothing and does nothing', async (name, args) => {
  await exportWith({ AUDIT_KEY });
  const quarantine = createQuarantineStore(redis());
  const now = new Date().toISOString();
  const kept = { id: 'q_1', path: 'decline', issues: [], body: {}, version: null, receivedAt: now };
  await quarantine.keep(QuarantinedWebhook.parse(kept));

  const { code, out, err } = await run(name, args, { CARD_API_TOKEN });

  expect(code).toBe(78);
  expect(out).toBe('');
  expect(err).toContain('AUDIT_KEY: expected the keys that the worker signs the record with');
  expect(await redis().llen(CHAIN)).toBe(1);
  expect(await quarantine.get('q_1')).not.toBeNull();
  const { code: verified } = await run('audit', ['verify'], { AUDIT_KEY, CARD_API_TOKEN });
  expect(verified, 'the record is whole').toBe(0);
});

it('says nothing of a policy: the terminal may not know the worker’s, and none decides about it', async () => {
  await exportWith({ AUDIT_KEY, OPERATORS: 'U0SOMEBODY', TWO_PERSON_ABOVE: '500' });

  const [line] = await redis().lrange(CHAIN, 0, -1);
  expect(JSON.parse(line ?? '')).toMatchObject({ record: { twoPersonAboveCents: null, policy: null } });
});

it('the worker’s key fits even if the last record was signed with another one', async () => {
  await exportWith({ AUDIT_KEY });
  await redis().rpush(CHAIN, JSON.stringify({ record: {}, previous: '', hash: 'forged', signature: 'forged' }));

  expect((await exportWith({ AUDIT_KEY })).code).toBe(0);
});

it('a key that was replaced still fits if it follows the new one', async () => {
  await exportWith({ CARD_API_TOKEN });

  expect((await exportWith({ AUDIT_KEY, CARD_API_TOKEN })).code).toBe(78);
  expect((await exportWith({ AUDIT_KEY: `${AUDIT_KEY},${CARD_API_TOKEN}` })).code).toBe(0);
  expect(await redis().llen(CHAIN)).toBe(2);
});

describe('when every record was moved to files', () => {
  /** @returns the folder. */
  async function movedToFiles(): Promise<string> {
    await exportWith({ AUDIT_KEY });
    const folder = await mkdtemp(join(tmpdir(), 'cardbell-archive-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const archive = openArchive(folder);
    const reader = createAuditReader(redis(), archive);
    const inThreeMonths = new Date(Date.now() + 100 * 24 * 3_600_000);
    await createArchiveMonths({
      redis: redis(),
      reader,
      archive,
      now: () => inThreeMonths,
      recordChanged: async (number) => expect.unreachable(`record ${number}`),
    })();
    expect(await redis().llen(CHAIN)).toBe(0);
    return folder;
  }

  it('another key than the worker’s still records nothing, and the worker’s does', async () => {
    const AUDIT_ARCHIVE = await movedToFiles();

    const wrong = await exportWith({ CARD_API_TOKEN, AUDIT_ARCHIVE });
    expect(wrong.code).toBe(78);
    expect(wrong.err).toContain('AUDIT_KEY: expected the keys that the worker signs the record with');
    expect(await redis().llen(CHAIN)).toBe(0);

    expect((await exportWith({ AUDIT_KEY, AUDIT_ARCHIVE })).code).toBe(0);
    expect((await run('audit', ['verify'], { AUDIT_KEY, AUDIT_ARCHIVE })).code).toBe(0);
  });

  it('nothing is done without the files, because no key can be compared', async () => {
    const folder = await movedToFiles();
    const discard = ['discard', 'q_1', '--reason', 'a test'];

    const unset = await run('replay', discard, { AUDIT_KEY });
    expect(unset.code).toBe(78);
    expect(unset.err).toContain('AUDIT_ARCHIVE: expected the folder with records 1 to 1');

    for (const file of await readdir(folder)) await rm(join(folder, file));
    const empty = await run('replay', discard, { AUDIT_KEY, AUDIT_ARCHIVE: folder });
    expect(empty.code).toBe(78);
    expect(empty.err).toContain('AUDIT_ARCHIVE: record 1 is missing');
    expect(await redis().llen(CHAIN)).toBe(0);
  });
});
