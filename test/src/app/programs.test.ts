import { describe, expect, it } from 'vitest';
import { createReport } from '../../../bin/doctor/report.ts';
import { webConfig, workerConfig } from '../../../src/app/config.ts';
import { configsOf, issueIn, wordsOf } from '../../../src/app/programs.ts';
import { signersOf } from '../../../src/app/stores.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { DEFAULT_ZONE, installationScope } from '../../../src/core/installation.ts';
import { auditRecordForged } from '../../../src/ops/audit-issue.ts';
import { cardTokenDead, slackTokenDead } from '../../../src/ops/issue.ts';
import { opsNotice } from '../../../templates/ops/ops-notice.ts';

const first = {
  REDIS_URL: 'redis://127.0.0.1:6379',
  SLACK_BOT_TOKEN: 'xoxb-1',
  CARD_API_URL: 'https://card.example/v4',
  CARD_API_TOKEN: 'api-token-0123456789',
  ALERTS_CHANNEL: 'C0ALERTS',
  OPERATORS: 'U0OLGA',
  APPROVERS: 'U0ANA',
};
const eu = {
  PROGRAMS: 'eu',
  EU_CARD_API_URL: 'https://card.example.eu/v4',
  EU_CARD_API_TOKEN: 'api-token-of-eu-0123',
  EU_ALERTS_CHANNEL: 'C0EU',
};
const problemsOf = (read: () => unknown): readonly string[] => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};
const workers = (env: Record<string, string>) => configsOf(workerConfig, env);

it('what is signed or sealed for one program is worth nothing in another with the same bot token', () => {
  const [own, other, again] = [...workers({ ...first, ...eu }), ...workers({ ...first, PROGRAM: 'first' })].map(
    signersOf,
  );

  expect(other?.control.verify({ id: 'act_1' }, own?.control.sign({ id: 'act_1' }))).toBe(false);
  expect(other?.delegation.open(own?.delegation.seal('U0BEN') ?? '')).toBeNull();
  // In a process of its own, the first one has the same keys.
  expect(again?.control.verify({ id: 'act_1' }, own?.control.sign({ id: 'act_1' }))).toBe(true);
  expect(again?.delegation.open(own?.delegation.seal('U0BEN') ?? '')).toBe('U0BEN');
});

