import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { webEnv, workerEnv } from '../../support/minimal-env.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Env = Record<string, string>;

describe('a process', () => {
  const start = (name: string, env: Env) =>
    spawnSync(process.execPath, [`dist/src/${name}.js`], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...env },
      encoding: 'utf8',
      timeout: 20_000,
    });

  it.each([
    ['web', ['SLACK_BOT_TOKEN', 'ALERTS_CHANNEL', 'SLACK_SIGNING_SECRET', 'WEBHOOK_SHARED_SECRET', 'PORT']],
    ['worker', ['SLACK_BOT_TOKEN', 'ALERTS_CHANNEL', 'CARD_API_URL', 'CARD_API_TOKEN']],
    [
      'start',
      ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'WEBHOOK_SHARED_SECRET', 'PORT', 'CARD_API_URL', 'CARD_API_TOKEN'],
    ],
  ])('%s with nothing set exits with 78 and lists the missing variables on standard error', (name, missing) => {
    const { status, stderr } = start(name, { PORT: 'S3CRET' });

    expect(status).toBe(78);
    for (const variable of missing) expect(stderr.split(`${variable}: expected`)).toHaveLength(2);
    expect(stderr).not.toContain('S3CRET');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  // The bundler once dropped this check, which the source still had.
  it('with a bare % in the password of Redis exits with 78 and says how to write it', () => {
    const { status, stderr } = start('web', { ...webEnv, REDIS_URL: 'redis://u:p%S3CRET@127.0.0.1:1' });

    expect(status).toBe(78);
    expect(stderr).toContain('REDIS_URL: expected % in a user name or password to be written as %25');
    expect(stderr).not.toContain('S3CRET');
  });

  it.each<[string, Env]>([
    [
      'web',
      {
        ...webEnv,
        PORT: 'S3CRET',
        REDIS_URL: 'S3CRET',
        WEBHOOK_SHARED_SECRET: 'S3CRET,S3CRET,S3CRET',
        APPROVERS: '@S3CRET',
        LOG_LEVEL: 'S3CRET',
      },
    ],
    [
      'worker',
      {
        ...workerEnv,
        CARD_API_URL: 'https://card.example/S3CRET',
        CARD_API_TOKEN: 'S3CRET S3CRET',
        CARD_API_ASSUMPTIONS: '{"noLimit":"S3CRET"}',
        TWO_PERSON_ABOVE: 'S3CRET',
      },
    ],
  ])('%s with four or more bad values names all variables, prints no value and exits with 78', (name, env) => {
    const bad = Object.keys(env).filter((variable) => env[variable]?.includes('S3CRET'));
    const { status, stdout, stderr } = start(name, env);

    expect(status).toBe(78);
    expect(bad.length).toBeGreaterThanOrEqual(4);
    for (const variable of bad) expect(stderr.split(`${variable}: expected`), variable).toHaveLength(2);
    expect(stdout + stderr).not.toContain('S3CRET');
  });

  it.each([
    ['web', { ...webEnv, LOG_LEVEL: 'S3CRET' }, 'LOG_LEVEL'],
    ['worker', { ...workerEnv, CARD_API_ASSUMPTIONS: 'S3CRET' }, 'CARD_API_ASSUMPTIONS'],
    ['start', { ...webEnv, ...workerEnv, CARD_SERVICE_TIMEZONE: 'S3CRET' }, 'CARD_SERVICE_TIMEZONE'],
  ])('%s with one bad value exits with 78', (name, env, variable) => {
    const { status, stdout, stderr } = start(name, env);

    expect(status).toBe(78);
    expect(stderr).toContain(`${variable}: expected`);
    expect(stdout + stderr).not.toContain('S3CRET');
  });
});
