import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { DEFAULT_ZONE, installationScope } from '../../src/core/installation.ts';
import { recoveryLine } from '../../templates/recovery/recovery-line.ts';
import { runCommand } from '../support/run-command.ts';

/** Nothing listens on port 1. */
const run = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(name, args, { REDIS_URL: 'redis://127.0.0.1:1', ...env });

it.concurrent.each([
  ['replay', [], 64, /^replay: expected one of list, show, run, discard\.\n\n.*npm run replay -- list/s],
  ['replay', ['nonsense'], 64, /^replay: expected one of list, .*, not nonsense\.\n\n.*npm run replay -- list/s],
  ['replay', ['list', 'more'], 64, /^replay: expected nothing after list, not more\.\n\n.*npm run replay -- list/s],
  ['replay', ['run', 'one', 'two'], 64, /^replay: expected nothing after one, not two\.\n\n.*npm run replay -- list/s],
  ['replay', ['discard', 'one', 'two', '--reason', 'why'], 64, /npm run replay -- list/],
  [
    'replay',
    ['list', '--nonsense'],
    64,
    /^replay: there is no flag --nonsense\. Expected --reason, --help\.\n\n.*npm run replay/s,
  ],
  ['replay', ['list'], 69, /^Redis does not answer\. .*Nothing was changed\.$/m],
  ['replay', ['discard', 'id'], 64, /^replay: discard needs --reason "why": it goes on record\.\n\n/],
  [
    'replay',
    ['run', 'all', '--reason', 'why'],
    64,
    /^replay: --reason is a flag of discard, not of run\.\n\n.*npm run replay -- list/s,
  ],
  ['sandbox', ['--port', '0', '--redis', 'redis://127.0.0.1:1'], 69, /Redis does not answer/],
  [
    'sandbox',
    ['--port', '0', '--token', 't', '--secret', 's', '--data', '/nowhere/at/all'],
    1,
    /^sandbox: .*\/nowhere\/at is not a folder/m,
  ],
  ['audit', [], 64, /^audit: expected one of verify, export\.\n\n.*npm run audit -- verify/s],
  ['audit', ['verify'], 69, /^Redis does not answer\./],
  ['audit', ['export'], 64, /^audit: export needs --csv\.\n\n.*export --csv/s],
  [
    'audit',
    ['verify', '--since', '2026-11-26'],
    64,
    /^audit: --since is a flag of export, not of verify\.\n\n.*npm run audit -- verify/s,
  ],
  ['audit', ['export', '--csv', '--anchor', '1:0a1b2c3d'], 64, /export --csv/],
  ['backup', [], 64, /^backup: expected a FILE\.\n\n.*cardbell backup FILE/s],
  ['backup', ['one', 'two'], 64, /^backup: expected nothing after one, not two\.\n\n.*cardbell backup FILE/s],
  [
    'audit',
    ['export', '--csv', '--since', '2026-11-26', '--until', '2026-11-25'],
    64,
    /--since must be before --until/,
  ],
  ['backup', ['nowhere.backup'], 69, /^Redis does not answer\./],
  ['restore', ['--force'], 64, /^restore: there is no flag --force\. Expected --help\.\n\n.*cardbell restore FILE/s],
  ['restore', ['nowhere.backup'], 69, /^Redis does not answer\./],
  ['shards', ['0'], 64, /^shards: expected a number of shards from 1 to 16, not 0\.\n\n.*cardbell shards N/s],
  ['shards', ['2', '--force'], 64, /^shards: there is no flag --force\. Expected --help\.\n\n.*cardbell shards N/s],
  ['shards', ['17'], 64, /^shards: expected a number of shards from 1 to 16, not 17\.\n\n.*cardbell shards N/s],
  ['shards', ['4', '16'], 64, /^shards: expected nothing after 4, not 16\.\n\n.*cardbell shards N/s],
  ['shards', ['16'], 69, /^Redis does not answer\./],
  ['recover', [], 64, /^recover: expected --since with how long ago \(2h\) or a date and time\.\n\n.*--since 2h/s],
  [
    'recover',
    ['--since', '2h', '--nope'],
    64,
    /^recover: there is no flag --nope\. Expected --since, --until, --dry-run, --help\.\n\n.*--since 2h/s,
  ],
  ['recover', ['--since', '2h', 'extra'], 64, /^recover: expected only flags, not extra\.\n\n.*--since 2h/s],
  ['recover', ['--since', '2h'], 78, /CARD_API_TOKEN: expected/],
  ['trigger', ['decline', '--version', 'abc'], 64, /--version must be numbers separated by dots/],
  ['trigger', ['decline', '--url', 'http://my host/webhooks'], 64, /--url must be a URL that starts with http:/],
  ['trigger', ['decline', '--to', 'http://'], 64, /--to must be a URL that starts with http:/],
  ['audit', ['export', '--csv', '--since', '2026-02-30'], 64, /--since: expected a day/],
  ['audit', ['export', '--csv', '--until', '2026-02-30T09:00Z'], 64, /--until: expected a day/],
  ['trigger', ['decline', '--version', '2…'], 64, /--version must be numbers separated by dots/],
  [
    'doctor',
    ['--nonsense'],
    64,
    /^doctor: there is no flag --nonsense\. Expected --json, --url, --help\n\n.*npm run doctor/s,
  ],
  [
    'bench',
    ['nonsense'],
    64,
    /^bench: there is no benchmark nonsense\. Expected cost, ingest, latency, storm, traces, memory/,
  ],
  ['cardbell', ['web', '--port', '80'], 64, /web: expected no arguments/],
  ['policy', [], 64, /^policy: expected one of check, explain, replay\.\n\n.*npm run policy -- check/s],
  [
    'policy',
    ['nonsense'],
    64,
    /^policy: expected one of check, explain, replay, not nonsense\.\n\n.*npm run policy -- check/s,
  ],
  [
    'policy',
    ['replay', '--since', 'long ago'],
    64,
    /^policy: --since: expected days such as 30d, not long ago\.\n\n.*npm run policy -- replay/s,
  ],
  [
    'policy',
    ['replay', '--since', '31d'],
    64,
    /^policy: --since: expected at most 30d, because decisions are kept for 30 days, not 31d\.\n\n.*npm run policy/s,
  ],
  [
    'policy',
    ['replay', '--since', '365d'],
    64,
    /^policy: --since: expected at most 30d, because decisions are kept for 30 days, not 365d\.\n\n.*npm run policy/s,
  ],
  [
    'policy',
    ['check', '--since', '30d'],
    64,
    /^policy: --since is a flag of replay, not of check\.\n\n.*npm run policy -- check/s,
  ],
  [
    'policy',
    ['replay', '--own'],
    64,
    /^policy: --own is a flag of explain, not of replay\.\n\n.*npm run policy -- replay/s,
  ],
  ['policy', ['replay'], 69, /^Redis does not answer\./],
  ['policy', ['check'], 1, /^There is nothing to check: POLICY_FILE, OPERATORS and APPROVERS are not set here/],
  ['policy', ['check', '--file', 'package.json'], 65, /^package\.json:\d+: version: expected version: 1$/m],
  ['policy', ['check', '--file', 'nowhere.yaml'], 65, /^--file: expected a readable file in UTF-8$/m],
  [
    'policy',
    ['explain', 'somebody limit 1234 daily 900'],
    64,
    /^policy: “somebody” is no Slack user id .*\n\n.*npm run policy/s,
  ],
  ['policy', ['explain', 'U1'], 64, /^policy: What would they type behind \/card\?\n\n.*npm run policy/s],
] as const)('%s %j exits with %i and says what to do', async (command, args, code, words) => {
  const ended = await run(command, args);

  expect(ended.err).toMatch(words);
  expect(ended).toMatchObject({ code, out: '' });
});

