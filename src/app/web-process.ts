import { answerFailed, answerTooMany, answerUnknown } from '../../handlers/dispatch/answer-unknown.ts';
import { registerListeners } from '../../handlers/index.ts';
import { createChosenPrograms } from '../app-home/chosen-program.ts';
import { answerJson } from '../core/answer-json.ts';
import { watchClock } from '../core/clock.ts';
import { type InstallationScope, installationScope } from '../core/installation.ts';
import { sharedFor } from '../core/join-calls.ts';
import type { Log } from '../core/log.ts';
import { closeQueues, openQueues } from '../core/queues.ts';
import { connectFailFast, whenReady, whyUnusable } from '../core/redis.ts';
import { createRedo } from '../core/redo.ts';
import { span } from '../core/trace.ts';
import { watchDurability } from '../intake/durability.ts';
import { type Heartbeat, startHeartbeat } from '../intake/heartbeat.ts';
import { createIntake } from '../intake/intake.ts';
import { type Backlogs, watchMemory } from '../intake/memory.ts';
import { countEvents, readHealth } from '../ops/health.ts';
import { openPolicy, watchPolicy } from '../policy/policy-source.ts';
import { createPostEphemeral, createRespond, type Respond } from '../slack/answer.ts';
import { createSlackApp } from '../slack/app.ts';
import { createSlack, type Slack } from '../slack/client.ts';
import { createPersonRate } from '../slack/person-rate.ts';
import { respondOf, slackOf, type WhichProgram } from '../slack/several-programs.ts';
import { createHttpServer } from '../webhooks/http-server.ts';
import { createQuarantineStore } from '../webhooks/quarantine.ts';
import { receiveWebhook } from '../webhooks/receive-webhook.ts';
import { composeListeners, composeWebhooks, type WebBase } from './compose-web.ts';
import type { WebConfig } from './config.ts';
import type { Configs } from './programs.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { watchFormat } from './stored-format.ts';
import { watchTlsFiles } from './tls-files.ts';
import { watchData } from './watch-data.ts';

/** Longest wait for Redis before listening: a webhook in the first milliseconds should not get a 503. */
const FIRST_CONNECTION_MS = 1500;
/** Anyone may ask for `/readyz`, and asking Redis is a write, so Redis is asked once in this time. */
const REDIS_ASKED_MS = 1000;

interface OpenProgram extends WebProgram {
  readonly name: string;
  readonly command: string;
  readonly inside: InstallationScope;
}

/**
 * The process that faces the internet: receives webhooks and Slack's requests, and writes redacted events and permitted
 * actions to Redis.
 *
 * @param configs of each card program, the first one first. Shared settings are read from that one.
 */
export async function startWeb(
  configs: Configs<WebConfig>,
  log: Log,
  admin: Admin,
): Promise<RunningProcess & { port: number }> {
  const [config] = configs;
  const { metrics } = admin;
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl, measure: metrics.slackCalled });
  const respond = createRespond();
  const programs: OpenProgram[] = [];
  const backlogs: Backlogs = new Map();
  const showProgram = async (userId: string, name: string): Promise<void> => {
    await chosen?.choose(userId, name);
    await programs.find((program) => program.name === name)?.listeners.renderHome(userId, true);
  };
  for (const its of configs) {
    // A single program's settings apply to the entire process.
    const inside: InstallationScope = configs.length === 1 ? (run) => run() : installationScope(its);
    const own = its.program === '' ? log : log.child({ program: its.program });
    const opened = await inside(() => openWebProgram(its, { slack, respond, showProgram, log: own, admin, backlogs }));
    programs.push({ ...opened, name: its.program, command: its.command, inside });
  }
  // In the first program's keys, whichever program this process serves.
  const shared =
    config.programs.length === 1 ? null : connectFailFast({ ...config.redis, keyPrefix: '', log, name: 'web-home' });
  const chosen = shared === null ? null : createChosenPrograms(shared, config.programs);
  const slackApp = openSlackApp(config, {
    programs,
    slack,
    respond,
    whichProgram: { all: config.programs, chosen: async (userId) => (await chosen?.of(userId)) ?? '' },
    isReady,
    log,
  });
  admin.watch({ problems: async () => (slackApp.takesSlack() ? [] : ['the socket to Slack is not open']) });

  await Promise.all(programs.map((program) => program.connected()));
  const port = await slackApp.start({ host: config.host, port: config.port, tls: config.tls });
  for (const program of programs) program.listens();
  const unwatchTls = config.tls === null ? null : watchTlsFiles(config.tls, { use: slackApp.useTls, log });
  log.info({ host: config.host, port, tls: config.tls !== null }, 'web listens');

  return {
    port,
    async stop() {
      for (const program of programs) program.beforeStop();
      unwatchTls?.();
      await slackApp.stop();
      await Promise.all(programs.map((program) => program.stop()));
      shared?.disconnect();
    },
  };

  async function isReady(): Promise<boolean> {
    const problems = await Promise.all(programs.map((program) => program.problems()));
    return slackApp.takesSlack() && problems.every((of) => of.length === 0);
  }
}

interface SlackParts {
  readonly programs: readonly OpenProgram[];
  readonly slack: Slack;
  readonly respond: Respond;
  readonly whichProgram: WhichProgram;
  readonly isReady: () => Promise<boolean>;
  readonly log: Log;
}

