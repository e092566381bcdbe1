import { storeConfig, webConfig, workerConfig } from '../src/app/config.ts';
import { createCardClient } from '../src/card-api/client.ts';
import { AppError, CardApiError, ConfigError, SlackError } from '../src/core/errors.ts';
import { createLog } from '../src/core/log.ts';
import { connectPatient } from '../src/core/redis.ts';
import { createSlack } from '../src/slack/client.ts';
import { scopes } from '../src/slack/scopes.ts';

/**
 * Checks everything that Cardbell needs, from where it is started: each line says what is so, or what to do.
 * Exit code 0 when nothing has to be done, 1 otherwise.
 */

const TIMEOUT_MS = 5000;
const EX_USAGE = 64;
const usage = `Checks everything that Cardbell needs, from where it is started: Redis, Slack, the card service, the webhook side.

  npm run doctor

Reads the variables of both processes; npm run takes them from .env. Each line says what is so, or what to do. Ends with 0
when nothing has to be done, 1 otherwise.
`;

const [flag] = process.argv.slice(2);
if (flag !== undefined) {
  (flag === '--help' ? process.stdout : process.stderr).write(usage);
  process.exit(flag === '--help' ? 0 : EX_USAGE);
}

let opsIssues = 0;

function fine(what: string): void {
  process.stdout.write(`  ok    ${what}\n`);
}
function note(what: string): void {
  process.stdout.write(`  note  ${what}\n`);
}
function opsIssue(what: string, todo: string): void {
  opsIssues += 1;
  process.stdout.write(`  FIX   ${what}\n        → ${todo}\n`);
}
function heading(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

/** What is wrong with a variable, and the processes that lack it: both read most of them. */
const lacking = new Map<string, string[]>();

function readConfig<T>(name: string, read: () => T): T | null {
  try {
    const config = read();
    fine(`the variables of ${name} are complete`);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) lacking.set(problem, [...(lacking.get(problem) ?? []), name]);
    return null;
  }
}

const log = createLog({ level: 'silent', process: 'doctor' });

heading('Configuration');
const web = readConfig('web', webConfig);
const worker = readConfig('worker', workerConfig);
for (const [problem, names] of lacking)
  opsIssue(problem, `set it for ${names.join(' and ')}; .env.example explains every variable`);

heading('Redis');
await checkRedis();

heading('Slack');
const either = web ?? worker;
if (either === null) note('not asked: the configuration above comes first');
else await checkSlack(either);

heading('Card service');
if (worker === null) note('not asked: the configuration above comes first');
else await checkCardApi(worker);

heading('Webhooks');
if (web === null) note('not checked: the configuration above comes first');
else await checkWebhooks(web);

process.stdout.write(opsIssues === 0 ? '\nNothing has to be done.\n' : `\n${opsIssues} to fix.\n`);
process.exit(opsIssues === 0 ? 0 : 1);

async function checkRedis(): Promise<void> {
  let target: ReturnType<typeof storeConfig>['redis'];
  try {
    ({ redis: target } = storeConfig());
  } catch {
    note('not asked: REDIS_URL comes first');
    return;
  }
  const redis = connectPatient({ ...target, log, name: 'doctor' });
  try {
    const version = await within(redis.info('server'));
    fine(`answers, version ${/redis_version:(\S+)/.exec(version)?.[1] ?? 'unknown'}`);
    const setting = async (name: string): Promise<string | null> => {
      const answer = (await within(redis.config('GET', name)).catch(() => null)) as string[] | null;
      return answer?.[1] ?? null;
    };
    const policy = await setting('maxmemory-policy');
    if (policy === null)
      note('its settings cannot be read; they should be maxmemory-policy noeviction and appendonly yes');
    else if (policy === 'noeviction') fine('maxmemory-policy is noeviction');
    else opsIssue(`maxmemory-policy is ${policy}: events can vanish`, 'set maxmemory-policy noeviction');
    const appendOnly = await setting('appendonly');
    if (appendOnly === 'no') opsIssue('appendonly is off: a restart of Redis loses what waits', 'set appendonly yes');
    else if (appendOnly === 'yes') fine(`appendonly is on, appendfsync ${(await setting('appendfsync')) ?? 'unknown'}`);
  } catch {
    opsIssue('does not answer', 'start Redis, or correct REDIS_URL');
  } finally {
    redis.disconnect();
  }
}