it.concurrent.each([
  ['recover', ['--since'], '--since needs a value'],
  ['recover', ['--since', 'banana'], '--since: expected how long ago (2h) or a date and time, not banana'],
  ['policy', ['explain', 'U1 frobnicate'], 'I don’t know “frobnicate”'],
  ['replay', ['show'], 'expected the ID of what to show'],
  ['audit', ['verify', 'extra'], 'expected nothing after verify, not extra'],
  ['audit', ['verify', '--anchor', 'banana'], '--anchor: expected COUNT:HASH as in the audit channel, not banana'],
  ['audit', ['verify', '--accepted', '7'], '--accepted: expected COUNT:HASH as in the audit channel, not 7'],
  [
    'audit',
    ['export', '--csv', '--until', 'banana'],
    '--until: expected a day (2026-11-20) or a time (2026-11-20T15:00:00Z), not banana',
  ],
  ['policy', ['check', 'extra'], 'expected nothing after check, not extra'],
  ['policy', ['explain'], 'explain: expected a person and what they type after the command'],
  ['policy', ['explain', 'U01ANA limit', '--now', 'banana'], '--now: expected dollars such as 500, not banana'],
  ['bench', ['bytes', '--events', '0'], '--events: expected a whole number above 0, not 0'],
] as const)('%s %j says what is wrong and what was expected, then the usage', async (command, args, problem) => {
  const ended = await run(command, args);

  expect(ended.err.split('\n\n')[0]).toBe(`${command}: ${problem}.`);
  expect(ended.err.split('\n\n').length).toBeGreaterThan(1);
  expect(ended).toMatchObject({ code: 64, out: '' });
});

