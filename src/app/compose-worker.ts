import { createConfirmations } from '../actions/confirmation-store.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createCardHistory } from '../alerts/card-history.ts';
import { createEventLog } from '../alerts/event-log.ts';
import { homeHealthFacts } from '../app-home/health-facts.ts';
import { ownCards } from '../app-home/own-cards.ts';
import { createHome } from '../app-home/render-home.ts';
import { inactiveCards, teamFacts } from '../app-home/team-facts.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import { openQueues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { createClaims } from '../holders/claim-store.ts';
import { createLinks } from '../holders/link-store.ts';
import { createDirectChannel, NotifyPerson, type NotifyPersonLater } from '../holders/notify-holder.ts';
import { createTemporaryChanges } from '../limits/temporary-change-store.ts';
import * as opsIssue from '../ops/issue.ts';
import { createOutbox } from '../outbox/outbox-store.ts';
import { asKept, createPostNotice } from '../outbox/post-notice.ts';
import { createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createConfiguredRoles } from '../policy/configured-roles-store.ts';
import { createCurrentRoles } from '../policy/current-roles.ts';
import { createQuarantineStore } from '../webhooks/quarantine-store.ts';
import { composeActions } from './compose-actions.ts';
import { composeCards } from './compose-cards.ts';
import { composeDelivery } from './compose-delivery.ts';
import { composeDigests } from './compose-digests.ts';
import { composeOps } from './compose-ops.ts';
import { composeOutbox } from './compose-outbox.ts';
import { composeRecovery } from './compose-recovery.ts';
import { composeRouting } from './compose-routing.ts';
import type { WorkerConfig } from './config.ts';
import { createEnqueue, createSchedules } from './enqueue.ts';

export type WorkerParts = ReturnType<typeof composeWorker>;

/** Everything that the worker's consumers use, joined over one Redis. */
export function composeWorker(config: WorkerConfig, redis: RedisClient, log: Log) {
  const { channels } = config;
  const now = (): Date => new Date();
  const queues = openQueues(redis);
  const enqueue = createEnqueue(queues);
  const schedules = createSchedules(queues);
  const wakeOutbox = (channel: string): Promise<void> => enqueue('flush-outbox', { channel });
  const notifyPerson: NotifyPersonLater = (userId, entry) =>
    enqueue('notify-person', NotifyPerson.parse({ userId, entry }));
  const outbox = createOutbox(redis);
  const trackedMessages = createTrackedMessages(redis);
  const alerts = createAlerts(redis);
  const history = createCardHistory(redis);
  const requests = createRequests(redis);
  const temporaryChanges = createTemporaryChanges(redis);
  const links = createLinks(redis);
  const claims = createClaims(redis);
  const confirmations = createConfirmations(redis);
  const eventLog = createEventLog(redis);
  const configuredRoles = createConfiguredRoles(redis);
  const quarantined = createQuarantineStore(redis);
  const withLock = createLock(redis);
  const postNotice = createPostNotice({ outbox, wakeOutbox });

  const ops = composeOps({ config, redis, outbox, wakeOutbox, now, log });
  const { slack, notifyOps, notifyResolved } = ops;
  const cards = composeCards({ config, redis, notifyOps, notifyResolved, log });
  const { card, directory, factsOf } = cards;
  const currentRoles = createCurrentRoles({
    configuredRoles,
    groupMembers: slack.groupMembers,
    isHolder: links.isHolder,
    log,
  });
  const { route, visibilityOf, routing } = composeRouting({
    config,
    redis,
    slack,
    eventLog,
    notifyOps,
    currentRoles,
    now,
    postNotice,
    scheduleMuteEnd: (muteId, atMs) => enqueue('end-mute', { muteId }, { atMs }),
    outbox,
    alerts,
    wakeOutbox,
  });
  const digests = composeDigests({
    redis,
    schedules,
    inactive: () => inactiveCards(directory),
    visibilityOf,
    post: async (channel, id, message, elsewhere) => {
      const words = { message: asKept(message), elsewhere: asKept(elsewhere) };
      await outbox.put(channel, { kind: 'notice', id, ...words });
      await wakeOutbox(channel);
    },
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
    now,
    serviceZone: config.serviceZone,
  });
  const stores = { alerts, history, requests, temporaryChanges, links, claims, confirmations, eventLog, withLock };
  const common = {
    ...stores,
    ...cards,
    config,
    redis,
    enqueue,
    wakeOutbox,
    notifyPerson,
    slack,
    outbox,
    configuredRoles,
    notifyOps,
    now,
    log,
  };
  const { postTracked, updateMessages, flush } = composeOutbox({
    ...common,
    trackedMessages,
    visibilityOf,
    fallbackChannel: channels.fallback,
  });
  const { groupAlert, deliver, remind, enrich } = composeDelivery({
    ...common,
    route,
    countDecline: digests.countDecline,
  });
  const actionDeps = composeActions({
    ...common,
    routing,
    digest: digests.digest,
    postNotice,
    postTracked,
    trackedMessages,
  });
  const home = createHome({
    viewers: createHomeViewers(redis),
    currentRoles,
    ownCards: (userId) => ownCards(userId, { links, card, directory, alerts, history }),
    teamFacts: (userId, isApprover) =>
      teamFacts(userId, isApprover, {
        requests,
        temporaryChanges,
        mutes: routing.mutes,
        now,
        claims,
        directory,
        factsOf,
        alerts,
        history,
        health: () => homeHealthFacts(redis, { queues, quarantined }),
      }),
    publish: slack.publishHome,
    renderHome: (userId) => enqueue('render-home', { userId }),
    renderHomes: (delayMs) => enqueue('render-homes', {}, { delayMs }),
    now,
    log,
  });
  const recovery = composeRecovery({
    redis,
    card,
    directory,
    slack,
    channel: channels.ops,
    postNotice,
    config: { serviceZone: config.serviceZone, laterStepsWithinDays: cards.assumptions.laterStepsWithinDays },
    log,
  });

  return {
    notifyResolved,
    isCardApiAway: cards.isCardApiAway,
    recovery,
    queues,
    enqueue,
    schedules,
    wakeOutbox,
    slack,
    outbox,
    notifyOps,
    card,
    alerts,
    requests,
    temporaryChanges,
    confirmations,
    claims,
    withLock,
    directory,
    factsOf,
    eventLog,
    directChannel: createDirectChannel(redis, slack.openDirect),
    groupAlert,
    remind,
    enrich,
    actionDeps,
    updateMessages,
    flush,
    deliver,
    now,
    quarantined,
    home,
    sendDigest: digests.sendDigest,
    keepDigests: digests.keepDigests,
  };
}
