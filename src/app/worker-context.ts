import { opsNotice } from '../../templates/ops/ops-notice.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import { createBlocks } from '../actions/block-store.ts';
import { createLooks } from '../actions/look-store.ts';
import { createLatestChanges, createProgress } from '../actions/progress-store.ts';
import { createRefusalCounts } from '../actions/refusal-count.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createCardHistory } from '../alerts/card-history.ts';
import { createEventLog } from '../alerts/event-log.ts';
import { createFraudCases } from '../alerts/fraud-case-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import { apiQuotaOf } from '../card-api/assumptions.ts';
import { createCardClient } from '../card-api/client.ts';
import { createClock } from '../core/clock.ts';
import { directoryKey } from '../core/keys.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { createRedo } from '../core/redo.ts';
import { createSeals } from '../core/seal.ts';
import { createWriteOrder } from '../core/write-order.ts';
import { createDigests } from '../digests/schedule-store.ts';
import { toCardFacts } from '../directory/account.ts';
import { createDirectory } from '../directory/directory.ts';
import { createNameRuleset } from '../directory/rule-names.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { createClaims } from '../holders/claim-store.ts';
import { createLinks } from '../holders/link-store.ts';
import { createDirectChannel, NotifyPerson, type NotifyPersonLater } from '../holders/notify-holder.ts';
import { createPreferences } from '../holders/preference-store.ts';
import { watchMemory } from '../intake/memory.ts';
import { createRecentRaises } from '../limits/recent-raise-store.ts';
import { createTemporaryChanges } from '../limits/temporary-change-store.ts';
import { countAlertJobs } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Metrics } from '../ops/metrics.ts';
import {
  causeKey,
  createNotifyOps,
  createOpsMemory,
  isCardTokenDead,
  isSlackTokenDead,
  watchToken,
} from '../ops/notify-ops.ts';
import { createOutbox } from '../outbox/outbox-store.ts';
import { createPostNotice, createPostTracked, forOutbox } from '../outbox/tracked-message.ts';
import { createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createDecisions } from '../policy/decision-store.ts';
import { createDelegations } from '../policy/delegation-store.ts';
import type { PolicySource } from '../policy/policy-source.ts';
import { createVisibilityOf, visibilityVersionKey } from '../routing/channel-access.ts';
import { createLongAlerts, createQuietHours, createSubscriptions } from '../routing/channel-rules-store.ts';
import { createMutes } from '../routing/mute-store.ts';
import { createSlack } from '../slack/client.ts';
import { createSlackClock } from '../slack/clock.ts';
import { createPermalink, type Message } from '../slack/message.ts';
import { createVirtualOrders } from '../virtual-cards/order.ts';
import { createWarned } from '../warnings/warned-store.ts';
import { watchDirectory } from '../warnings/watch-directory.ts';
import { createQuarantineStore, redactText } from '../webhooks/quarantine.ts';
import { composeAudit } from './compose-audit.ts';
import { composeRemedies } from './compose-remedies.ts';
import { composeRoles } from './compose-roles.ts';
import type { WorkerConfig } from './config.ts';
import { createEnqueue } from './enqueue.ts';
import { rememberJobs, rememberWrites } from './remember-writes.ts';

/** What every capability of the worker is composed over: one Redis with its stores, Slack, the card API, and ops. */
export type WorkerContext = ReturnType<typeof createWorkerContext>;

export function createWorkerContext(...given: Parameters<typeof createBase>) {
  const base = createBase(...given);
  const context = { ...base, ...createServices(base) };
  const whole = { ...context, ...createCards(context), ...composeRoles(context) };
  return { ...whole, audit: composeAudit(whole) };
}

type OfProcess = Readonly<{ policy: PolicySource; log: Log; metrics: Metrics }>;

function createBase(config: WorkerConfig, redis: RedisClient, queues: Queues, { policy, log, metrics }: OfProcess) {
  const redo = createRedo(redis, log);
  const withLock = createLock(redis, { log });
  const stores = rememberWrites(redo, createWriteOrder(redis, withLock), createStores(redis, config));
  const clock = createClock(redis);
  const { enqueue, jobDone } = rememberJobs(redo, createEnqueue(queues, clock.now));
  const wakeOutbox = (channel: string): Promise<void> => enqueue('flush-outbox', { channel });
  const notifyPerson: NotifyPersonLater = (userId, entry) =>
    enqueue('notify-person', NotifyPerson.parse({ userId, entry }));
  return {
    config,
    policy,
    redis,
    queues,
    log,
    metrics,
    redo,
    clock,
    now: clock.now,
    enqueue,
    jobDone,
    memory: watchMemory(redis, { fullAt: config.redisFullAt, inHand: () => countAlertJobs(queues) }),
    ...stores,
    withLock,
    wakeOutbox,
    notifyPerson,
    /** Writes to a person, in a direct message; the id makes repeating it nothing. */
    notifyDirectly: (userId: string, id: string, { text, blocks }: Message) =>
      notifyPerson(userId, { kind: 'notice', id, audience: 'holder', message: { text, blocks }, priority: 'request' }),
    postNotice: createPostNotice({ outbox: stores.outbox, wakeOutbox }),
    postTracked: createPostTracked({ ...stores, wakeOutbox }),
    updateAlert: (id: string): Promise<void> => enqueue('update-messages', { kind: 'alert', id }),
  };
}