it.concurrent.each([
  ['manifest', ['--url'], 'manifest: --url needs a value'],
  ['demo', ['banana'], 'demo: expected only flags, not banana'],
  ['workspace', ['--nope'], 'workspace: there is no flag --nope. Expected --port, '],
  ['sandbox', ['--rate-limits=1'], 'sandbox: --rate-limits takes no value'],
  ['trigger', ['banana'], 'trigger: there is no kind banana. Known: '],
] as const)('%s %j names the problem in its first line, then shows the usage', async (command, args, problem) => {
  const ended = await run(command, args, { WEBHOOK_SHARED_SECRET: 'a-secret' });

  expect(ended.err.split('\n')[0]?.startsWith(problem), ended.err.split('\n')[0]).toBe(true);
  expect(ended.err.split('\n\n').length).toBeGreaterThan(1);
  expect(ended).toMatchObject({ code: 64, out: '' });
});

it.concurrent('an invalid REDIS_URL is reported without its value', async () => {
  const ended = await run('audit', ['verify'], { REDIS_URL: 'http://user:hidden@127.0.0.1' });

  expect(ended.code).toBe(78);
  expect(ended.err).toContain('REDIS_URL');
  expect(ended.err).not.toContain('hidden');
});

it.concurrent('trigger exits with 78 when the secret file cannot be read, and says so', async () => {
  const ended = await run('trigger', ['decline'], { WEBHOOK_SHARED_SECRET_FILE: '/nowhere' });

  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.err).toContain('WEBHOOK_SHARED_SECRET_FILE: expected a readable file');
});

it.concurrent.each([
  [{}, 'http://127.0.0.1:3000/webhooks/decline'],
  [{ PORT: '1' }, 'http://127.0.0.1:1/webhooks/decline'],
  [
    { HOST: '127.0.0.2', PORT: '1', TLS_CERT_FILE: 'test/fixtures/tls/cert.pem' },
    'https://127.0.0.2:1/webhooks/decline',
  ],
  [{ PORT: '1', PROGRAM: 'first' }, 'http://127.0.0.1:1/webhooks/decline'],
  [{ PORT: '1', PROGRAM: 'eu', EU_WEBHOOK_SHARED_SECRET: 'a-secret' }, 'http://127.0.0.1:1/webhooks/eu/decline'],
])('trigger, given %j, sends to %s', async (more, url) => {
  const { out } = await run('trigger', ['decline'], { WEBHOOK_SHARED_SECRET: 'a-secret', PROGRAMS: 'eu', ...more });

  expect(out).toMatch(new RegExp(`^decline → ${url}: `));
});

