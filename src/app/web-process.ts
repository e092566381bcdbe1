import { answerTooMany, answerUnknown } from '../../handlers/dispatch/answer-unknown.ts';
import { registerListeners } from '../../handlers/index.ts';
import { unavailable } from '../../templates/policy/not-permitted.ts';
import { watchClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { openQueues } from '../core/queues.ts';
import { connectFailFast, isAnswering, whenReady } from '../core/redis.ts';
import { createRedo } from '../core/redo.ts';
import { span } from '../core/trace.ts';
import { watchDurability } from '../intake/durability.ts';
import { type Heartbeat, startHeartbeat } from '../intake/heartbeat.ts';
import { createIntake } from '../intake/intake.ts';
import { watchMemory } from '../intake/memory.ts';
import { countEvents, readHealth } from '../ops/health.ts';
import { openPolicy, watchPolicy } from '../policy/policy-source.ts';
import { createRespond } from '../slack/answer.ts';
import { createSlackApp } from '../slack/app.ts';
import { createSlack } from '../slack/client.ts';
import { createPersonRate } from '../slack/person-rate.ts';
import { createHttpServer } from '../webhooks/http-server.ts';
import { createQuarantineStore } from '../webhooks/quarantine.ts';
import { receiveWebhook } from '../webhooks/receive-webhook.ts';
import { composeListeners, composeWebhooks, createPostEphemeral, type WebBase } from './compose-web.ts';
import type { WebConfig } from './config.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { watchFormat } from './stored-format.ts';
import { watchTlsFiles } from './tls-files.ts';

/** Longest wait for Redis before listening: a webhook in the first milliseconds should not get a 503. */
const FIRST_CONNECTION_MS = 1500;

/** The process that faces the internet: webhooks and Slack in, redacted events and permitted actions out to Redis. */
export async function startWeb(config: WebConfig, log: Log, admin: Admin): Promise<RunningProcess & { port: number }> {
  const { metrics } = admin;
  const policy = openPolicy(config, log);
  // The worker tells the ops channel.
  const stopWatching = watchPolicy(policy, { onInvalid: async () => {}, onValid: async () => {}, log });
  const redis = connectFailFast({ ...config.redis, log, name: 'web' });
  let heartbeat: Heartbeat | undefined;
  const shards = config.redisShards;
  await watchFormat(redis, shards, log);
  const watch = await watchDurability(redis, { wanted: config.redisDurability, log });
  const isAskingDisk = watch.diskWait() === 'waitaof';
  // Asking for the disk blocks a connection for up to a second: nobody else should wait behind it.
  const store = isAskingDisk ? connectFailFast({ ...config.redis, log, name: 'web-intake' }) : redis;
  // To be looked at only: web adds no job.
  const queues = openQueues(redis, shards);
  const memory = watchMemory(redis, {
    fullAt: config.redisFullAt,
    shards,
    inHand: (shard) => countEvents(queues, ['waiting', 'active', 'delayed'], shard),
  });
  const redo = createRedo(store, log, { onLoss: () => heartbeat?.lost(), othersMaxMs: 0 });
  const intake = createIntake(store, { shards, diskWait: watch.diskWait, reserve: memory.reserve, redo });
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl, measure: metrics.slackCalled });
  const clock = watchClock(redis);
  const { now } = clock;
  const base: WebBase = { config, policy, redis, intake, slack, respond: createRespond(), metrics, now, log };
  const webhooks = composeWebhooks(base, () => heartbeat?.missed());
  const slackApp = openSlackApp(base, webhooks, async () => (await notReady()).length === 0);
  registerListeners(slackApp.app, composeListeners(base));

  const { count: countQuarantined } = createQuarantineStore(redis);
  admin.watch({ problems: notReady, health: () => readHealth({ redis, queues, countQuarantined, memory }) });
  await whenReady(redis, FIRST_CONNECTION_MS);
  const port = await slackApp.start({ host: config.host, port: config.port, tls: config.tls });
  heartbeat = startHeartbeat(redis, log, { isTaking: () => !memory.isFull() });
  const unwatchTls = config.tls === null ? null : watchTlsFiles(config.tls, { use: slackApp.useTls, log });
  log.info({ host: config.host, port, tls: config.tls !== null }, 'web listens');

  return {
    port,
    async stop() {
      stopWatching();
      heartbeat.stop();
      memory.stop();
      unwatchTls?.();
      redo.stop();
      clock.stop();
      await slackApp.stop();
      redis.disconnect();
      if (store !== redis) store.disconnect();
    },
  };

  async function notReady(): Promise<string[]> {
    if (redis.status !== 'ready') return ['redis is not connected'];
    if (!(await isAnswering(redis)) || intake.isSilent()) return ['redis does not answer'];
    if (watch.diskWait() === null) return ['redis cannot wait for its disk'];
    if (!redo.isSettled()) return ['what redis may have lost is written again'];
    if (memory.isFull()) return ['redis is nearly full'];
    return slackApp.takesSlack() ? [] : ['the socket to Slack is not open'];
  }
}

function openSlackApp(
  { config, respond, slack, log }: WebBase,
  webhooks: ReturnType<typeof composeWebhooks>,
  isReady: () => Promise<boolean>,
) {
  return createSlackApp({
    botToken: config.slackBotToken,
    signingSecret: config.slackSigningSecret,
    appToken: config.slackAppToken,
    apiUrl: config.slackApiUrl,
    log,
    // A button or command that failed after it was acknowledged: the person must not wait for an answer.
    async apologise(body) {
      if (typeof body['response_url'] !== 'string') return;
      await respond(body['response_url'], unavailable()).catch((error: unknown) => {
        log.error({ err: error }, 'answer could not be delivered');
      });
    },
    answerUnknown: answerUnknown({ respond, postEphemeral: createPostEphemeral(slack), log }),
    mayAsk: createPersonRate(),
    answerTooMany: answerTooMany(log),
    routes: (otherwise) =>
      createHttpServer(
        {
          webhook: (path, request, response, expectsContinue) =>
            span('webhook', { kind: 'server' }, () =>
              receiveWebhook(path, request, response, webhooks, expectsContinue),
            ),
          isReady,
          log,
        },
        otherwise,
      ),
  });
}
