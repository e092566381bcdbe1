import { opsNotice } from '../../templates/ops/ops-notice.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import { createRecentDeclines } from '../alerts/card-history.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import { withSince } from '../alerts/stopped-since.ts';
import { type ChosenPrograms, createChosenPrograms, publishWhereChosen } from '../app-home/chosen-program.ts';
import { apiQuotaOf } from '../card-api/assumptions.ts';
import { createClock } from '../core/clock.ts';
import { joinCalls } from '../core/join-calls.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { createRedo } from '../core/redo.ts';
import { createSeals } from '../core/seal.ts';
import { createWriteOrder } from '../core/write-order.ts';
import { toCardFacts } from '../directory/account.ts';
import { createDirectory } from '../directory/directory.ts';
import { createCategoryId, createNameRuleset } from '../directory/rule-names.ts';
import { createDirectChannels, NotifyPerson, type NotifyPersonLater } from '../holders/notify-holder.ts';
import { type Backlogs, watchMemory } from '../intake/memory.ts';
import { createFitsMerchant } from '../limits/merchant-fit.ts';
import { createRemedies } from '../limits/remedy.ts';
import { countEvents } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Metrics } from '../ops/metrics.ts';
import { createNotifyOps, createOpsMemory } from '../ops/notify-ops.ts';
import { createTokenWatch, isCardTokenDead, type WatchFor, watchSlack } from '../ops/watch-token.ts';
import { wakingOutbox } from '../outbox/outbox-store.ts';
import { createPostNotice, createPostTracked } from '../outbox/tracked-message.ts';
import type { PolicySource } from '../policy/policy-source.ts';
import { createVisibilityOf } from '../routing/channel-access.ts';
import { createHeldUntil, createQuietLeft } from '../routing/held-until.ts';
import { createSlack, type Slack } from '../slack/client.ts';
import { createSlackClock } from '../slack/clock.ts';
import { createPermalink, type Message } from '../slack/message.ts';
import { slackOf } from '../slack/several-programs.ts';
import { createIsExpiryWarningDue } from '../warnings/warn-of-expiry.ts';
import { watchDirectory } from '../warnings/watch-directory.ts';
import { cardClientOf } from './card-client.ts';
import { composeAudit } from './compose-audit.ts';
import { composeRoles } from './compose-roles.ts';
import type { WorkerConfig } from './config.ts';
import { createEnqueue, rememberJobs } from './enqueue.ts';
import { issueIn, secretOf } from './programs.ts';
import { remembered, rememberWrites } from './remember-writes.ts';
import { createStores, signersOf } from './stores.ts';

/** What all capabilities of the worker are composed over: one Redis with its stores, Slack, the card API, and ops. */
export type WorkerContext = ReturnType<typeof createWorkerContext>;

export function createWorkerContext(...given: Parameters<typeof createBase>) {
  const base = createBase(...given);
  const context = { ...base, ...createServices(base) };
  const whole = { ...context, ...createCards(context), ...composeRoles(context) };
  return { ...whole, audit: composeAudit(whole) };
}

type OfProcess = Readonly<{
  policy: PolicySource;
  log: Log;
  metrics: Metrics;
  /** Shared by the card programs of the process. */
  backlogs?: Backlogs;
  /** False for a command at a terminal: its tokens may not be those of the workers. */
  reportsTokens?: boolean;
}>;

/** A channel gets at most one message per second, so wakes that come together in a burst are merged. */
const WAKE_REST_MS = 20;

function createBase(
  config: WorkerConfig,
  redis: RedisClient,
  queues: Queues,
  { policy, log, metrics, backlogs = new Map(), reportsTokens = true }: OfProcess,
) {
  const redo = createRedo(redis, log);
  const withLock = createLock(redis, { log });
  const order = createWriteOrder(redis, withLock);
  const clock = createClock(redis);
  const seals = createSeals(secretOf(config));
  const { enqueue, jobDone } = rememberJobs(redo, createEnqueue(queues, clock.now));
  const wakeOutbox = joinCalls((channel: string) => enqueue('flush-outbox', { channel }), WAKE_REST_MS);
  const opened = rememberWrites(redo, order, createStores(redis, { ...signersOf(config), withLock, now: clock.now }));
  const stores = { ...opened, outbox: wakingOutbox(opened.outbox, wakeOutbox) };
  const lastingOutbox = { ...stores.outbox, put: remembered(redo, stores.outbox.put) };
  const notifyPerson: NotifyPersonLater = (userId, entry) =>
    enqueue('notify-person', NotifyPerson.parse({ userId, entry }));
  const direct =
    (priority: 'request' | 'record') =>
    (userId: string, id: string, { text, blocks }: Message): Promise<void> =>
      notifyPerson(userId, { kind: 'notice', id, audience: 'holder', message: { text, blocks }, priority });
  return {
    config,
    policy,
    reportsTokens,
    redis,
    queues,
    log,
    metrics,
    redo,
    clock,
    now: clock.now,
    enqueue,
    jobDone,
    memory: watchMemory(redis, {
      fullAt: config.redisFullAt,
      shards: config.redisShards,
      backlogs,
      inHand: (shard) => countEvents(queues, ['waiting', 'active', 'delayed'], shard),
    }),
    ...stores,
    /** For entries that no job puts again, like those of people's actions: it remembers them. */
    lastingOutbox,
    recentDeclines: createRecentDeclines(stores.history, stores.alerts),
    heldUntil: createHeldUntil({ ...stores, now: clock.now }),
    seals,
    sealCard: seals.card.seal,
    withLock,
    wakeOutbox,
    notifyPerson,
    /** Sends someone a direct message. The id makes repeats harmless. */
    notifyDirectly: direct('request'),
    /** The same for what nobody waits for: the person's quiet hours hold it. */
    notifyUnasked: direct('record'),
    /** Remembered: on a cluster, the channel's server may lose it, while another has stored that its job is done. */
    postNotice: createPostNotice({ outbox: lastingOutbox }),
    postTracked: createPostTracked({ ...stores, outbox: lastingOutbox }),
    updateAlert: (id: string): Promise<void> => enqueue('update-messages', { kind: 'alert', id }),
    cardChanged: (acctId: number): Promise<void> => enqueue('refresh-requests', { acctId }),
  };
}