describe('the configuration of several card programs', () => {
  it('contains only the first if none is named', () => {
    expect(workers(first).map(({ program, redis }) => [program, redis.keyPrefix])).toEqual([['', '']]);
  });

  it('is read from variables prefixed with the program’s name, with separate Redis keys', () => {
    const [one, other] = workers({ ...first, ...eu, EU_CARD_SERVICE_TIMEZONE: 'Europe/Berlin' });

    expect(one).toMatchObject({ program: '', cardApiUrl: 'https://card.example/v4', command: '/card' });
    expect(other).toMatchObject({
      program: 'eu',
      cardApiUrl: 'https://card.example.eu/v4',
      cardApiToken: 'api-token-of-eu-0123',
      serviceZone: 'Europe/Berlin',
      command: '/card-eu',
      redis: { keyPrefix: 'eu:' },
      slackBotToken: 'xoxb-1',
    });
  });

  it('takes no people, token, key or channel from the first program', () => {
    const env = { ...first, ...eu, AUDIT_KEY: 'audit-key-of-the-first', ALERTS_CHANNEL_OPS: 'C0OPS' };

    const other = workers(env)[1];

    expect(other).toMatchObject({ operators: [], approvers: [], audit: { secrets: ['api-token-of-eu-0123'] } });
    expect(JSON.stringify(other)).not.toMatch(/C0OPS|C0ALERTS|audit-key-of-the-first/);
    expect(problemsOf(() => workers({ ...first, PROGRAMS: 'eu' }))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^EU_CARD_API_URL: expected/),
        expect.stringMatching(/^EU_CARD_API_TOKEN: expected/),
        expect.stringMatching(/^EU_ALERTS_CHANNEL: expected/),
      ]),
    );
  });

  it('reports the problems of all programs at once, with each variable’s full name', () => {
    const env = { ...first, ...eu, CARD_API_URL: 'ftp://x', EU_CARD_SERVICE_TIMEZONE: 'Mars' };

    const problems = problemsOf(() => workers(env));

    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['CARD_API_URL', 'EU_CARD_SERVICE_TIMEZONE']);
  });

  it.each([
    ['AUDIT_ARCHIVE', '/srv/audit', '/srv/audit/', '/srv/audit-eu'],
    ['AUDIT_SINK', 's3://heads/cards?region=eu-west-1', 's3://heads/cards?region=eu-west-1', 's3://heads/eu'],
  ])('requires a different %s for each program', (variable, one, same, other) => {
    const keys = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'secret-of-the-bucket' };
    const ofEu = Object.fromEntries(Object.entries(keys).map(([name, value]) => [`EU_${name}`, value]));
    const given = { ...first, ...eu, ...keys, ...ofEu, [variable]: one };

    expect(problemsOf(() => workers({ ...given, [`EU_${variable}`]: same }))).toEqual([
      `EU_${variable}: expected another place than ${variable}, which is that of another card program`,
    ]);
    expect(problemsOf(() => workers({ ...given, [`EU_${variable}`]: other }))).toEqual([]);
    expect(problemsOf(() => workers(given))).toEqual([]);
  });

  it.each(['', '  '])('names the command of a program after it if EU_SLACK_COMMAND is %j', (EU_SLACK_COMMAND) => {
    expect(workers({ ...first, ...eu, EU_SLACK_COMMAND }).map(({ command }) => command)).toEqual(['/card', '/card-eu']);
  });

  it('contains one program if PROGRAM names it', () => {
    expect(workers({ ...first, ...eu, PROGRAM: 'eu' }).map(({ program }) => program)).toEqual(['eu']);
    expect(workers({ ...first, ...eu, PROGRAM: 'first' }).map(({ program }) => program)).toEqual(['']);
  });

  it.each(['uk', 'zz!', 'A\nB'])('reports PROGRAM=%j once, and all other problems under their own names', (PROGRAM) => {
    expect(problemsOf(() => workers({ ...first, ...eu, PROGRAM, OPERATORS: 'bad' }))).toEqual([
      'PROGRAM: expected one of the names in PROGRAMS, or first',
      'OPERATORS: expected Slack user ids (U…) or user group ids (S…), comma-separated',
    ]);
  });

  it.each([
    ['eu,eu', 'expected each name of a card program once'],
    ['EU', 'expected names of card programs'],
    ['a,b,c,d,e,f,g,h,i', 'expected at most 8 names'],
    ['card', 'expected another name than card'],
    ['first', 'expected another name than first'],
    ['activate', 'ACTIVATE_SLACK_COMMAND: expected another command than SLACK_COMMAND and its short forms'],
  ])('rejects PROGRAMS=%s with a reason', (PROGRAMS, why) => {
    expect(problemsOf(() => workers({ ...first, PROGRAMS })).join('\n')).toContain(why);
  });

  it.each(['eu uk', 'xoxb-secret-1', 'eu,EU', '"eu"'])('reports PROGRAMS=%j alone, and never quotes it', (PROGRAMS) => {
    for (const PROGRAM of ['', 'eu'])
      expect(problemsOf(() => workers({ ...first, PROGRAMS, PROGRAM }))).toEqual([
        expect.stringMatching(/^PROGRAMS: expected (?!.*(?:uk|secret|EU))/),
      ]);
  });

  it('requires a separate command for each program', () => {
    expect(problemsOf(() => workers({ ...first, ...eu, EU_SLACK_COMMAND: '/card' }))).toEqual([
      'EU_SLACK_COMMAND: expected another command than SLACK_COMMAND and its short forms',
    ]);
  });

  it('has a separate webhook secret for each program, including one from a file', () => {
    const web = { ...first, SLACK_SIGNING_SECRET: 'signing-0123456789', WEBHOOK_SHARED_SECRET: 'SHARED-0123456789' };
    const configs = configsOf(webConfig, { ...web, ...eu, EU_WEBHOOK_SHARED_SECRET: 'SHARED-OF-EU-01234' });

    expect(configs.map(({ webhookSecrets }) => webhookSecrets)).toEqual([
      ['SHARED-0123456789'],
      ['SHARED-OF-EU-01234'],
    ]);
    expect(
      problemsOf(() => configsOf(webConfig, { ...web, ...eu, EU_WEBHOOK_SHARED_SECRET_FILE: '/nowhere' })),
    ).toEqual(['EU_WEBHOOK_SHARED_SECRET_FILE: expected a readable file that holds the secret']);
    const twice = { ...web, ...eu, EU_WEBHOOK_SHARED_SECRET: 'x', EU_WEBHOOK_SHARED_SECRET_FILE: '/nowhere' };
    expect(problemsOf(() => configsOf(webConfig, twice))).toEqual([
      'EU_WEBHOOK_SHARED_SECRET_FILE: expected either EU_WEBHOOK_SHARED_SECRET or EU_WEBHOOK_SHARED_SECRET_FILE, not both',
    ]);
  });
});

it('names the program in its issues, with its variables and commands, because programs may share an ops channel', () => {
  expect(issueIn('eu', cardTokenDead)).toMatchObject({
    title: `eu: ${cardTokenDead.title}`,
    todo: expect.stringMatching(
      /^Create a new token and set EU_CARD_API_TOKEN for the worker\. If EU_AUDIT_KEY is not set, /,
    ),
  });
  const inEu = installationScope({ command: '/card-eu', serviceZone: DEFAULT_ZONE, program: 'eu' });
  const forged = inEu(() => issueIn('eu', auditRecordForged(7)));
  expect(forged.todo).toMatch(/`PROGRAM=eu npm run audit -- verify`. Compare EU_AUDIT_KEY \(or EU_CARD_API_TOKEN\)/);
  const shown = inEu(() => opsNotice({ level: 'ops', ...forged, at: '2026-11-20T12:00:00Z' }));
  expect(JSON.stringify(shown)).toContain('`PROGRAM=eu npm run audit -- verify`');
  expect(issueIn('eu', slackTokenDead).todo).toBe(slackTokenDead.todo);
  expect(issueIn('', cardTokenDead)).toBe(cardTokenDead);
});

it('names the variables of the checked program in the doctor’s report', () => {
  const report = createReport(
    () => {},
    (text) => wordsOf('eu', text),
  );

  report.fix('the token does not work (401)', 'make a new token and set CARD_API_TOKEN, and REDIS_URL');
  report.note('EU_ALERTS_CHANNEL: expected a Slack channel id');

  expect(report.findings).toMatchObject([
    { todo: 'make a new token and set EU_CARD_API_TOKEN, and REDIS_URL' },
    { what: 'EU_ALERTS_CHANNEL: expected a Slack channel id' },
  ]);
});
