import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../bin/doctor/report.ts';
import { FORMAT } from '../../src/app/stored-format.ts';
import { stateKey } from '../../src/core/keys.ts';
import { channels, commandEnv, groups, people, workspaceOptions } from '../support/people.ts';
import { useCardbell } from '../support/running-cardbell.ts';

const internal: readonly string[] = [channels.approvals, channels.ops, channels.audit];

const cardbell = useCardbell({
  workspace: {
    channels: (workspaceOptions.channels ?? []).map((channel) => ({
      ...channel,
      isPrivate: internal.includes(channel.id),
      isArchived: channel.id === channels.virtual,
    })),
  },
});

const folder = mkdtempSync(join(tmpdir(), 'cardbell-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

function policyFile(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** Runs the doctor with the variables of both processes; `env` overrides them. */
async function doctor(env: Record<string, string | undefined> = {}, args: readonly string[] = []) {
  const given = { ...commandEnv(cardbell()), ALERTS_CHANNEL_VIRTUAL: channels.alerts, ...env };
  const argv = ['dist/bin/doctor.js', '--json', '--url', cardbell().url, ...args];
  const { code, out, err } = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, argv, { env: given }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, out: stdout, err: stderr });
    });
  });
  expect(err).toBe('');
  const { findings, toFix } = JSON.parse(out) as { findings: Finding[]; toFix: number };
  const texts = findings.map(({ level, what }) => `${level}: ${what}`);
  return { code, findings, toFix, fixes: texts.filter((text) => text.startsWith('fix')), texts };
}

