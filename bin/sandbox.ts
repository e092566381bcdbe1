#!/usr/bin/env node
import './unexpected-error.ts';
import { pino } from 'pino';
import { startRedis } from '../local/redis.ts';
import { ProgramMissingError } from '../local/system-package.ts';
import { ASSUMPTIONS, type Assumptions, fitsAssumption } from '../sandbox/assumptions.ts';
import { EXIT_USAGE, numberFlag, parseFlags, portFlag, UsageError, urlFlag } from '../sandbox/cli-flags.ts';
import { DataFileError } from '../sandbox/data-file.ts';
import { type SandboxOptions, startSandbox } from '../sandbox/server.ts';
import { useServiceZone } from '../sandbox/service-time.ts';
import { EX_CONFIG } from '../src/app/config.ts';
import { WorkerEnv } from '../src/app/environment.ts';
import { readVariables } from '../src/app/read-variables.ts';
import { EX_UNAVAILABLE } from '../src/app/run-process.ts';
import { ConfigError } from '../src/core/errors.ts';
import { ListenError, listenError } from '../src/core/listen-error.ts';
import { createLog } from '../src/core/log.ts';
import { connectPatient, whenReady } from '../src/core/redis.ts';

const USAGE = `Usage: npm run sandbox -- [flags]

  --port N           port on 127.0.0.1 (4010; 0 takes a free one)
  --token T          API token (sandbox-token)
  --webhooks URL     sends each webhook kind to URL/KIND; without it none is sent
  --secret S         shared secret of the webhooks (sandbox-secret)
  --time-scale N     makes every wait of the service N times shorter (1)
  --redis URL        Redis to use; without it, one of our own is started
  --data FILE        keeps the state in FILE
  --rate-limits      enforces the service's rate limits
  --old-signs        writes amounts with the signs before Dec 27, 2017
  --timeout 10|20    seconds a receiver has to answer (10)
  --story SPEED      plays a day of the program, SPEED times faster than real time
  --list-shape S     "older" leaves the newer fields out of the account list
  --assume NAME=JSON overrides an assumption (see sandbox/assumptions.ts); may be repeated

Days and times are those of CARD_SERVICE_TIMEZONE (America/New_York).

Exit code: 0 when it was stopped, 1 when it could not start, 64 for a wrong command line, 69 when Redis does not
answer or the port is taken, 78 when CARD_SERVICE_TIMEZONE or LOG_LEVEL is bad.
`;

const REDIS_REMIND_AFTER_MS = 3000;

const problems: string[] = [];
const given = readVariables(WorkerEnv.pick({ CARD_SERVICE_TIMEZONE: true, LOG_LEVEL: true }), process.env, problems);
const log = pino({ name: 'sandbox', level: given?.LOG_LEVEL ?? 'info' }, pino.destination({ dest: 2, sync: true }));

function readFlags(args: readonly string[]) {
  const flags = parseFlags(args, {
    port: { type: 'string' },
    token: { type: 'string' },
    webhooks: { type: 'string' },
    secret: { type: 'string' },
    'time-scale': { type: 'string' },
    redis: { type: 'string' },
    data: { type: 'string' },
    'rate-limits': { type: 'boolean' },
    'old-signs': { type: 'boolean' },
    timeout: { type: 'string' },
    story: { type: 'string' },
    'list-shape': { type: 'string' },
    assume: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h' },
  });
  for (const name of ['token', 'secret'] as const)
    if (flags[name] === '') throw new UsageError(`--${name} must not be empty`);
  const port = portFlag(flags.port) ?? 4010;
  const timeout = flags.timeout ?? '10';
  if (timeout !== '10' && timeout !== '20') throw new UsageError('--timeout must be 10 or 20');
  const listShape = flags['list-shape'] ?? 'newer';
  if (listShape !== 'newer' && listShape !== 'older') throw new UsageError('--list-shape must be newer or older');
  const webhooks = urlFlag('webhooks', flags.webhooks, ['http:', 'https:']);
  const assumptions = assumptionsOf(flags.assume ?? []);
  const options: Omit<SandboxOptions, 'redisUrl'> = {
    port,
    token: flags.token ?? 'sandbox-token',
    secret: flags.secret ?? 'sandbox-secret',
    timeScale: numberFlag('time-scale', flags['time-scale'], { least: 0.001, most: 1_000_000 }) ?? 1,
    rateLimits: flags['rate-limits'] ?? false,
    timeoutSeconds: timeout === '20' ? 20 : 10,
    listShape,
    assumptions,
    report: (error) => log.warn({ err: error }, 'error inside the sandbox'),
    ...(webhooks === undefined ? {} : { webhooks }),
    ...(flags.data === undefined ? {} : { dataFile: flags.data }),
    ...(flags['old-signs'] === true ? { webhookVersion: ASSUMPTIONS.oldSignsVersion.value } : {}),
  };
  return {
    options,
    help: flags.help ?? false,
    tokenGiven: flags.token !== undefined,
    secretGiven: flags.secret !== undefined,
    redisUrl: urlFlag('redis', flags.redis, ['redis:', 'rediss:']),
    storySpeed: numberFlag('story', flags.story, { least: 0.001, most: 1_000_000 }),
  };
}