type Base = ReturnType<typeof createBase>;

/** Slack, and reporting problems to ops through it. */
function createServices(base: Base) {
  const { config, redis, queues, postNotice, heldUntil, now, metrics, log, reportsTokens } = base;
  const memory = createOpsMemory(redis);
  const { notifyOps, notifyResolved } = createNotifyOps({
    memory,
    post: (id, message) => postNotice(config.channels.ops, id, message, 'ops'),
    render: (issue, isResolved, at) =>
      opsNotice({ ...issueIn(config.program, issue), level: isResolved ? 'recovered' : 'ops', at }),
    now,
    log,
  });
  const slackClock = createSlackClock();
  const whole = createSlack({
    token: config.slackBotToken,
    apiUrl: config.slackApiUrl,
    measure: metrics.slackCalled,
    clock: slackClock,
  });
  const chosen = createChosenPrograms(queues.connection, config.programs);
  const client = config.programs.length === 1 ? whole : ofProgram(config, whole, chosen);
  const watchFor: WatchFor = reportsTokens
    ? createTokenWatch({ memory, notifyResolved, now })
    : (_issue, client) => client;
  /** Watched: people who use it after its token became invalid are notified, and ops once it works again. */
  const slack = watchSlack(client, watchFor, { channels: config.channels, memory, now, log });
  const conversations = createDirectChannels(redis, slack.openDirect, config.slackBotToken);
  return {
    slack,
    /** Whether App Home shows this card program to a person. */
    isHomeShown: async (userId: string) => (await chosen.of(userId)) === config.program,
    ...conversations,
    quietLeftMs: createQuietLeft({ heldUntil, ...conversations, now }),
    slackClock,
    notifyOps,
    notifyResolved,
    watchFor,
    visibilityOf: createVisibilityOf({ channelInfo: slack.channelInfo, redis }),
    permalink: createPermalink(slack.authTest),
  };
}

/** Slack as one of several card programs sees it. */
function ofProgram({ program, programs }: WorkerConfig, slack: Slack, chosen: ChosenPrograms): Slack {
  const own = slackOf(program, slack);
  return { ...own, publishHome: publishWhereChosen(own.publishHome, program, programs, chosen) };
}

type WithServices = Base & ReturnType<typeof createServices>;

/** The card API, and what is known about its cards. */
function createCards(base: WithServices) {
  const { config, policy, notifyOps, watchFor, metrics, now, log } = base;
  const assumptions = config.cardApiAssumptions;
  let isAway = false;
  const client = cardClientOf(config, {
    now,
    log,
    onAvailability: (isAvailable) => {
      isAway = !isAvailable;
    },
    measure: metrics.cardApiCalled,
  });
  /** Watched: ops are notified when it rejects our token, and when it accepts the token again. */
  const card = watchFor(opsIssue.cardTokenDead, client, {
    isDead: isCardTokenDead,
    first: () => notifyOps(opsIssue.cardTokenDead),
  });
  const directory = openDirectory(base, card);
  const factsOf: FactsOf = async (acctId, which) => toCardFacts(acctId, await directory.account(acctId), which);
  return {
    assumptions,
    card,
    /** Whether the last calls got no answer. */
    isCardApiAway: () => isAway,
    directory,
    factsOf,
    /** Whether some groups of cards have their own rules or approvers. */
    hasCardGroups: () => policy.current().groups.length > 0,
    nameRuleset: createNameRuleset({ card, mayOverrule: assumptions.rulesetMayOverrule, now }),
    /** What would let a declined purchase pass. */
    remedies: createRemedies({
      card,
      fitsMerchant: createFitsMerchant(assumptions.categoryCodes),
      async accountOf(acctId) {
        const account = await directory.account(acctId);
        const mayBeOverruled = assumptions.rulesetMayOverrule && account?.rulesetId != null;
        return { cards: await withSince(account?.cards ?? [], base.history), mayBeOverruled };
      },
      hasFraudCase: async (acctId) => (await base.fraudCases.openOf(acctId)) !== null,
      namedIn: (decline) => declineReason(decline),
      categoryId: createCategoryId({
        card,
        accounts: async () => (await directory.search('', 3)).map(({ acctId }) => acctId),
        log,
      }),
      now,
      log,
    }),
  };
}

export type WithCards = WithServices & ReturnType<typeof createCards>;

/** Data that is read anyway is checked for warnings. */
function openDirectory(base: WithServices, card: Parameters<typeof watchDirectory>[0]) {
  const { config, redis, enqueue, now, log } = base;
  return createDirectory({
    redis,
    now,
    loader: watchDirectory(card, {
      ...base,
      lowBalanceCents: config.lowBalanceCents,
      opsChannel: config.channels.ops,
      isExpiryWarningDue: createIsExpiryWarningDue({ ...base, channel: config.channels.status }),
      warnOfExpiry: (acctId, cardId) => enqueue('warn-of-expiry', { acctId, cardId }),
    }),
    log,
    apiQuota: apiQuotaOf(config.cardApiAssumptions),
  });
}
