import { answerUnknown } from '../../handlers/dispatch/answer-unknown.ts';
import { registerListeners } from '../../handlers/index.ts';
import { notPermitted, unavailable } from '../../templates/policy/not-permitted.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createEventLog } from '../alerts/event-log.ts';
import { homeOpened } from '../app-home/opened.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import { contentId } from '../core/content-id.ts';
import { directoryKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { openQueues } from '../core/queues.ts';
import { connectFailFast, isAnswering, whenReady } from '../core/redis.ts';
import { createSeal } from '../core/seal.ts';
import { createDirectory } from '../directory/directory.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { requestAction } from '../dispatch/request-action.ts';
import { verbs } from '../dispatch/verbs.ts';
import { createLinks } from '../holders/link-store.ts';
import { watchDurability } from '../intake/durability.ts';
import { type Heartbeat, startHeartbeat } from '../intake/heartbeat.ts';
import { createIntake } from '../intake/intake.ts';
import { readHealth } from '../ops/health.ts';
import { createBatchMessages } from '../outbox/batch-store.ts';
import { alertMessages, createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createConfiguredRoles } from '../policy/current-roles.ts';
import { createPermissions, policyOf } from '../policy/permissions.ts';
import { createVisibilityOf, visibilityChanged, visibilityVersionKey } from '../routing/channel-visibility-store.ts';
import { createRespond } from '../slack/answer.ts';
import { createSlackApp } from '../slack/app.ts';
import { createSlack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import { createAuthenticate } from '../webhooks/authenticate.ts';
import { createHttpServer } from '../webhooks/http-server.ts';
import { toStoredEvent } from '../webhooks/kind.ts';
import { createQuarantineStore, quarantine } from '../webhooks/quarantine.ts';
import { receiveWebhook } from '../webhooks/receive-webhook.ts';
import type { Admin } from './admin.ts';
import type { WebConfig } from './config.ts';
import type { RunningProcess } from './run-process.ts';

/** Longest wait for Redis before the doors open: a webhook in the first milliseconds should not meet a 503. */
const FIRST_CONNECTION_MS = 1500;

/** The process that faces the internet: webhooks and Slack in, redacted events and permitted actions out to Redis. */
export async function startWeb(config: WebConfig, log: Log, admin: Admin): Promise<RunningProcess & { port: number }> {
  const redis = connectFailFast({ ...config.redis, log, name: 'web' });
  // To be looked at only: web adds no job.
  const queues = openQueues(redis);
  const { metrics } = admin;
  const health = () => readHealth({ redis, queues, countQuarantined: createQuarantineStore(redis).count });
  const watch = await watchDurability(redis, { wanted: config.redisDurability, log });
  const isAskingDisk = watch.diskWait() === 'waitaof';
  // Asking for the disk blocks a connection for up to a second: nobody else should wait behind it.
  const store = isAskingDisk ? connectFailFast({ ...config.redis, log, name: 'web-intake' }) : redis;
  const intake = createIntake(store, { diskWait: watch.diskWait });
  let heartbeat: Heartbeat | undefined;
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl, measure: metrics.slackCalled });
  const permissions = createPermissions({
    operators: config.operators,
    approvers: config.approvers,
    groupMembers: slack.groupMembers,
    isHolder: createLinks(redis).isHolder,
    log,
  });
  const policy = policyOf(verbs, config, config.twoPersonAboveCents);
  const now = (): Date => new Date();
  const webhookDeps = {
    isAuthentic: createAuthenticate(config.webhookSecrets),
    toEvent: (body: unknown, path: string, facts: { version: string | undefined; receivedAt: string }) =>
      toStoredEvent(body, path, { zone: config.serviceZone, ...facts }),
    toQuarantined: quarantine,
    async take(entry: Parameters<typeof intake.take>[0]) {
      try {
        return await intake.take(entry);
      } catch (error) {
        heartbeat?.missed();
        throw error;
      }
    },
    measure: metrics.webhookAnswered,
    now,
    log,
  };

  const respond = createRespond();
  const slackApp = createSlackApp({
    botToken: config.slackBotToken,
    signingSecret: config.slackSigningSecret,
    appToken: config.slackAppToken,
    apiUrl: config.slackApiUrl,
    log,
    apologise,
    answerUnknown: answerUnknown({ respond, postEphemeral, log }),
    routes: (otherwise) =>
      createHttpServer(
        {
          webhook: (path, request, response, expectsContinue) =>
            receiveWebhook(path, request, response, webhookDeps, expectsContinue),
          isReady: async () => (await notReady()).length === 0,
          log,
        },
        otherwise,
      ),
  });
  const pending = createPending(redis);
  registerListeners(slackApp.app, {
    requestAction: (ask, notify) =>
      requestAction(ask, notify, {
        permissions,
        policy,
        take: intake.take,
        refusal: notPermitted,
        unavailable,
        count: metrics.actionAsked,
        now,
        log,
      }),
    permissions,
    requests: createRequests(redis),
    twoPersonAboveCents: config.twoPersonAboveCents,
    alerts: createAlerts(redis),
    alertMessages: alertMessages(createTrackedMessages(redis)),
    eventLog: createEventLog(redis),
    batchMessages: createBatchMessages(redis),
    visibilityOf: createVisibilityOf({
      channelInfo: slack.channelInfo,
      version: () => redis.get(visibilityVersionKey),
    }),
    pending,
    directory: createDirectory({ redis, keyOf: directoryKey, loader: null }),
    visibilityChanged: () => visibilityChanged(redis),
    openView: slack.openView,
    pushView: slack.pushView,
    updateView: slack.updateView,
    postEphemeral,
    homeViewers: createHomeViewers(redis),
    renderHome: async (userId, isOpening) => {
      const { roles } = await permissions.rolesOf(userId);
      await intake.take({ type: 'home', opened: homeOpened(userId, roles, isOpening, Date.now()) });
    },
    respond,
    seal: createSeal(config.slackBotToken),
    log,
  });

  admin.watch({ problems: notReady, health });
  await whenReady(redis, FIRST_CONNECTION_MS);
  void keepNames();
  const port = await slackApp.start({ host: config.host, port: config.port, tls: config.tls });
  heartbeat = startHeartbeat(redis, log);
  log.info({ host: config.host, port, tls: config.tls !== null }, 'web listens');

  return {
    port,
    async stop() {
      heartbeat.stop();
      await slackApp.stop();
      redis.disconnect();
      if (store !== redis) store.disconnect();
    },
  };

  /** A press in App Home has no channel: the answer is a direct message. */
  async function postEphemeral(channel: string, userId: string, message: Message): Promise<void> {
    if (channel !== userId) return await slack.postEphemeral(channel, userId, message);
    await slack.post(await slack.openDirect(userId), message, contentId('m_', [userId, Date.now()]));
  }

  /** A button or command that failed after it was acknowledged: the person must not wait for an answer. */
  async function apologise(body: Record<string, unknown>): Promise<void> {
    if (typeof body['response_url'] !== 'string') return;
    await respond(body['response_url'], unavailable()).catch((error: unknown) => {
      log.error({ err: error }, 'answer could not be delivered');
    });
  }

  /** For mentions by the worker, which is not told who may what. Without Redis it waits for the next start. */
  async function keepNames(): Promise<void> {
    const { operators, approvers } = config;
    await createConfiguredRoles(redis)
      .keep({ operators, approvers })
      .catch((error: unknown) => log.warn({ err: error }, 'who may what could not be kept for mentions'));
  }

  async function notReady(): Promise<string[]> {
    if (redis.status !== 'ready') return ['redis is not connected'];
    if (!(await isAnswering(redis)) || intake.isSilent()) return ['redis does not answer'];
    if (watch.diskWait() === null) return ['redis cannot wait for its disk'];
    return slackApp.takesSlack() ? [] : ['the socket to Slack is not open'];
  }
}
