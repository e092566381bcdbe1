import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { QuarantinedWebhook } from '../../src/core/event.ts';
import { webKeys } from '../../src/core/keys.ts';
import { createQuarantineStore } from '../../src/webhooks/quarantine.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();
beforeEach(async () => {
  for (const program of ['', 'eu:']) await redis().set(`${program}${webKeys.since}`, Date.now());
});
const eu = { PROGRAMS: 'eu', PROGRAM: 'eu' };

async function run(name: string, args: readonly string[], env: Record<string, string>) {
  return await runCommand(name, args, { REDIS_URL: await urlOf(redis()), ...env });
}

const policyFile = (): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'cardbell-policy-')), 'broken.yaml');
  writeFileSync(path, 'version: 2');
  return path;
};

describe('a command for another card program names the variables that it reads:', () => {
  it('replay discard, which changes nothing without them', async () => {
    await createQuarantineStore(redis()).keep(
      QuarantinedWebhook.parse({
        id: 'q_1',
        path: 'decline',
        issues: [],
        body: {},
        version: null,
        receivedAt: new Date().toISOString(),
      }),
    );
    const { code, err } = await run('replay', ['discard', 'q_1', '--reason', 'a test'], eu);

    expect(code).toBe(78);
    expect(err).toBe(
      'Card program: eu.\ndiscard needs EU_AUDIT_KEY (or EU_CARD_API_TOKEN if the worker has no EU_AUDIT_KEY): it signs the record. Nothing was changed.\n',
    );
  });

  it('replay run', async () => {
    const { err } = await run('replay', ['run', 'q_1'], eu);

    expect(err).not.toMatch(/(?<!EU_)(?:AUDIT_KEY|CARD_API_TOKEN)/);
  });

  it('audit verify and export', async () => {
    const verify = await run('audit', ['verify'], eu);
    const exported = await run('audit', ['export', '--csv'], eu);

    expect(verify.out).toContain('set EU_AUDIT_KEY, or EU_CARD_API_TOKEN if the worker has no EU_AUDIT_KEY');
    expect(verify.out).toContain('(EU_AUDIT_SINK)');
    expect(exported.err).toContain('set EU_AUDIT_KEY, or EU_CARD_API_TOKEN if the worker has no EU_AUDIT_KEY');
    expect(exported.err).toContain('SLACK_BOT_TOKEN is not set');
    expect(exported.err).not.toContain('EU_SLACK_BOT_TOKEN');
  });

  it('audit verify, and a replay that goes on record, when months were moved to files', async () => {
    await redis().set('eu:{cardbell:audit}:archived', `7:${'0'.repeat(64)}`);
    const { code, err } = await run('audit', ['verify'], eu);
    const signing = { ...eu, EU_AUDIT_KEY: 'a-key-of-32-characters-or-more-012' };
    const discarded = await run('replay', ['discard', 'q_1', '--reason', 'a test'], signing);

    expect({ code, err }).toEqual({ code: 78, err: expect.stringMatching(/^EU_AUDIT_ARCHIVE: expected the folder/m) });
    expect(discarded).toMatchObject({
      code: 78,
      err: expect.stringContaining(' EU_AUDIT_ARCHIVE: expected the folder'),
    });
  });

  it('policy check', async () => {
    const check = await run('policy', ['check'], { ...eu, EU_POLICY_FILE: policyFile() });

    expect(check).toMatchObject({ code: 65, err: expect.stringMatching(/^EU_POLICY_FILE: /m) });
  });
});

it.each<[string, Record<string, string>, string]>([
  ['the one in PROGRAM', eu, 'Card program: eu.\n'],
  ['the first one', { PROGRAMS: 'eu' }, 'Card program: the first one. For another, set PROGRAM to its name.\n'],
  ['none if there is only one', {}, ''],
])('a command says which of several card programs it is for: %s', async (_which, env, said) => {
  expect(await run('replay', ['list'], env)).toMatchObject({ code: 0, err: said });
  expect((await run('shards', [], env)).err).toBe(said);
  for (const args of [['check'], ['explain', 'U0ANA', 'help'], ['replay']])
    expect((await run('policy', args, { APPROVERS: 'U0ANA', EU_APPROVERS: 'U0ANA', ...env })).err, args[0]).toContain(
      said,
    );
});

it('the manifest has the commands of all programs once, whichever program is selected', async () => {
  const first = await run('manifest', [], { PROGRAMS: 'eu' });
  const second = await run('manifest', [], eu);
  const { features } = JSON.parse(first.out) as { features: { slash_commands: { command: string }[] } };

  expect(features.slash_commands.map(({ command }) => command)).toEqual(
    ['/card', '/card-eu'].flatMap((command) =>
      ['', '-activate', '-block', '-limit'].map((form) => `${command}${form}`),
    ),
  );
  expect(second.out).toBe(first.out);
});
