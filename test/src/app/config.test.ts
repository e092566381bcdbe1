import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { auditConfig, policyConfig, storeConfig, webConfig, workerConfig } from '../../../src/app/config.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { createSigner } from '../../../src/core/sign.ts';
import { webEnv, workerEnv } from '../../support/minimal-env.ts';

const tlsFile = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));

type Env = Record<string, string>;

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the minimal configuration', () => {
  it('for web leaves the contract’s default for everything else', () => {
    expect(webConfig(webEnv)).toEqual({
      program: '',
      programs: [{ name: '', command: '/card' }],
      host: '0.0.0.0',
      port: 3000,
      tls: null,
      redis: {
        keyPrefix: '',
        urls: ['redis://127.0.0.1:6379'],
        sentinel: null,
        tls: { ca: undefined, isInsecure: false },
      },
      proxy: null,
      isTraced: false,
      warnings: [],
      redisDurability: 'redis',
      redisFullAt: 0.85,
      redisShards: 1,
      slackBotToken: 'xoxb-1',
      slackSigningSecret: 'signing-0123456789',
      slackAppToken: undefined,
      slackApiUrl: undefined,
      webhookSecrets: ['SHARED-0123456789'],
      serviceZone: 'America/New_York',
      command: '/card',
      channels: {
        fallback: 'C0ALERTS',
        decline: 'C0ALERTS',
        shipping: 'C0ALERTS',
        status: 'C0ALERTS',
        virtual: 'C0ALERTS',
        spend: null,
        approvals: 'C0ALERTS',
        ops: 'C0ALERTS',
        audit: 'C0ALERTS',
      },
      operators: [],
      approvers: [],
      twoPersonAboveCents: 100_000,
      policyFile: null,
      admin: null,
      logLevel: 'info',
    });
  });

  it('for worker is the card API and the shared variables', () => {
    expect(workerConfig(workerEnv)).toMatchObject({
      cardApiUrl: 'https://card.example/v4',
      cardApiToken: 'api-token-0123456789',
      cardApiAuthScheme: 'token',
      lowBalanceCents: 100_000,
      serviceZone: 'America/New_York',
      command: '/card',
    });
  });

  it('for web does not contain the card API token', () => {
    expect(JSON.stringify(webConfig({ ...webEnv, CARD_API_TOKEN: 'never-here' }))).not.toContain('never-here');
  });

  it('for the operator commands is empty', () => {
    expect(storeConfig({})).toEqual({
      programs: [{ name: '', command: '/card' }],
      program: '',
      redis: {
        keyPrefix: '',
        urls: ['redis://127.0.0.1:6379'],
        sentinel: null,
        tls: { ca: undefined, isInsecure: false },
      },
      redisShards: 1,
      redisDurability: 'redis',
      redisFullAt: 0.85,
      proxy: null,
      serviceZone: 'America/New_York',
      command: '/card',
    });
    expect(problemsOf(() => storeConfig({ REDIS_URL: 'http://x', CARD_SERVICE_TIMEZONE: 'Mars' }))).toHaveLength(2);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(webConfig(webEnv))).toBe(true);
    expect(Object.isFrozen(workerConfig(workerEnv).channels)).toBe(true);
  });
});