describe('the doctor', () => {
  it('finds nothing to fix in a working installation, and leaves no message behind', async () => {
    const before = Object.values(channels).map((channel) => cardbell().texts(channel));
    const { texts, fixes } = await doctor();

    expect(fixes).toEqual([]);
    expect(texts).toContain('ok: can post in #declines');
    expect(texts).toContain(`ok: OPERATORS: user group ${groups.operators} has 1 member`);
    expect(texts).toContain('ok: Slack accepts the message of each kind of alert');
    expect(texts).toContain('ok: a webhook with the shared secret gets through');
    expect(texts).toContain('ok: a signed request of Slack gets through');
    expect(texts).toContainEqual(expect.stringMatching(/^note: Slack sends no events until you have verified/));
    expect(texts).toContain('ok: its clock agrees with the clock of this machine');
    expect(texts).toContain('ok: web uses this Redis');
    expect(texts).toContain('ok: 1 worker on this Redis');
    expect(Object.values(channels).map((channel) => cardbell().texts(channel))).toEqual(before);
    expect(await cardbell().store.zcard(stateKey('quarantine'))).toBe(0);
  });

  it('lists each unusable person, group and channel with its remedy', async () => {
    const { code, findings } = await doctor({
      OPERATORS: `${people.olga},U0GONE,S0GONE`,
      ALERTS_CHANNEL_VIRTUAL: channels.virtual,
      ALERTS_CHANNEL_SHIPPING: 'C0NOWHERE',
      ALERTS_CHANNEL_APPROVALS: channels.status,
    });
    const todo = (what: RegExp): string | null | undefined => findings.find((finding) => what.test(finding.what))?.todo;

    expect(code).toBe(1);
    expect(todo(/^OPERATORS: U0GONE is not known to Slack/)).toContain('correct OPERATORS');
    expect(todo(/^OPERATORS: S0GONE cannot be looked up/)).toContain('correct OPERATORS');
    expect(todo(/#virtual \(C0VIRTUAL\) is archived/)).toContain('unarchive');
    expect(todo(/channel C0NOWHERE cannot be used \(channel_not_found\)/)).toContain('correct the id');
    expect(todo(/#status \(C0STATUS\) is public, and gets approvals/)).toContain('private');
  });

  it('checks the people and channels of the policy file instead of the variables', async () => {
    const { findings, texts } = await doctor({
      OPERATORS: '',
      APPROVERS: '',
      POLICY_FILE: policyFile(
        'policy.yaml',
        'version: 1',
        `operators: [${groups.operators}]`,
        `approvers: [${people.zoe}, U0GONE]`,
        `groups: [{ cards: [Crew], operators: [U0FORMER], approvals_channel: ${channels.status} }]`,
        'own_delegates: [U0AWAY]',
      ),
    });
    const whats = findings.map(({ what }) => what);

    expect(texts).toContain(`ok: POLICY_FILE: user group ${groups.operators} has 1 member`);
    expect(texts).toContain('fix: POLICY_FILE: U0GONE is not known to Slack');
    expect(texts).toContain('fix: POLICY_FILE: U0FORMER is not known to Slack');
    expect(texts, 'may be named as a delegate').toContain('fix: POLICY_FILE: U0AWAY is not known to Slack');
    expect(whats).toContainEqual(expect.stringMatching(/^#status \(C0STATUS\) is public, and gets approvals/));
    expect(whats).not.toContain('nobody may act on cards');
  });

  it('says what is wrong with the policy file and how to fix it', async () => {
    const { findings } = await doctor({ POLICY_FILE: policyFile('broken.yaml', 'version: 2') });

    expect(findings.filter(({ level }) => level === 'fix')).toEqual([
      expect.objectContaining({
        what: expect.stringMatching(/^POLICY_FILE: broken\.yaml:1: version: expected version: 1/),
        todo: expect.stringContaining('docs/policy.md'),
      }),
    ]);
  });

  it.each([
    ['web', { CARD_API_TOKEN: undefined }, 'worker', 'Card service'],
    ['worker', { SLACK_SIGNING_SECRET: undefined, WEBHOOK_SHARED_SECRET: undefined }, 'web', 'Web'],
  ] as const)(
    'given only the secrets of %s, checks that process and says where to check the rest',
    async (...given) => {
      const [, env, other, area] = given;
      const { code, findings, fixes } = await doctor(env);
      const notes = findings.filter(({ level }) => level === 'note');

      expect(fixes).toEqual([]);
      expect(code).toBe(0);
      expect(notes.map(({ what }) => what)).toContainEqual(expect.stringContaining(Object.keys(env)[0] ?? ''));
      expect(notes.filter((finding) => finding.area === area).map(({ what }) => what)).toEqual([
        `not checked here: run the doctor where ${other} runs`,
      ]);
    },
  );

  it('given one of the worker’s two variables, reports the other as missing', async () => {
    const { fixes, findings } = await doctor({ CARD_API_TOKEN: '' });

    expect(fixes).toEqual([expect.stringMatching(/^fix: CARD_API_TOKEN: expected /)]);
    expect(findings.find(({ level }) => level === 'fix')?.todo, 'web must not get the token').toMatch(
      /^set it for worker; where only web runs, remove its line instead;/,
    );
  });

  it('reports that a newer Cardbell has used this Redis', async () => {
    await cardbell().store.set(stateKey('format'), FORMAT + 1);
    const { fixes } = await doctor();
    await cardbell().store.set(stateKey('format'), FORMAT);

    expect(fixes).toEqual(['fix: this version cannot read the stored data']);
  });

  it('reports that web runs with secrets other than those in the variables', async () => {
    const { fixes } = await doctor({
      WEBHOOK_SHARED_SECRET: 'another-shared-secret',
      SLACK_SIGNING_SECRET: 'another-signing-secret',
    });

    expect(fixes).toContain('fix: a webhook with the shared secret was answered with 401');
    expect(fixes).toContain('fix: a signed request of Slack was answered with 401');
  });

  it('reports each unreachable service in one line with its remedy and no stack trace', async () => {
    const away = 'http://127.0.0.1:1';
    const { findings } = await doctor({
      REDIS_URL: 'redis://127.0.0.1:1',
      SLACK_API_URL: away,
      CARD_API_URL: `${away}/v4`,
    });
    const fixes = findings.filter(({ level }) => level === 'fix');

    expect(fixes.map(({ area }) => area)).toEqual(['Redis', 'Slack', 'Card service']);
    expect(fixes.map(({ what }) => what)).toContain('Slack does not answer');
    for (const { what, todo } of fixes) {
      expect(what).not.toMatch(/\n| at /);
      expect(todo).not.toBe('');
    }
  });
});