it.concurrent('trigger asks for the secret of the card program in PROGRAM', async () => {
  const given = { WEBHOOK_SHARED_SECRET: 'a-secret', PROGRAMS: 'eu', PORT: '1' };
  const ofEu = await run('trigger', ['decline'], { ...given, PROGRAM: 'eu' });
  const unknown = await run('trigger', ['decline'], { ...given, PROGRAM: 'uk' });

  expect(ofEu).toMatchObject({ code: 78, out: '', err: expect.stringMatching(/^EU_WEBHOOK_SHARED_SECRET: expected/) });
  expect(unknown).toMatchObject({ code: 78, out: '', err: expect.stringContaining('PROGRAM: expected one of') });
});

it.concurrent.each([
  ['-h', /^Usage: npm run trigger/],
  ['--list', /^authorization/m],
])('trigger %s needs no right variable', async (flag, shown) => {
  const wrong = { PROGRAM: 'uk', CARD_SERVICE_TIMEZONE: 'Mars/Hidden', WEBHOOK_SHARED_SECRET_FILE: '/nowhere' };
  const { code, out, err } = await run('trigger', [flag], wrong);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(shown);
});

it.concurrent('trigger names a PORT that is none, unless another address is given', async () => {
  const wrong = await run('trigger', ['decline'], { PORT: '99999', WEBHOOK_SHARED_SECRET: 'a-secret' });
  const unused = await run('trigger', ['decline', '--dry-run', '--to', 'http://127.0.0.1:1'], { PORT: '99999' });

  expect(wrong).toMatchObject({ code: 78, out: '', err: expect.stringMatching(/^ *- PORT: expected a port number/m) });
  expect(unused).toMatchObject({ code: 0 });
});

it.concurrent('trigger --dry-run needs no secret, but the time zone of a known card program', async () => {
  const noSecret = await run('trigger', ['decline', '--dry-run'], { WEBHOOK_SHARED_SECRET_FILE: '/nowhere' });
  const unknown = await run('trigger', ['decline', '--dry-run'], { PROGRAM: 'uk' });
  const unreadable = await run('trigger', ['decline', '--dry-run'], { PROGRAMS: 'eu uk', PROGRAM: 'eu' });

  expect(noSecret).toMatchObject({ code: 0, out: expect.stringContaining('"CallbackTime"') });
  expect(unknown).toMatchObject({ code: 78, out: '', err: expect.stringContaining('PROGRAM: expected one of') });
  expect(unreadable).toMatchObject({ code: 78, out: '', err: expect.stringContaining('PROGRAMS: expected') });
});

it.concurrent.each(['trigger', 'sandbox'])(
  '%s exits with 78 for an unknown time zone, without its value',
  async (command) => {
    const ended = await run(command, ['decline'], { CARD_SERVICE_TIMEZONE: 'Mars/Hidden' });

    expect(ended).toMatchObject({ code: 78, out: '' });
    expect(ended.err).toContain('CARD_SERVICE_TIMEZONE: expected a time zone name such as America/New_York');
    expect(ended.err).not.toContain('Hidden');
  },
);

it.concurrent('sandbox takes empty variables as not set, and exits with 78 for a LOG_LEVEL that is none', async () => {
  const empty = await run('sandbox', ['--help'], { LOG_LEVEL: '', CARD_SERVICE_TIMEZONE: '  ' });
  const wrong = await run('sandbox', ['--help'], { LOG_LEVEL: 'verbose' });

  expect(empty).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Usage: ') });
  expect(wrong).toMatchObject({ code: 78, out: '', err: expect.stringContaining('LOG_LEVEL: expected one of trace') });
});

const bothProcesses = {
  ALERTS_CHANNEL: 'C0ALERTS',
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  SLACK_SIGNING_SECRET: 'a-secret-that-is-long-enough',
  WEBHOOK_SHARED_SECRET: 'a-secret-that-is-long-enough',
  CARD_API_URL: 'http://127.0.0.1:1/v4',
  CARD_API_TOKEN: 'a-token-that-is-long-enough',
};

