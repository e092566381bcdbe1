import { renderAlert } from '../templates/alert.ts';
import { renderHolderAlert } from '../templates/holder-alert.ts';
import { lease as renderLease } from '../templates/lease.ts';
import type { Alert } from './alert/alert.ts';
import { createCardParts } from './card-parts.ts';
import type { WorkerConfig } from './config.ts';
import { createDeliveryParts } from './delivery-parts.ts';
import { createDigestParts } from './digest-parts.ts';
import { createHome } from './draw-home.ts';
import { ownCards } from './home/own-cards.ts';
import { inactiveCards, teamFacts } from './home/team-facts.ts';
import { homeHealthFacts } from './home-health-facts.ts';
import type { Log } from './log.ts';
import { createOpsParts } from './ops-parts.ts';
import { createPerformParts } from './perform-parts.ts';
import { asKept, createPostNotice } from './post-notice.ts';
import { createPostingParts } from './posting-parts.ts';
import type { RedisClient } from './queue/connection.ts';
import { createQueues } from './queue/queues.ts';
import { createRecovery } from './recovery-parts.ts';
import { createRolesNow } from './roles-now.ts';
import { createRoutingParts } from './routing-parts.ts';
import type { Message } from './slack/message.ts';
import { createAlerts } from './store/alerts.ts';
import { createCardHistory } from './store/card-history.ts';
import { createClaims } from './store/claims.ts';
import { createConfirmations } from './store/confirmations.ts';
import { createDirectChannel } from './store/direct-channels.ts';
import { createHomeViewers } from './store/home-viewers.ts';
import { createLeases, type Lease } from './store/leases.ts';
import { createLinks } from './store/links.ts';
import { createLock } from './store/lock.ts';
import { createOutbox } from './store/outbox.ts';
import { createQuarantineStore } from './store/quarantine.ts';
import { createRequests } from './store/requests.ts';
import { createTrail } from './store/trail.ts';
import { createWhosWho } from './store/whos-who.ts';
import * as trouble from './trouble.ts';

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