/** The stores that several capabilities share. What one uses alone, it opens itself. */
function createStores(redis: RedisClient, { slackBotToken }: Pick<WorkerConfig, 'slackBotToken'>) {
  return {
    outbox: createOutbox(redis),
    trackedMessages: createTrackedMessages(redis),
    alerts: createAlerts(redis),
    history: createCardHistory(redis),
    requests: createRequests(redis),
    temporaryChanges: createTemporaryChanges(redis),
    links: createLinks(redis),
    claims: createClaims(redis),
    latestChanges: createLatestChanges(redis),
    progress: createProgress(redis),
    refusalCounts: createRefusalCounts(redis),
    looks: createLooks(redis),
    blocks: createBlocks(redis),
    recentRaises: createRecentRaises(redis),
    decisions: createDecisions(redis),
    virtualOrders: createVirtualOrders(redis),
    pending: createPending(redis),
    eventLog: createEventLog(redis),
    quarantined: createQuarantineStore(redis),
    subscriptions: createSubscriptions(redis),
    quietHours: createQuietHours(redis),
    longAlerts: createLongAlerts(redis),
    preferences: createPreferences(redis),
    delegations: createDelegations(redis, createSeals(slackBotToken).delegation),
    fraudCases: createFraudCases(redis),
    mutes: createMutes(redis),
    digests: createDigests(redis),
  };
}

type Base = ReturnType<typeof createBase>;

/** Slack, and what tells ops of trouble through it. */
function createServices({ config, redis, outbox, wakeOutbox, now, metrics, log }: Base) {
  const memory = createOpsMemory(redis);
  const { notifyOps, notifyResolved } = createNotifyOps({
    memory,
    async post(id, message) {
      await outbox.put(config.channels.ops, { kind: 'notice', id, message: forOutbox(message), priority: 'ops' });
      await wakeOutbox(config.channels.ops);
    },
    render: ({ title, what, means, todo, ref }, isResolved, at) =>
      opsNotice({ level: isResolved ? 'recovered' : 'ops', title, what, means, todo, at, ref: ref ?? null }),
    now,
    log,
  });
  const slackClock = createSlackClock();
  const client = createSlack({
    token: config.slackBotToken,
    apiUrl: config.slackApiUrl,
    measure: metrics.slackCalled,
    clock: slackClock,
  });
  /** Watched: who uses it after its token died is told, and ops once it lives again. */
  const slack = watchToken(client, {
    isDead: isSlackTokenDead,
    dead: async () => {
      const cause = causeKey(opsIssue.slackTokenDead());
      if (!(await memory.isKnown(cause))) log.fatal({ todo: 'set SLACK_BOT_TOKEN' }, 'Slack refuses the bot token');
      await memory.remember(cause);
    },
    alive: () => notifyResolved(opsIssue.slackTokenDead(), opsIssue.slackTokenDead()),
  });
  const visibilityOf = createVisibilityOf({
    channelInfo: slack.channelInfo,
    version: () => redis.get(visibilityVersionKey),
  });
  const directChannel = createDirectChannel(redis, slack.openDirect);
  return {
    slack,
    directChannel,
    slackClock,
    notifyOps,
    notifyResolved,
    visibilityOf,
    permalink: createPermalink(slack.authTest),
  };
}

/** The card API, and what is known of its cards. */
function createCards(base: Base & ReturnType<typeof createServices>) {
  const { config, redis, notifyOps, notifyResolved, metrics, log } = base;
  const assumptions = config.cardApiAssumptions;
  let isAway = false;
  const client = createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions,
    timezone: config.serviceZone,
    // A gateway may quote what it was asked with.
    clean: (text) => redactText(text.replaceAll(config.cardApiToken, '[removed]')),
    log,
    onAvailability: (isAvailable) => {
      isAway = !isAvailable;
    },
    measure: metrics.cardApiCalled,
  });
  /** Watched: ops are told when it takes our token no more, and when it does again. */
  const card = watchToken(client, {
    isDead: isCardTokenDead,
    dead: () => notifyOps(opsIssue.cardTokenDead()),
    alive: () => notifyResolved(opsIssue.cardTokenDead(), opsIssue.cardTokenAlive),
  });
  const directory = openDirectory(base, card);
  const factsOf: FactsOf = async (acctId, which) => toCardFacts(acctId, await directory.account(acctId), which);
  return {
    assumptions,
    card,
    /** Whether the last calls found nobody there. */
    isCardApiAway: () => isAway,
    directory,
    factsOf,
    nameRuleset: createNameRuleset({ card, mayOverrule: assumptions.rulesetMayOverrule, now: Date.now }),
    remedies: composeRemedies({ card, directory, redis, log }),
  };
}

/** What is read for it anyway is looked at for warnings. */
function openDirectory(base: Base & ReturnType<typeof createServices>, card: Parameters<typeof watchDirectory>[0]) {
  const { config, redis, enqueue, log } = base;
  return createDirectory({
    redis,
    keyOf: directoryKey,
    loader: watchDirectory(card, {
      ...base,
      warned: createWarned(redis),
      lowBalanceCents: config.lowBalanceCents,
      opsChannel: config.channels.ops,
      warnOfExpiry: (acctId) => enqueue('warn-of-expiry', { acctId }),
    }),
    log,
    apiQuota: apiQuotaOf(config.cardApiAssumptions),
  });
}
