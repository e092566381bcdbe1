import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { webConfig, workerConfig } from '../../../src/app/config.ts';
import { deleteForeign, secretNames, withSecretFiles } from '../../../src/app/read-variables.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { errorLine } from '../../../src/core/log.ts';
import { redactText } from '../../../src/core/redact-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardbell-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, `secret-${text.length}`);
  writeFileSync(path, text);
  return path;
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const shared = { SLACK_BOT_TOKEN: 'xoxb-1', ALERTS_CHANNEL: 'C0ALERTS' };

it.each(secretNames)('reads %s from a file without the trailing line break', (name) => {
  const problems: string[] = [];

  const all = withSecretFiles({ [`${name}_FILE`]: fileOf('from-a-file-0123456789\n') }, [name], problems);

  expect(all[name]).toBe('from-a-file-0123456789');
  expect(problems).toEqual([]);
});

it('hides what it has read as a secret from every text and log line', () => {
  webConfig({
    ...shared,
    SLACK_BOT_TOKEN: 'xoxb-of-mine',
    SLACK_SIGNING_SECRET: fileOf('signing'),
    WEBHOOK_SHARED_SECRET: 'first shared secret,second shared secret',
    REDIS_URL: 'redis://user:password%20of%20redis@127.0.0.1:6379',
    REDIS_SENTINEL_PASSWORD: 'sentinel,password',
  });
  const quoted =
    'first shared secret / second shared secret / password%20of%20redis / password of redis / sentinel,password';
  const removed = Array(5).fill('[removed]').join(' / ');

  expect(redactText(`${quoted} / 127.0.0.1`)).toBe(`${removed} / 127.0.0.1`);
  expect(errorLine(new Error(quoted))).toBe(`Error: ${removed}`);
});

it('starts web and worker with all secrets in files', () => {
  const path = fileOf('from-a-file-0123456789');

  const web = webConfig({ ...shared, SLACK_SIGNING_SECRET_FILE: path, WEBHOOK_SHARED_SECRET_FILE: path });
  const worker = workerConfig({ ...shared, CARD_API_URL: 'https://card.example/v4', CARD_API_TOKEN_FILE: path });

  expect(web.slackSigningSecret).toBe('from-a-file-0123456789');
  expect(web.webhookSecrets).toEqual(['from-a-file-0123456789']);
  expect(worker.cardApiToken).toBe('from-a-file-0123456789');
});

it.each([
  ['a variable and a file at once', { CARD_API_TOKEN: 'given-0123456789abc', CARD_API_TOKEN_FILE: fileOf('x') }],
  ['a missing file', { CARD_API_TOKEN_FILE: '/nowhere/S3CRET' }],
  ['an empty file', { CARD_API_TOKEN_FILE: fileOf('') }],
])('reports %s once, without the path', (_case, given) => {
  const problems = problemsOf(() => workerConfig({ ...shared, CARD_API_URL: 'https://card.example/v4', ...given }));

  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^CARD_API_TOKEN_FILE: expected /);
  expect(problems[0]).not.toContain('S3CRET');
});

it('names a variable that is no secret, and says that it is not read from a file', () => {
  const given = { ...shared, ALERTS_CHANNEL: '', ALERTS_CHANNEL_FILE: '/run/secrets/channel' };
  const problems = problemsOf(() =>
    workerConfig({ ...given, CARD_API_URL: '', CARD_API_URL_FILE: '/x', CARD_API_TOKEN: 'x' }),
  );

  expect(problems).toEqual([
    expect.stringMatching(
      /^ALERTS_CHANNEL: expected .* \(only secrets are read from files, not ALERTS_CHANNEL_FILE\)$/,
    ),
    expect.stringMatching(/^CARD_API_URL: expected .* \(only secrets are read from files, not CARD_API_URL_FILE\)$/),
  ]);
});

it('ignores the secret files of another process', () => {
  const problems: string[] = [];

  withSecretFiles({ CARD_API_TOKEN_FILE: '/nowhere' }, ['WEBHOOK_SHARED_SECRET'], problems);

  expect(problems).toEqual([]);
});

it('drops the secrets of the other process with a warning, and keeps its own', () => {
  const all = {
    CARD_API_TOKEN: 'token-of-the-card-api',
    SLACK_SIGNING_SECRET: 'signing-secret',
    SLACK_APP_TOKEN_FILE: '/run/secrets/app-token',
    WEBHOOK_SHARED_SECRET: 'webhook-secret',
    SLACK_BOT_TOKEN: 'xoxb-1',
  };
  const [web, worker] = [{ ...all }, { ...all }];

  const said = [...deleteForeign('web', web), ...deleteForeign('worker', worker)];

  expect(Object.keys(web)).toEqual([
    'SLACK_SIGNING_SECRET',
    'SLACK_APP_TOKEN_FILE',
    'WEBHOOK_SHARED_SECRET',
    'SLACK_BOT_TOKEN',
  ]);
  expect(Object.keys(worker)).toEqual(['CARD_API_TOKEN', 'SLACK_BOT_TOKEN']);
  expect(said).toHaveLength(4);
  expect(said[0]).toMatch(/^CARD_API_TOKEN: the web process must not have/);
  expect(said.join()).not.toMatch(/token-of|signing-secret|webhook-secret/);
  expect(deleteForeign('web', web)).toEqual([]);
});