async function checkSlack(config: NonNullable<typeof web> | NonNullable<typeof worker>): Promise<void> {
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl });
  try {
    const { team, scopes: granted } = await slack.authTest();
    fine(`the bot token works, workspace ${team}`);
    const missing = Object.keys(scopes).filter((scope) => !granted.includes(scope));
    if (granted.length === 0) note('Slack did not say which scopes the token has');
    else if (missing.length === 0) fine('all scopes are granted');
    else
      opsIssue(
        `scopes are missing: ${missing.join(', ')}`,
        'add them under OAuth & Permissions and install the app again',
      );
  } catch (error) {
    const code = error instanceof SlackError ? error.slackError : 'no answer';
    opsIssue(`the bot token does not work (${code})`, 'copy the bot token again from OAuth & Permissions');
    return;
  }
  for (const channel of new Set(Object.values(config.channels))) {
    if (channel !== null) await checkChannel(slack, channel);
  }
}

async function checkChannel(slack: ReturnType<typeof createSlack>, channel: string): Promise<void> {
  try {
    const { name, isMember, isArchived, isExtShared } = await slack.channelInfo(channel);
    if (isArchived) opsIssue(`#${name} (${channel}) is archived`, 'name another channel');
    else if (!isMember) opsIssue(`Cardbell is not in #${name} (${channel})`, `type /invite @Cardbell in #${name}`);
    else if (isExtShared)
      opsIssue(`#${name} (${channel}) is shared with another company`, 'name a channel of your own');
    else fine(`can post in #${name}`);
  } catch (error) {
    const code = error instanceof SlackError ? error.slackError : 'no answer';
    opsIssue(`channel ${channel} cannot be found (${code})`, 'correct the id, or invite Cardbell if it is private');
  }
}

async function checkCardApi(config: NonNullable<typeof worker>): Promise<void> {
  const card = createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions: config.cardApiAssumptions,
    timezone: config.serviceZone,
    deadlineMs: TIMEOUT_MS,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    await card.ping();
    fine('answers');
  } catch (error) {
    opsIssue(
      `does not answer (${codeOf(error)})`,
      'correct CARD_API_URL: it ends with the version segment, such as /v4',
    );
    return;
  }
  try {
    await card.getCurrentToken();
    fine('the token works');
  } catch (error) {
    if (error instanceof CardApiError && error.status === 404) note('it does not say whose token this is');
    else opsIssue(`the token does not work (${codeOf(error)})`, 'make a new token and set CARD_API_TOKEN');
  }
}

async function checkWebhooks(config: NonNullable<typeof web>): Promise<void> {
  const host = config.host === '0.0.0.0' ? '127.0.0.1' : config.host;
  const base = `${config.tls === null ? 'http' : 'https'}://${host}:${config.port}`;
  try {
    const ready = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (ready.ok) fine(`web is up at ${base}`);
    else opsIssue('web is up, but not ready', `look at ${base}/readyz`);
    const refused = await fetch(`${base}/webhooks/decline`, {
      method: 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (refused.status === 401) fine('a webhook without the shared secret is refused');
    else
      opsIssue(
        `a webhook without the shared secret was answered with ${refused.status}`,
        'this is a fault: please report it',
      );
  } catch {
    note(`web does not run here (${base}); start it and run the doctor again to check its doors`);
  }
  if (config.operators.length === 0 && config.approvers.length === 0) {
    opsIssue('nobody may act on cards', 'set OPERATORS and APPROVERS');
  }
}

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'unexpected';
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