describe('a value', () => {
  it.each([
    ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
    ['HOST', '::1', { host: '::1' }],
    ['HOST', 'web-1.internal', { host: 'web-1.internal' }],
    ['PORT', '8080', { port: 8080 }],
    ['PORT', '0', { port: 0 }],
    ['REDIS_URL', 'rediss://u:p@one:1,redis://two:2', { redis: { urls: ['rediss://u:p@one:1', 'redis://two:2'] } }],
    ['SLACK_API_URL', 'http://127.0.0.1:4000/api/', { slackApiUrl: 'http://127.0.0.1:4000/api/' }],
    ['SLACK_COMMAND', '/pay-cards', { command: '/pay-cards' }],
    ['SLACK_APP_TOKEN', 'xapp-1', { slackAppToken: 'xapp-1' }],
    [
      'WEBHOOK_SHARED_SECRET',
      ' OLD-0123456789abc , NEW-0123456789abc ',
      { webhookSecrets: ['OLD-0123456789abc', 'NEW-0123456789abc'] },
    ],
    ['REDIS_SENTINEL_MASTER', 'mymaster', { redis: { sentinel: { master: 'mymaster', password: undefined } } }],
    ['REDIS_TLS_INSECURE', 'true', { redis: { tls: { isInsecure: true } } }],
    ['REDIS_URL', 'redis://one/0,redis://two', { redis: { urls: ['redis://one/0', 'redis://two'] } }],
    ['HTTPS_PROXY', 'http://proxy:3128', { proxy: { https: 'http://proxy:3128', http: undefined } }],
    ['HTTPS_PROXY', 'proxy.example:3128', { proxy: { https: 'http://proxy.example:3128' } }],
    ['https_proxy', 'http://proxy:3128', { proxy: { https: 'http://proxy:3128', http: undefined } }],
    ['http_proxy', 'proxy:3128', { proxy: { https: undefined, http: 'http://proxy:3128' } }],
    ['CARD_SERVICE_TIMEZONE', 'America/Chicago', { serviceZone: 'America/Chicago' }],
    ['CARD_SERVICE_TIMEZONE', 'UTC', { serviceZone: 'UTC' }],
    ['CARD_SERVICE_TIMEZONE', 'GMT', { serviceZone: 'GMT' }],
    ['CARD_SERVICE_TIMEZONE', 'Etc/GMT+5', { serviceZone: 'Etc/GMT+5' }],
    ['OPERATORS', 'U0ONE, S0TWO ,', { operators: ['U0ONE', 'S0TWO'] }],
    ['APPROVERS', 'W0ONE', { approvers: ['W0ONE'] }],
    ['TWO_PERSON_ABOVE', '0', { twoPersonAboveCents: 0 }],
    ['TWO_PERSON_ABOVE', '19.99', { twoPersonAboveCents: 1999 }],
    ['ADMIN_PORT', '9464', { admin: { host: '127.0.0.1', port: 9464 } }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ])('%s=%s is read', (name, value, expected) => {
    expect(webConfig({ ...webEnv, [name]: value })).toMatchObject(expected);
  });

  it('of a proxy variable in lower case takes precedence over upper case, unless it is empty', () => {
    const upper = { HTTPS_PROXY: 'http://upper:1', HTTP_PROXY: 'http://upper:1', NO_PROXY: 'upper.example' };
    const lower = { https_proxy: 'http://lower:2', http_proxy: '', no_proxy: 'lower.example' };

    expect(webConfig({ ...webEnv, ...upper, ...lower }).proxy).toMatchObject({
      https: 'http://lower:2',
      http: 'http://upper:1',
      except: expect.stringMatching(/^lower\.example,/),
    });
  });

  it.each([
    ['LOW_BALANCE_BELOW', '250.50', { lowBalanceCents: 25_050 }],
    ['LOW_BALANCE_BELOW', '0', { lowBalanceCents: null }],
    ['CARD_API_AUTH_SCHEME', 'Bearer', { cardApiAuthScheme: 'Bearer' }],
    [
      'QUEUE_PAGE_PASSWORD',
      'a password of sixteen',
      { queuePage: { password: 'a password of sixteen', isWritable: false } },
    ],
    ['CARD_API_AUTH_SCHEME', 'TOKEN', { cardApiAuthScheme: 'token' }],
    ['CARD_API_URL', 'https://card.example/v4//', { cardApiUrl: 'https://card.example/v4' }],
    ['CARD_API_URL', 'https://card.example/V4', { cardApiUrl: 'https://card.example/V4' }],
    ['CARD_API_ASSUMPTIONS', '{"noLimit":0}', { cardApiAssumptions: { noLimit: 0 } }],
  ])('%s=%s is read by the worker', (name, value, expected) => {
    expect(workerConfig({ ...workerEnv, [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['DECLINES', 'decline'],
    ['SHIPPING', 'shipping'],
    ['STATUS', 'status'],
    ['VIRTUAL', 'virtual'],
    ['SPEND', 'spend'],
    ['APPROVALS', 'approvals'],
    ['OPS', 'ops'],
    ['AUDIT', 'audit'],
  ] as const)('ALERTS_CHANNEL_%s sets only its own channel', (name, purpose) => {
    const before = webConfig(webEnv).channels;

    expect(webConfig({ ...webEnv, [`ALERTS_CHANNEL_${name}`]: 'G0OWN' }).channels).toEqual({
      ...before,
      [purpose]: 'G0OWN',
    });
  });

  it.each(['', '   '])('that is empty (%j) counts as unset', (empty) => {
    const names = [
      'PORT',
      'REDIS_URL',
      'ALERTS_CHANNEL_OPS',
      'OPERATORS',
      'TLS_CERT_FILE',
      'LOG_LEVEL',
      'SLACK_APP_TOKEN',
    ];

    expect(webConfig({ ...webEnv, ...Object.fromEntries(names.map((name) => [name, empty])) })).toEqual(
      webConfig(webEnv),
    );
    expect(problemsOf(() => webConfig({ ...webEnv, ALERTS_CHANNEL: empty }))).toEqual([
      'ALERTS_CHANNEL: expected a Slack channel id such as C0123ABCD',
    ]);
  });

  it('of several addresses of Redis may hold the number of a database if they are sentinels', () => {
    const sentinels = { REDIS_URL: 'redis://one/2,redis://two/2', REDIS_SENTINEL_MASTER: 'mymaster' };

    expect(webConfig({ ...webEnv, ...sentinels }).redis.urls).toEqual(['redis://one/2', 'redis://two/2']);
  });

  it.each([
    [{ ADMIN_PORT: '3000' }, 1],
    [{ ADMIN_PORT: '8080', PORT: '08080', HOST: '127.0.0.1' }, 1],
    [{ ADMIN_PORT: '8080', PORT: '8080', HOST: '10.0.0.7' }, 0],
    [{ ADMIN_PORT: '0', PORT: '0' }, 0],
    [{ ADMIN_PORT: '9464' }, 0],
  ])('of ADMIN_PORT must not be the port of the same address: %j', (given, count) => {
    const problems = problemsOf(() => webConfig({ ...webEnv, ...given }));

    expect(problems).toEqual(Array(count).fill('ADMIN_PORT: expected another port than PORT'));
  });

  it('of POLICY_FILE that is no policy is reported with its variable and line', () => {
    expect(problemsOf(() => workerConfig({ ...workerEnv, POLICY_FILE: 'package.json' }))).toContainEqual(
      expect.stringMatching(/^POLICY_FILE: package\.json:\d+: version: expected version: 1$/),
    );
  });

  it('for Socket Mode makes the signing secret unnecessary', () => {
    const { SLACK_SIGNING_SECRET: _, ...rest } = webEnv;

    expect(problemsOf(() => webConfig(rest))).toEqual([
      expect.stringMatching(/^SLACK_SIGNING_SECRET: expected .*SLACK_APP_TOKEN/),
    ]);
    expect(webConfig({ ...rest, SLACK_APP_TOKEN: 'xapp-1' }).slackSigningSecret).toBeUndefined();
  });
});

describe('a bad value', () => {
  const bad: readonly (readonly [string, string])[] = [
    ['PORT', '99999'],
    ['PORT', '-1'],
    ['PORT', 'S3CRET'],
    ['REDIS_URL', 'https://S3CRET'],
    ['REDIS_URL', 'redis://S3CRET:S3CRET:1'],
    ['REDIS_URL', ','],
    ['REDIS_URL', 'redis://127.0.0.1:6379/S3CRET'],
    ['REDIS_URL', 'redis://127.0.0.1:6379/1/S3CRET'],
    ['REDIS_URL', 'redis://one:6379/0,redis://S3CRET:6379/1'],
    ['REDIS_URL', 'redis://:S3CRET%ZZ@127.0.0.1:6379'],
    ['HOST', 'zz!S3CRET'],
    ['HOST', 'http://S3CRET'],
    ['ADMIN_HOST', 'zz!S3CRET'],
    ['SLACK_BOT_TOKEN', 'S3CRET'],
    ['SLACK_BOT_TOKEN', 'xoxb-S3CRET…'],
    ['SLACK_BOT_TOKEN', 'xoxb-S3\nCRET'],
    ['SLACK_APP_TOKEN', 'xapp-S3CRET S3CRET'],
    ['PROGRAM', 'zz!S3CRET'],
    ['SLACK_API_URL', 'S3CRET'],
    ['SLACK_APP_TOKEN', 'S3CRET'],
    ['WEBHOOK_SHARED_SECRET', ', ,'],
    ['WEBHOOK_SHARED_SECRET', '"S3CRET"'],
    ['WEBHOOK_SHARED_SECRET', "'S3CRET,S3CRET2'"],
    ['WEBHOOK_SHARED_SECRET', 'S3CRET,S3CRET2\nS3CRET3'],
    ['WEBHOOK_SHARED_SECRET', 'S3CRET,S3CRET2,S3CRET3'],
    ['CARD_SERVICE_TIMEZONE', 'S3CRET'],
    ['CARD_SERVICE_TIMEZONE', 'EST'],
    ['CARD_SERVICE_TIMEZONE', 'BST'],
    ['ALERTS_CHANNEL', '#S3CRET'],
    ['ALERTS_CHANNEL_DECLINES', 'S3CRET'],
    ['ALERTS_CHANNEL_SHIPPING', 'S3CRET'],
    ['ALERTS_CHANNEL_STATUS', 'S3CRET'],
    ['ALERTS_CHANNEL_VIRTUAL', 'S3CRET'],
    ['ALERTS_CHANNEL_SPEND', 'S3CRET'],
    ['ALERTS_CHANNEL_APPROVALS', 'S3CRET'],
    ['ALERTS_CHANNEL_OPS', 'S3CRET'],
    ['ALERTS_CHANNEL_AUDIT', 'S3CRET'],
    ['OPERATORS', '@S3CRET'],
    ['OPERATORS', ','],
    ['APPROVERS', 'U0GOOD,S3CRET!'],
    ['TWO_PERSON_ABOVE', '-S3CRET'],
    ['TWO_PERSON_ABOVE', '1,000'],
    ['LOG_LEVEL', 'S3CRET'],
    ['REDIS_TLS_CA_FILE', '/S3CRET.pem'],
    ['REDIS_TLS_INSECURE', 'S3CRET'],
    ['HTTPS_PROXY', 'S3CRET'],
  ];

  it.each(bad)('%s=%s is reported with the expected format, and its value is not repeated', (name, value) => {
    const problems = problemsOf(() => webConfig({ ...webEnv, [name]: value }));

    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem).toMatch(/^[A-Z_]+(, [A-Z_]+)*: expected /);
    expect(problems.join()).toContain(name);
    expect(problems.join()).not.toContain('S3CRET');
  });

  it.each([
    ['CARD_API_URL', 'S3CRET'],
    ['CARD_API_URL', 'ftp://S3CRET/v4'],
    ['CARD_API_URL', 'https://card.example/S3CRET'],
    ['CARD_API_URL', 'https://card.example/v4?key=S3CRET'],
    ['CARD_API_URL', 'https://card.example/v4#S3CRET'],
    ['CARD_API_URL', 'https://S3CRET:S3CRET@card.example/v4'],
    ['CARD_API_TOKEN', 'S3CRET with spaces in it'],
    ['CARD_API_AUTH_SCHEME', 'S3CRET'],
    ['AUDIT_KEY', 'S3CRET'],
    ['AUDIT_KEY', '"S3CRET-of-the-worker,S3CRET-before-it"'],
    ['AUDIT_KEY', 'S3CRET,a-former-key-of-22-characters'],
    ['AUDIT_SINK', 'file://S3CRET/audit.log'],
    ['AUDIT_SINK', 'file:///S3CRET%2Faudit.log'],
    ['AUDIT_SINK_TOKEN', 'S3CRET'],
    ['AWS_SECRET_ACCESS_KEY', 'S3CRET'],
    ['QUEUE_PAGE_PASSWORD', 'S3CRET'],
  ])('%s=%s stops the worker', (name, value) => {
    const problems = problemsOf(() => workerConfig({ ...workerEnv, [name]: value }));

    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name}: expected `))]);
    expect(problems.join()).not.toContain('S3CRET');
  });

  it.each([
    ['policy', policyConfig],
    ['audit', auditConfig],
  ])('is reported together with the others by the command %s', (_command, config) => {
    const problems = problemsOf(() => config({ REDIS_SHARDS: 'S3CRET', REDIS_TLS_CA_FILE: '/S3CRET.pem' }));

    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['REDIS_SHARDS', 'REDIS_TLS_CA_FILE']);
  });

  it('is a missing key of the bucket that AUDIT_SINK names', () => {
    const sink = { ...workerEnv, AUDIT_SINK: 's3://heads/cards?region=eu-west-1' };

    expect(problemsOf(() => workerConfig(sink))).toEqual([
      'AWS_ACCESS_KEY_ID: expected the access key of the bucket in AUDIT_SINK',
      'AWS_SECRET_ACCESS_KEY: expected the access key of the bucket in AUDIT_SINK',
    ]);
    expect(problemsOf(() => workerConfig({ ...workerEnv, AUDIT_SINK: 'file:///srv/heads.jsonl' }))).toEqual([]);
  });

  it('is no key of the bucket that is in a file', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'cardbell-keys-')), 'key');
    await writeFile(path, 'long-key-in-a-file\n');
    const sink = { AUDIT_SINK: 's3://heads/cards?region=eu-west-1' };
    const keys = { AWS_ACCESS_KEY_ID_FILE: path, AWS_SECRET_ACCESS_KEY_FILE: path };

    expect(workerConfig({ ...workerEnv, ...sink, ...keys }).audit.sink).toMatchObject({
      accessKeyId: 'long-key-in-a-file',
      secretAccessKey: 'long-key-in-a-file',
    });
  });

  it('is no short secret that a service has issued', () => {
    const own = { WEBHOOK_SHARED_SECRET: 'sandbox-secret', SLACK_SIGNING_SECRET: 'short' };
    expect(webConfig({ ...webEnv, ...own })).toMatchObject({ slackSigningSecret: 'short' });
    expect(workerConfig({ ...workerEnv, CARD_API_TOKEN: 'sandbox-token' })).toMatchObject({
      cardApiToken: 'sandbox-token',
    });
  });

  it('is no former key, however short: without AUDIT_KEY, the token that the card service issued was the key', () => {
    const signerOf = (env: Env) => createSigner(workerConfig({ ...workerEnv, ...env }).audit.secrets, 'request');
    const signature = signerOf({ CARD_API_TOKEN: 'former-token' }).sign({ id: 'req_1' });

    const withoutKey = signerOf({ CARD_API_TOKEN: 'new-token' });
    const withBoth = signerOf({ CARD_API_TOKEN: 'new-token', AUDIT_KEY: 'a-new-key-of-22-characters,former-token' });

    expect(withoutKey.verify({ id: 'req_1' }, signature)).toBe(false);
    expect(withBoth.verify({ id: 'req_1' }, signature)).toBe(true);
  });

  it('does not hide the others, which are all reported at once', () => {
    const names = problemsOf(() => webConfig({ PORT: 'x', TLS_KEY_FILE: '/x', LOG_LEVEL: 'x' })).map(
      (one) => one.split(':')[0],
    );

    expect(names.sort()).toEqual([
      'ALERTS_CHANNEL',
      'LOG_LEVEL',
      'PORT',
      'SLACK_BOT_TOKEN',
      'SLACK_SIGNING_SECRET',
      'TLS_CERT_FILE',
      'TLS_KEY_FILE',
      'WEBHOOK_SHARED_SECRET',
    ]);
  });
});

describe('when every variable is bad', () => {
  const both = [
    'REDIS_URL',
    'REDIS_TLS_CA_FILE',
    'REDIS_TLS_INSECURE',
    'REDIS_DURABILITY',
    'REDIS_FULL_PERCENT',
    'REDIS_SHARDS',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'SLACK_BOT_TOKEN',
    'SLACK_API_URL',
    'SLACK_COMMAND',
    'CARD_SERVICE_TIMEZONE',
    'ALERTS_CHANNEL',
    ...['DECLINES', 'SHIPPING', 'STATUS', 'VIRTUAL', 'SPEND', 'APPROVALS', 'OPS', 'AUDIT'].map(
      (purpose) => `ALERTS_CHANNEL_${purpose}`,
    ),
    'OPERATORS',
    'APPROVERS',
    'TWO_PERSON_ABOVE',
    'POLICY_FILE',
    'ADMIN_PORT',
    'LOG_LEVEL',
  ];
  const web = ['PORT', 'SLACK_APP_TOKEN', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];
  const worker = [
    'CARD_API_URL',
    'CARD_API_AUTH_SCHEME',
    'CARD_API_ASSUMPTIONS',
    'QUEUE_PAGE_PASSWORD',
    'QUEUE_PAGE_WRITABLE',
  ];

  it.each([
    ['web', webConfig, [...both, ...web], ['WEBHOOK_SHARED_SECRET']],
    ['worker', workerConfig, [...both, ...worker], ['CARD_API_TOKEN']],
  ] as const)('%s reports each of them at once, and the missing ones too', (_process, config, bad, missing) => {
    const problems = problemsOf(() => config(Object.fromEntries(bad.map((name) => [name, 'bad!']))));

    const named = new Set(problems.map((problem) => problem.split(':')[0]));
    expect([...named].toSorted()).toEqual([...bad, ...missing].toSorted());
  });

  /** Combinations of bad values of every kind, wrong at the same time. */
  const few: readonly (readonly [string, typeof webConfig | typeof workerConfig, Env])[] = [
    ['web', webConfig, { PORT: '99999', REDIS_URL: 'http://S3CRET', LOG_LEVEL: 'S3CRET', TWO_PERSON_ABOVE: 'S3CRET' }],
    [
      'web',
      webConfig,
      {
        SLACK_BOT_TOKEN: 'S3CRET',
        WEBHOOK_SHARED_SECRET: 'S3CRET,S3CRET,S3CRET',
        APPROVERS: 'S3CRET!',
        OPERATORS: '@S3CRET',
      },
    ],
    [
      'web',
      webConfig,
      {
        TLS_CERT_FILE: '/S3CRET.pem',
        TLS_KEY_FILE: '/S3CRET.key',
        REDIS_TLS_CA_FILE: '/S3CRET.ca',
        ALERTS_CHANNEL: '#S3CRET',
        SLACK_APP_TOKEN: 'S3CRET',
      },
    ],
    [
      'worker',
      workerConfig,
      {
        CARD_API_URL: 'https://card.example/S3CRET',
        CARD_API_TOKEN: 'S3CRET S3CRET',
        CARD_API_ASSUMPTIONS: '{"noLimit":"S3CRET"}',
        CARD_API_AUTH_SCHEME: 'S3CRET',
      },
    ],
    [
      'worker',
      workerConfig,
      {
        CARD_API_URL: 'https://card.example',
        CARD_API_ASSUMPTIONS: '{"S3CRET":1}',
        ALERTS_CHANNEL_OPS: 'S3CRET',
        CARD_SERVICE_TIMEZONE: 'S3CRET',
        HTTPS_PROXY: 'S3CRET',
      },
    ],
    [
      'worker',
      workerConfig,
      {
        CARD_API_ASSUMPTIONS: 'S3CRET',
        CARD_API_TOKEN_FILE: '/S3CRET',
        SLACK_BOT_TOKEN_FILE: '/S3CRET',
        ADMIN_PORT: 'S3CRET',
      },
    ],
  ];

  it.each(few)('%s with four or more bad values reports all of them and repeats none: %#', (process, config, bad) => {
    const good = process === 'web' ? webEnv : workerEnv;
    // A secret in a file replaces the variable.
    const replaced = Object.keys(bad).map((name) => name.replace(/_FILE$/, ''));
    const given = Object.fromEntries(Object.entries(good).filter(([name]) => !replaced.includes(name)));
    const problems = problemsOf(() => config({ ...given, ...bad }));

    for (const name of Object.keys(bad))
      expect(
        problems.filter((problem) => problem.startsWith(`${name}:`)),
        name,
      ).toHaveLength(1);
    expect(problems).toHaveLength(Object.keys(bad).length);
    for (const problem of problems) expect(problem).toContain(': expected ');
    expect(problems.join()).not.toContain('S3CRET');
  });

  it('web reports a TLS file that cannot be read, and the other that is missing', () => {
    const problems = problemsOf(() => webConfig({ ...webEnv, TLS_CERT_FILE: '/nowhere.pem', LOG_LEVEL: 'loud' }));

    expect(problems.map((problem) => problem.split(':')[0]).toSorted()).toEqual([
      'LOG_LEVEL',
      'TLS_CERT_FILE',
      'TLS_KEY_FILE',
    ]);
  });
});

describe('the TLS files', () => {
  const tls = (cert: string, key: string): Env => ({
    ...webEnv,
    TLS_CERT_FILE: tlsFile(cert),
    TLS_KEY_FILE: tlsFile(key),
  });

  it('are read as a pair', () => {
    const config = webConfig(tls('cert.pem', 'key.pem'));

    expect(config.tls?.cert.toString()).toContain('BEGIN CERTIFICATE');
    expect(config.tls?.key.toString()).toContain('PRIVATE KEY');
  });

  it.each([
    ['a certificate without a key', { ...webEnv, TLS_CERT_FILE: tlsFile('cert.pem') }],
    ['a key without a certificate', { ...webEnv, TLS_KEY_FILE: tlsFile('key.pem') }],
    ['a missing file', tls('cert.pem', 'nothing.pem')],
    ['a key as certificate', tls('key.pem', 'key.pem')],
    ['a file that is not PEM', tls('cert.pem', '../webhooks/pin.json')],
    ['a key of another certificate', tls('cert.pem', 'other-key.pem')],
  ])('prevent the start if there is %s', (_what, env) => {
    expect(problemsOf(() => webConfig(env)).join()).toMatch(/^TLS_/);
  });
});

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  [{ OTEL_SERVICE_NAME: 'cardbell' }, false],
])('with %j, traces are sent: %s', (env, isTraced) => {
  expect(webConfig({ ...webEnv, ...env } as Env).isTraced).toBe(isTraced);
  expect(workerConfig({ ...workerEnv, ...env } as Env).isTraced).toBe(isTraced);
});
