import { renderAlert } from '../../templates/alerts/alert.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { lease as renderLease } from '../../templates/limits/temporary-change.ts';
import { createConfirmations } from '../actions/confirmation-store.ts';
import type { Alert } from '../alerts/alert.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createCardHistory } from '../alerts/card-history.ts';
import { createTrail } from '../alerts/event-log.ts';
import { homeHealthFacts } from '../app-home/health-facts.ts';
import { ownCards } from '../app-home/own-cards.ts';
import { createHome } from '../app-home/render-home.ts';
import { inactiveCards, teamFacts } from '../app-home/team-facts.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { createClaims } from '../holders/claim-store.ts';
import { createDirectChannel } from '../holders/direct-channel-store.ts';
import { createLinks } from '../holders/link-store.ts';
import { createLeases, type Lease } from '../limits/temporary-change-store.ts';
import * as trouble from '../ops/issue.ts';
import { createOutbox } from '../outbox/outbox-store.ts';
import { asKept, createPostNotice } from '../outbox/post-notice.ts';
import { createWhosWho } from '../policy/configured-roles-store.ts';
import { createRolesNow } from '../policy/current-roles.ts';
import { createRecovery } from '../recovery/compose.ts';
import type { Message } from '../slack/message.ts';
import { createQuarantineStore } from '../webhooks/quarantine-store.ts';
import { createPerformParts } from './compose-actions.ts';
import { createCardParts } from './compose-cards.ts';
import { createDeliveryParts } from './compose-delivery.ts';
import { createDigestParts } from './compose-digests.ts';
import { createOpsParts } from './compose-ops.ts';
import { createPostingParts } from './compose-outbox.ts';
import { createRoutingParts } from './compose-routing.ts';
import type { WorkerConfig } from './config.ts';
import { createQueues } from './queues.ts';

export type WorkerParts = ReturnType<typeof createWorkerParts>;

/** Everything that the worker's consumers use, joined over one Redis. */
export function createWorkerParts(config: WorkerConfig, redis: RedisClient, log: Log) {
  const { channels } = config;
  const now = (): Date => new Date();
  const queues = createQueues(redis);
  const outbox = createOutbox(redis);
  const alerts = createAlerts(redis);
  const history = createCardHistory(redis);
  const requests = createRequests(redis);
  const leases = createLeases(redis);
  const links = createLinks(redis);
  const claims = createClaims(redis);
  const confirmations = createConfirmations(redis);
  const trail = createTrail(redis);
  const whosWho = createWhosWho(redis);
  const quarantined = createQuarantineStore(redis);
  const withLock = createLock(redis);
  const postNotice = createPostNotice({ outbox, wakeOutbox: queues.flushOutbox });

  const ops = createOpsParts({ config, redis, outbox, wakeOutbox: queues.flushOutbox, now, log });
  const { slack, tellOps, tellOver } = ops;
  const cards = createCardParts({ config, redis, tellOps, tellOver, log });
  const { card, directory, factsOf } = cards;
  const rolesNow = createRolesNow({ whosWho, groupMembers: slack.groupMembers, isHolder: links.isHolder, log });
  const { route, placeOf, routing } = createRoutingParts({
    config,
    redis,
    slack,
    trail,
    tellOps,
    rolesNow,
    now,
    postNotice,
    scheduleMuteEnd: queues.endMute,
    outbox,
    alerts,
    wakeOutbox: queues.flushOutbox,
  });
  const digestParts = createDigestParts({
    redis,
    queues,
    inactive: () => inactiveCards(directory),
    placeOf,
    post: async (channel, id, message, elsewhere) => {
      const words = { message: asKept(message), elsewhere: asKept(elsewhere) };
      await outbox.put(channel, { kind: 'notice', id, ...words, requestId: null });
      await queues.flushOutbox(channel);
    },
    tellShared: (channel) => tellOps(trouble.channelShared(channel)),
    now,
    serviceZone: config.serviceZone,
  });
  const renderFor = async (
    alert: Alert,
    { channel, audience }: { channel: string; audience: 'team' | 'holder' },
  ): Promise<Message | null> => {
    const view = { place: await placeOf(channel), channel };
    return audience === 'holder' ? renderHolderAlert(alert, view) : renderAlert(alert, view);
  };
  const leaseMessage = async (one: Lease): Promise<Message> => renderLease(one, await factsOf(one.acctId));

  const stores = { alerts, history, requests, leases, links, claims, confirmations, trail, withLock };
  const common = { ...stores, ...cards, config, redis, queues, slack, outbox, whosWho, tellOps, now, log };
  const { poster, joined, joinedMessages } = createPostingParts({
    ...common,
    placeOf,
    renderFor,
    fallbackChannel: channels.fallback,
  });
  const { placeAlert, deliver, remind, enrich } = createDeliveryParts({
    ...common,
    route,
    countDecline: digestParts.countDecline,
  });
  const performDeps = createPerformParts({
    ...common,
    routing,
    digest: digestParts.digest,
    postNotice,
    leaseMessage,
  });
  const home = createHome({
    viewers: createHomeViewers(redis),
    rolesNow,
    ownCards: (userId) => ownCards(userId, { links, card, directory, alerts, history }),
    teamFacts: (userId, isApprover) =>
      teamFacts(userId, isApprover, {
        requests,
        leases,
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
    drawHome: queues.drawHome,
    drawHomes: queues.drawHomes,
    now,
    log,
  });
  const recovery = createRecovery({
    redis,
    card,
    directory,
    slack,
    channel: channels.ops,
    postNotice,
    zone: config.serviceZone,
    log,
  });

  return {
    tellOver,
    isCardApiAway: cards.isCardApiAway,
    recovery,
    queues,
    slack,
    outbox,
    tellOps,
    card,
    alerts,
    requests,
    leases,
    confirmations,
    claims,
    withLock,
    directory,
    factsOf,
    trail,
    directChannel: createDirectChannel(redis, slack.openDirect),
    renderFor,
    placeAlert,
    remind,
    enrich,
    performDeps,
    poster,
    leaseMessage,
    joined,
    joinedMessages,
    deliver,
    now,
    quarantined,
    home,
    sendDigest: digestParts.sendDigest,
    keepDigests: digestParts.keepDigests,
  };
}