function assumptionsOf(texts: readonly string[]): Partial<Assumptions> {
  const entries = texts.map((text) => {
    const [name = '', json = ''] = text.split(/=(.*)/s);
    if (!isAssumption(name)) throw new UsageError(`--assume: there is no assumption ${name}`);
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      throw new UsageError(`--assume ${name}: the value must be JSON`);
    }
    if (!fitsAssumption(name, value))
      throw new UsageError(`--assume ${name}: expected a value like ${JSON.stringify(ASSUMPTIONS[name].value)}`);
    return [name, value];
  });
  return Object.fromEntries(entries) as Partial<Assumptions>;
}

function isAssumption(name: string): name is keyof Assumptions {
  return Object.hasOwn(ASSUMPTIONS, name);
}

async function answers(redisUrl: string): Promise<boolean> {
  const probe = connectPatient({
    urls: [redisUrl],
    log: createLog({ level: 'silent', process: 'sandbox' }),
    name: 'sandbox',
  });
  await whenReady(probe, REDIS_REMIND_AFTER_MS);
  const isReady = probe.status === 'ready';
  probe.disconnect();
  return isReady;
}

async function main(): Promise<void> {
  if (given === null) throw new ConfigError(problems);
  useServiceZone(given.CARD_SERVICE_TIMEZONE);
  const { options, help, redisUrl, storySpeed, tokenGiven, secretGiven } = readFlags(process.argv.slice(2));
  if (help) return void process.stdout.write(USAGE);
  if (!tokenGiven) log.info('no --token given: the API takes the token "sandbox-token"');
  if (!secretGiven) log.info('no --secret given: webhooks carry the shared secret "sandbox-secret"');

  if (redisUrl !== undefined && !(await answers(redisUrl))) {
    process.stderr.write('sandbox: Redis does not answer at the address of --redis. Is it running?\n');
    process.exit(EX_UNAVAILABLE);
  }
  const ownRedis = redisUrl === undefined ? await startRedis() : undefined;
  const sandbox = await startSandbox({ ...options, redisUrl: redisUrl ?? ownRedis?.url ?? '' }).catch(
    async (error: unknown) => {
      await ownRedis?.stop();
      throw listenError(error, { host: '127.0.0.1', port: options.port ?? 0 }, { port: '--port' });
    },
  );
  const story = new AbortController();
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= (async () => {
      story.abort();
      await sandbox.stop();
      await ownRedis?.stop();
    })().catch((error: unknown) => {
      log.error({ err: error }, 'did not stop cleanly');
      process.exitCode = 1;
    });
    void stopping.then(() => process.exit());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  process.stdout.write(`${JSON.stringify({ ready: true, url: sandbox.url })}\n`);
  if (storySpeed !== undefined) {
    await sandbox.tellStory({
      speed: storySpeed,
      signal: story.signal,
      onStep: ({ time, text }) => log.info({ time }, text),
    });
  }
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`sandbox: ${error.message}\n\n${USAGE}`);
    process.exit(EXIT_USAGE);
  }
  if (error instanceof ConfigError) {
    process.stderr.write(`sandbox: ${error.message}\n`);
    process.exit(EX_CONFIG);
  }
  if (error instanceof ListenError || error instanceof ProgramMissingError || error instanceof DataFileError) {
    process.stderr.write(`sandbox: ${error.message}\n`);
    process.exit(error instanceof ListenError ? EX_UNAVAILABLE : 1);
  }
  log.fatal({ err: error }, 'the sandbox did not start');
  process.exit(1);
}
