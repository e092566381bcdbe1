import './unexpected-error.ts';
import { EXIT_USAGE, parseFlags, UsageError } from '../sandbox/cli-flags.ts';
import { storeConfig, webConfig, workerConfig } from '../src/app/config.ts';
import { useProxy } from '../src/app/outgoing-proxy.ts';
import { ofProgram, wordsOf } from '../src/app/programs.ts';
import { orProblems } from '../src/app/read-variables.ts';
import { ConfigError } from '../src/core/errors.ts';
import { useInstallation } from '../src/core/installation.ts';
import { version } from '../src/core/version.ts';
import { permittedTo } from '../src/policy/policy.ts';
import { readPolicy } from '../src/policy/policy-source.ts';
import { checkCardService } from './doctor/check-card-service.ts';
import { checkRedis } from './doctor/check-redis.ts';
import { checkSink } from './doctor/check-sink.ts';
import { checkSlack } from './doctor/check-slack.ts';
import { checkWeb } from './doctor/check-web.ts';
import { createReport, type Report } from './doctor/report.ts';
import { addressFlag } from './web-address.ts';

const TIMEOUT_MS = 5000;
const isRoot = process.getuid?.() === 0;
const usage = `Checks everything that Cardbell needs, from the machine where it runs: Redis, Slack, the card service, the web process.
Start web and worker first: it also checks whether they run.

  npm run doctor
  npm run doctor -- --url https://cards.example.com    tries the address that the card service and Slack know
  npm run --silent doctor -- --json                    for machines: one JSON document, without lines of npm

Reads the variables of both processes; npm run takes them from .env. If only the secrets of web or only the worker's are there,
it checks what they are for, and lists what the doctor of the other process must check. Each line says what was found, or what
to do. It posts one line in every channel and deletes it immediately. Exit code: 0 when there is nothing to do, 1 otherwise, 64 for a
wrong command line.
`;