it.concurrent.each([
  ['the web process', 'web', [], 'PORT'],
  ['the web process over Socket Mode', 'web', [], 'PORT', { SLACK_APP_TOKEN: 'xapp-1' }],
  ["the web process' admin port", 'web', [], 'ADMIN_PORT'],
  ["the worker's admin port", 'worker', [], 'ADMIN_PORT'],
  ['both in one process', 'start', [], 'ADMIN_PORT'],
  ['the local workspace', 'workspace', ['--port'], '--port'],
  ['the sandbox', 'sandbox', ['--port'], '--port'],
] as const)('%s exits with 69 on a taken port, with one line that names the port and the setting', async (...given) => {
  const [, verb, flags, setting, more = {}] = given;
  const other = createServer();
  const port = await listen(other);
  const env = { ...bothProcesses, HOST: '127.0.0.1', PORT: '0', ...more, [setting]: String(port) };

  const ended = await run('cardbell', [verb, ...flags.flatMap((flag) => [flag, String(port)])], env);

  expect(ended.code).toBe(69);
  const line = `port ${port} of 127.0.0.1 is taken. Stop what listens there, or set ${setting} to another port.`;
  expect(ended.err.trim().split('\n').at(-1)).toContain(line);
  expect(ended.err + ended.out).not.toMatch(/^ +at |"stack"/m);
  await new Promise((resolve) => other.close(resolve));
});