function openSlackApp(config: WebConfig, { programs, slack, respond, whichProgram, isReady, log }: SlackParts) {
  const told = { respond, postEphemeral: createPostEphemeral(slack), log };
  return createSlackApp({
    botToken: config.slackBotToken,
    signingSecret: config.slackSigningSecret,
    appToken: config.slackAppToken,
    apiUrl: config.slackApiUrl,
    log,
    programs: programs.map(({ name, command, inside, listeners }) => ({
      name,
      command,
      inside,
      register: (app) => registerListeners(app, listeners),
    })),
    whichProgram,
    answerFailed: answerFailed(told),
    answerUnknown: answerUnknown(told),
    mayAsk: createPersonRate(),
    answerTooMany: answerTooMany(log),
    routes: (otherwise) =>
      createHttpServer(
        {
          webhook(name, kind, request, response, expectsContinue) {
            const program = programs.find((one) => one.name === name);
            if (program === undefined) {
              answerJson(response, 404, { error: 'unknown card program' });
              return Promise.resolve();
            }
            return program.inside(() =>
              span('webhook', { kind: 'server' }, () =>
                receiveWebhook(kind, request, response, program.webhooks, expectsContinue),
              ),
            );
          },
          isReady,
          log,
        },
        otherwise,
      ),
  });
}

/** The web process's part for one card program. */
type WebProgram = Awaited<ReturnType<typeof openWebProgram>>;

type Shared = Pick<WebBase, 'slack' | 'respond' | 'showProgram' | 'log'> & {
  readonly admin: Admin;
  readonly backlogs: Backlogs;
};

/** Opens a card program's own parts: its keys in Redis, its inbox, its policy. @throws ConfigError */
async function openWebProgram(config: WebConfig, { slack, respond, showProgram, log, admin, backlogs }: Shared) {
  const policy = openPolicy(config, log);
  // The worker notifies the ops channel.
  const stopWatching = watchPolicy(policy, { log });
  let heartbeat: Heartbeat | undefined;
  const { redis, store, queues, memory, redo, intake } = await openIntake(config, { log, backlogs }, () =>
    heartbeat?.lost(),
  );
  const whyNotRedis = sharedFor(REDIS_ASKED_MS, () => whyUnusable(redis));
  const clock = watchClock(redis);
  const quarantined = createQuarantineStore(redis);
  const base: WebBase = {
    config,
    policy,
    redis,
    intake,
    slack: config.programs.length === 1 ? slack : slackOf(config.program, slack),
    respond: respondOf(config.program, respond),
    showProgram,
    metrics: admin.metrics,
    now: clock.now,
    log,
  };
  const read = () => readHealth({ redis, queues, quarantined, memory });
  admin.watch({ problems, health: { program: config.program, read } });
  return {
    webhooks: composeWebhooks(base, () => heartbeat?.missed()),
    listeners: composeListeners(base),
    problems,
    /** Resolves when Redis is connected, or after a short time. */
    connected: () => whenReady(redis, FIRST_CONNECTION_MS),
    /** Called when the port is open. */
    listens(): void {
      heartbeat = startHeartbeat(redis, log, { isTaking: () => !memory.isFull() });
    },
    /** Called before the last requests are answered. */
    beforeStop(): void {
      stopWatching();
      heartbeat?.stop();
      memory.stop();
      clock.stop();
    },
    async stop(): Promise<void> {
      // What this process has accepted and Redis has lost may be nowhere else.
      await redo.settled();
      redo.stop();
      await closeQueues(queues);
      redis.disconnect();
      if (store !== redis) store.disconnect();
    },
  };

  /** What keeps it from accepting webhooks and clicks. Empty when nothing does. */
  async function problems(): Promise<string[]> {
    const why = (await whyNotRedis()) ?? intake.whyNot();
    if (why !== null) return [why];
    if (!redo.isSettled()) return ['repeating writes that redis may have lost'];
    return memory.isFull() ? ['redis is nearly full'] : [];
  }
}

/** The stores for webhooks and clicks. @param onLoss called when Redis may have lost data. */
async function openIntake(config: WebConfig, { log, backlogs }: Pick<Shared, 'log' | 'backlogs'>, onLoss: () => void) {
  const redis = connectFailFast({ ...config.redis, log, name: 'web' });
  const shards = config.redisShards;
  await watchFormat(redis, shards, log);
  watchData(redis, log);
  const diskWait = await watchDurability(redis, { wanted: config.redisDurability, log });
  const mayAskDisk = config.redisDurability === 'disk' && diskWait() !== 'fsync-always';
  // Asking for the disk blocks a connection for up to a second, so use a separate one.
  const store = mayAskDisk ? connectFailFast({ ...config.redis, log, name: 'web-intake' }) : redis;
  // For inspection only: web adds no jobs.
  const queues = openQueues(redis, shards);
  const memory = watchMemory(redis, {
    fullAt: config.redisFullAt,
    shards,
    backlogs,
    inHand: (shard) => countEvents(queues, ['waiting', 'active', 'delayed'], shard),
  });
  // Not on the connection that asks for the disk: its answers come late.
  const redo = createRedo(redis, log, { onLoss, othersMaxMs: 0, storesServers: false });
  const intake = createIntake(store, { shards, diskWait, reserve: memory.reserve, redo });
  return { redis, store, queues, memory, redo, intake };
}