/** Null when the usage was requested. @throws UsageError */
function readArguments(): { readonly isJson: boolean; readonly url: string | null } | null {
  const values = parseFlags(process.argv.slice(2), {
    json: { type: 'boolean', default: false },
    url: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help === true) return null;
  return { isJson: values.json === true, url: addressFlag(values.url, ['https:', 'http:']) };
}

/** Secrets that only one of the processes needs. */
const ownSecrets = {
  web: ['SLACK_SIGNING_SECRET', 'SLACK_APP_TOKEN', 'WEBHOOK_SHARED_SECRET'],
  worker: ['CARD_API_TOKEN'],
} as const;
type Process = keyof typeof ownSecrets;

/**
 * The process that runs elsewhere, because none of its secrets is here, not even a line to be filled in: in a container,
 * each process has only its own. Null: neither.
 */
function elsewhere(env: Readonly<Record<string, string | undefined>>): Process | null {
  const hasSecret = (name: Process): boolean =>
    ownSecrets[name].some((secret) => env[secret] !== undefined || env[`${secret}_FILE`] !== undefined);
  // Beside secrets of web, the address of the card API does not mean the worker: it may be set for both.
  if (!hasSecret('web')) return hasSecret('worker') || env['CARD_API_URL'] !== undefined ? 'web' : null;
  return hasSecret('worker') ? null : 'worker';
}

/** @param names the processes that lack it. */
function whatToSet(problem: string, names: readonly Process[]): string {
  if (/^\w*POLICY_FILE: .+:\d+: /.test(problem)) return 'correct the file; docs/policy.md explains it';
  const [variable = ''] = problem.split(':');
  const owner = names.find((name) => ownSecrets[name].some((secret) => variable.endsWith(secret)));
  const isLine = process.env[variable]?.trim() === '';
  const otherwise =
    owner !== undefined && isLine
      ? `; where only ${owner === 'web' ? 'worker' : 'web'} runs, remove its line instead`
      : '';
  return `set it for ${names.join(' and ')}${otherwise}; .env.example explains every variable`;
}

/** Reads the variables of both processes. Names each problem once, with the processes that it stops. */
async function checkConfiguration(report: Report, other: ReturnType<typeof elsewhere>) {
  const stopped = new Map<string, Process[]>();
  const store = readStore();
  // Without PROGRAM, the processes serve all programs, and a bad variable of any keeps them from starting.
  const others = (process.env['PROGRAM'] ?? '') === '' ? (store?.programs.slice(1) ?? []) : [];
  const read = <T>(name: Process, config: (env: NodeJS.ProcessEnv) => T): T | null => {
    if (name === other) {
      const where = `run the doctor where ${name} runs, or set them if that is here`;
      report.note(`those of ${name} are not here (${ownSecrets[name].join(', ')}): ${where}`);
      return null;
    }
    const problems: string[] = [];
    const values = orProblems(() => config(process.env), problems);
    for (const { name: program } of others) orProblems(() => config({ ...process.env, PROGRAM: program }), problems);
    for (const problem of new Set(problems)) stopped.set(problem, [...(stopped.get(problem) ?? []), name]);
    if (problems.length === 0) report.ok(`the variables of ${name} are complete`);
    return values;
  };
  const [web, worker] = [read('web', webConfig), read('worker', workerConfig)];
  if (store !== null) {
    useInstallation(store);
    await useProxy(store.proxy);
  }
  for (const [problem, names] of stopped) {
    report.fix(problem, whatToSet(problem, names));
  }
  if (others.length > 0)
    report.note(`this is the first card program: set PROGRAM to check ${others.map(({ name }) => name).join(', ')}`);
  for (const warning of new Set([...(web?.warnings ?? []), ...(worker?.warnings ?? [])])) report.note(warning);
  const either = web ?? worker;
  const policy = either === null ? null : readPolicy(either);
  if (policy !== null && [...permittedTo(policy, 'operator'), ...permittedTo(policy, 'approver')].length === 0)
    report.fix('nobody may act on cards', 'set OPERATORS and APPROVERS, or name people in POLICY_FILE');
  return { web, worker, store, either, policy };
}

/** Redis can be checked even if other variables are missing. */
function readStore(): ReturnType<typeof storeConfig> | null {
  try {
    return storeConfig();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

async function main(asked: { readonly isJson: boolean; readonly url: string | null }): Promise<number> {
  const print = asked.isJson ? () => {} : (text: string) => void process.stdout.write(text);
  const program = readStore()?.program ?? '';
  const report = createReport(print, (text) => wordsOf(program, text));
  report.area('Configuration');
  const other = elsewhere(ofProgram(process.env, []));
  const { web, worker, store, either, policy } = await checkConfiguration(report, other);
  const skip = (needs?: Process): void =>
    report.note(
      needs !== undefined && needs === other
        ? `not checked here: run the doctor where ${other} runs`
        : 'not checked: the configuration above comes first',
    );

  report.area('Redis');
  await (store === null
    ? skip()
    : checkRedis(
        {
          ...store,
          auditArchive: worker?.audit.archive,
          isRoot,
        },
        report,
        TIMEOUT_MS,
      ));
  if (worker !== null) await checkSink(worker.audit.sink, { isRoot }, report);
  report.area('Slack');
  await (either === null || policy === null
    ? skip()
    : checkSlack({ config: either, policy, appToken: web?.slackAppToken, timeoutMs: TIMEOUT_MS }, report));
  report.area('Card service');
  await (worker === null ? skip('worker') : checkCardService(worker, report, TIMEOUT_MS));
  report.area('Web');
  await (web === null ? skip('web') : checkWeb(web, asked.url, report, TIMEOUT_MS));

  const toFix = report.findings.filter(({ level }) => level === 'fix').length;
  if (asked.isJson) process.stdout.write(`${JSON.stringify({ version, toFix, findings: report.findings }, null, 2)}\n`);
  else
    process.stdout.write(
      toFix > 0 ? `\n${toFix} to fix.\n` : `\nNothing has to be done${other === null ? '' : ' here'}.\n`,
    );
  return toFix === 0 ? 0 : 1;
}

try {
  const asked = readArguments();
  if (asked === null) process.stdout.write(usage);
  else process.exitCode = await main(asked);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`doctor: ${error.message}\n\n${usage}`);
  process.exitCode = EXIT_USAGE;
}