it.concurrent.each(['', 'eu'])(
  'recover accepts the command that a failed recovery of program "%s" shows',
  async (program) => {
    const gap = { from: '2026-11-20T10:00:00.123Z', to: '2026-11-20T12:00:00.456Z' };
    const failed = { ...gap, state: 'failed', done: 1, recovered: 0, unsent: 0, unreadable: 0, statuses: 0 } as const;
    const { text } = installationScope({ command: '/card', serviceZone: DEFAULT_ZONE, program })(() =>
      recoveryLine(failed),
    );
    const [, named = '', words = ''] = /`(?:PROGRAM=(\w+) )?npm run recover -- ([^`]+)`/.exec(text) ?? [];
    const eu = { EU_CARD_API_URL: 'http://127.0.0.1:1/v4', EU_CARD_API_TOKEN: 'a-token-that-is-long-enough' };
    const env = { ...bothProcesses, ...eu, EU_ALERTS_CHANNEL: 'C0EU', PROGRAMS: 'eu', PROGRAM: named };

    const ended = await run('recover', words.split(' '), env);

    expect(named).toBe(program);
    // It gets as far as Redis, so its command line and its variables are right.
    expect(ended).toMatchObject({ code: 69, out: '', err: expect.stringMatching(/^Redis does not answer\./) });
  },
);

it.concurrent.each(['recover', 'doctor', 'policy'])('%s prints its help', async (command) => {
  const { code, out, err } = await run(command, ['--help']);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`npm run ${command}`);
});

it.concurrent.each([
  'web',
  'worker',
  'start',
  'bench',
  'trigger',
  'sandbox',
  'workspace',
  'demo',
  'recover',
  'replay',
  'audit',
  'backup',
  'restore',
  'shards',
  'manifest',
  'doctor',
  'policy',
])('cardbell %s --help only explains that verb, and so does -h', async (verb) => {
  const { code, out, err } = await run('cardbell', [verb, '--help']);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(verb);
  expect(await run('cardbell', [verb, '-h'])).toEqual({ code, out, err });
});

it.concurrent('doctor lists a missing variable once, with every process that needs it', async () => {
  const { code, out } = await run('doctor', []);

  expect(code).toBe(1);
  expect(out.match(/FIX {3}SLACK_BOT_TOKEN/g)).toHaveLength(1);
  expect(out).toMatch(/FIX {3}SLACK_BOT_TOKEN.*\n +→ set it for web and worker;/);
  expect(out).toMatch(/FIX {3}CARD_API_TOKEN.*\n +→ set it for worker;/);
  expect(out).toMatch(/FIX {3}WEBHOOK_SHARED_SECRET.*\n +→ set it for web;/);
});

it.concurrent('policy checks a file and explains its effect on one change', async () => {
  const file = ['--file', 'docs/policy/contractor.yaml'];
  const check = await run('policy', ['check', ...file]);
  const words = ['explain', 'U02FOREMANN limit 1234 daily 900 for 4h', '--now', '400', '--group', 'Crew North'];
  const explain = await run('policy', [...words, ...file]);

  expect(check).toMatchObject({ code: 0, err: '' });
  expect(check.out).toMatch(/^contractor\.yaml is a valid policy, SHA-256 [0-9a-f]{64}\.$/m);
  expect(explain).toMatchObject({ code: 0, err: '' });
  expect(explain.out).toMatch(/^Change: raises it by \$500\.00, for 4 hours$/m);
  expect(explain.out).toMatch(/^Result: waits for 1 other approver, from: S02OFFICE$/m);
});

it.concurrent('a process with an invalid policy file exits at startup and says why', async () => {
  const env = {
    POLICY_FILE: 'package.json',
    ALERTS_CHANNEL: 'C0ALERTS',
    SLACK_BOT_TOKEN: 'xoxb-1',
    CARD_API_URL: 'http://127.0.0.1:1/v4',
    CARD_API_TOKEN: 'a-token-that-is-long-enough',
    ADMIN_PORT: '0',
  };
  const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(
      process.execPath,
      ['dist/src/worker.js'],
      { env: { ...env, PATH: process.env.PATH } },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : error.code, out, err });
      },
    );
  });

  expect(ended.code).toBe(78);
  expect(ended.err).toMatch(/^ {2}- POLICY_FILE: package\.json:\d+: version: expected version: 1$/m);
});

it.concurrent('cardbell lists its verbs, and runs one like its separate command', async () => {
  const help = await run('cardbell', ['help']);
  const audit = await run('cardbell', ['audit', 'verify']);

  expect(help.code).toBe(0);
  for (const verb of [
    'web',
    'worker',
    'start',
    'doctor',
    'recover',
    'replay',
    'audit',
    'policy',
    'trigger',
    'demo',
    'sandbox',
  ])
    expect(help.out).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
  expect(audit).toMatchObject({ code: 69, out: '' });
  expect(audit.err).toMatch(/^Redis does not answer\./);
});

it.concurrent.each([
  ['version', '--help'],
  ['completion', '-h'],
  ['help', '--help'],
])('cardbell %s %s shows the usage', async (...words) => {
  expect(await run('cardbell', words)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Usage: cardbell VERB/),
    err: '',
  });
});

it.concurrent('cardbell help VERB is cardbell VERB --help', async () => {
  for (const verb of ['web', 'audit'])
    expect(await run('cardbell', ['help', verb])).toEqual(await run('cardbell', [verb, '--help']));
  expect(await run('cardbell', ['help', 'nonsense'])).toMatchObject({ code: 64, out: '' });
});

it.concurrent('cardbell prints its version, and completions for two shells', async () => {
  const version = await run('cardbell', ['version']);
  const bash = await run('cardbell', ['completion', 'bash']);
  const zsh = await run('cardbell', ['completion', 'zsh']);

  expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(bash.out).toContain('complete -W');
  expect(zsh.out).toContain('#compdef cardbell');
});

it.concurrent.each([[], ['nonsense'], ['completion', 'fish'], ['completion', 'bash', 'zsh'], ['version', 'extra']])(
  'cardbell %j %j is refused with the usage',
  async (...args) => {
    const ended = await run(
      'cardbell',
      args.filter((arg) => arg !== undefined),
    );

    expect(ended).toMatchObject({ code: 64, out: '' });
    expect(ended.err).toContain('Usage: cardbell VERB');
  },
);
