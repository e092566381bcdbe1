import { renderAlert } from '../templates/alert.ts';
import { withAnchor } from '../templates/audit-line.ts';
import { renderHolderAlert } from '../templates/holder-alert.ts';
import { lease as renderLease } from '../templates/lease.ts';
import { opsNotice } from '../templates/ops-notice.ts';
import { remedyForm } from '../templates/remedy-form.ts';
import type { Alert, CardFacts } from './alert/alert.ts';
import type { StoredEvent } from './alert/event.ts';
import { whichCard } from './alert/which-card.ts';
import { announce } from './announce.ts';
import { createAttachRows } from './attach-rows.ts';
import { parseAssumptions, politenessOf } from './card/assumptions.ts';
import { changeRule } from './card/change-rule.ts';
import { createCardClient } from './card/client.ts';
import { momentOf } from './card/moment.ts';
import { redactText } from './card/redact-text.ts';
import { serviceDays } from './card/time.ts';
import { createCategoryId } from './category-id.ts';
import { claimMessage } from './claim-message.ts';
import type { WorkerConfig } from './config.ts';
import { type Coming, deliverAlert } from './deliver-alert.ts';
import { createDigestParts } from './digest-parts.ts';
import { createDrawEntries } from './draw-entries.ts';
import { createHome } from './draw-home.ts';
import { createDrawJoined } from './draw-joined.ts';
import { ENRICH_AFTER_MS, enrichAlert } from './enrich-alert.ts';
import { SlackError } from './errors.ts';
import { ownCards } from './home/own-cards.ts';
import { inactiveCards, teamFacts } from './home/team-facts.ts';
import { homeHealthFacts } from './home-health-facts.ts';
import { directoryKey } from './keys.ts';
import type { Log } from './log.ts';
import { createPoster } from './outbox-poster.ts';
import type { PerformDeps } from './perform/deps.ts';
import { createPlaceAlert } from './place-alert.ts';
import { createCardNews } from './place-card-news.ts';
import { createPlaceNotice } from './place-notice.ts';
import type { RedisClient } from './queue/connection.ts';
import { createQueues } from './queue/queues.ts';
import { createRecovery } from './recovery-parts.ts';
import { createRemedies } from './remedy.ts';
import { withinPace } from './remedy-pace.ts';
import { remindOfActivation } from './remind-of-activation.ts';
import { requestMessage } from './request-message.ts';
import { createRolesNow } from './roles-now.ts';
import { createRoutingParts } from './routing-parts.ts';
import { createAnswer } from './slack/answer.ts';
import { createSlack } from './slack/client.ts';
import type { Message } from './slack/message.ts';
import { createPermalink } from './slack/permalink.ts';
import { createRespond } from './slack/respond.ts';
import { createSeal } from './slack/seal.ts';
import { createAlerts } from './store/alerts.ts';
import { createAudit } from './store/audit.ts';
import { createBlocks } from './store/blocks.ts';
import { createCardHistory } from './store/card-history.ts';
import { createCardOrders } from './store/card-orders.ts';
import { createCardTesting } from './store/card-testing.ts';
import { createCategories } from './store/categories.ts';
import { createClaims } from './store/claims.ts';
import { createConfirmations } from './store/confirmations.ts';
import { createDirectChannel } from './store/direct-channels.ts';
import { createDirectory } from './store/directory.ts';
import { toCardFacts } from './store/directory-account.ts';
import { createEpisodes } from './store/episodes.ts';
import { createHomeViewers } from './store/home-viewers.ts';
import { createJoinedMessages } from './store/joined.ts';
import { createJournal } from './store/journal.ts';
import { createLeases, type Lease } from './store/leases.ts';
import { createLinks } from './store/links.ts';
import { createLock } from './store/lock.ts';
import { createOpsMemory } from './store/ops.ts';
import { createOutbox } from './store/outbox.ts';
import { createPending } from './store/pending.ts';
import { createPurchases } from './store/purchases.ts';
import { createQuarantineStore } from './store/quarantine.ts';
import { createRaises } from './store/raises.ts';
import { createRequests } from './store/requests.ts';
import { createSlackLacks } from './store/slack-lacks.ts';
import { createThreads } from './store/threads.ts';
import { createTrail } from './store/trail.ts';
import { createVirtualOrders } from './store/virtual-orders.ts';
import { createWhosWho } from './store/whos-who.ts';
import { createTellHolder } from './tell-holder.ts';
import { causeKey, createTellOps, createTellOver, type Trouble } from './tell-ops.ts';
import * as trouble from './trouble.ts';
import { isCardTokenDead, isSlackTokenDead, watchToken } from './watch-token.ts';

/** Of the 32 alerts that a worker has in hand, so many may wait for the card API. */
const ADVICE_AT_ONCE = 8;

/** Everything that the worker's consumers use, joined over one Redis. */
export function createWorkerParts(config: WorkerConfig, redis: RedisClient, log: Log) {
  const { channels } = config;
  const queues = createQueues(redis);
  const now = (): Date => new Date();
  const outbox = createOutbox(redis);
  const memory = createOpsMemory(redis);
  const opsDeps = (level: 'trouble' | 'recovered') => ({
    memory,
    outbox,
    channel: channels.ops,
    wakeOutbox: queues.flushOutbox,
    render: ({ title, what, means, todo, ref }: Trouble, at: string) =>
      opsNotice({ level, title, what, means, todo, at, ref: ref ?? null }),
    now,
    log,
  });
  const tellOps = createTellOps(opsDeps('trouble'));
  const tellOver = createTellOver(opsDeps('recovered'));
  const slack = watchToken(createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl }), {
    isDead: isSlackTokenDead,
    dead: async () => {
      const cause = causeKey(trouble.slackTokenDead());
      if (!(await memory.isKnown(cause))) log.fatal({ todo: 'set SLACK_BOT_TOKEN' }, 'Slack refuses the bot token');
      await memory.remember(cause);
    },
    alive: () => tellOver(trouble.slackTokenDead(), trouble.slackTokenDead()),
  });

  const assumptions = parseAssumptions(config.cardApiAssumptions);
  let isCardApiAway = false;
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
      isCardApiAway = !isAvailable;
    },
  });
  const card = watchToken(client, {
    isDead: isCardTokenDead,
    dead: () => tellOps(trouble.cardTokenDead()),
    alive: () => tellOver(trouble.cardTokenDead(), trouble.cardTokenAlive),
  });

  const alerts = createAlerts(redis);
  const history = createCardHistory(redis);
  const requests = createRequests(redis);
  const leases = createLeases(redis);
  const confirmations = createConfirmations(redis);
  const audit = createAudit({ redis, permalink: createPermalink(slack.authTest), log });
  const withLock = createLock(redis);
  const directory = createDirectory({
    redis,
    keyOf: directoryKey,
    loader: card,
    log,
    politeness: politenessOf(assumptions),
  });
  const remedies = createRemedies({
    card,
    statusesOf: async (acctId) => (await directory.account(acctId))?.cards.map(({ status }) => status) ?? [],
    categoryId: createCategoryId({
      card,
      categories: createCategories(redis),
      accounts: async () => (await directory.search('', 3)).map(({ acctId }) => acctId),
      log,
    }),
    log,
  });
  const leaseMessage = async (one: Lease) =>
    renderLease(one, toCardFacts(one.acctId, await directory.account(one.acctId)));
  const asKept = ({ text, blocks }: Message) => ({ text, blocks: [...blocks] });
  const postNotice = async (
    channel: string,
    id: string,
    message: Message,
    requestId: string | null = null,
    urgency: 'record' | 'request' = requestId === null ? 'record' : 'request',
  ) => {
    await outbox.put(channel, { kind: 'notice', id, message: asKept(message), requestId, urgency });
    await queues.flushOutbox(channel);
  };

  const renderFor = async (
    alert: Alert,
    { channel, audience }: { channel: string; audience: 'team' | 'holder' },
  ): Promise<Message | null> => {
    const view = { place: await placeOf(channel), channel };
    return audience === 'holder' ? renderHolderAlert(alert, view) : renderAlert(alert, view);
  };
  const links = createLinks(redis);
  const claims = createClaims(redis);
  const whosWho = createWhosWho(redis);
  const rolesNow = createRolesNow({ whosWho, groupMembers: slack.groupMembers, isHolder: links.isHolder, log });
  const factsOf = async (acctId: number): Promise<CardFacts> => toCardFacts(acctId, await directory.account(acctId));
  const { route, placeOf, routing } = createRoutingParts({
    config,
    redis,
    slack,
    tellOps,
    rolesNow,
    now,
    postNotice,
    scheduleMuteEnd: queues.endMute,
    releaseHeld: async (channel) => {
      const released = await outbox.releaseHeld(channel);
      if (released > 0) await queues.flushOutbox(channel);
      return released;
    },
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

  const performDeps: Omit<PerformDeps, 'isLastAttempt'> = {
    card,
    directory,
    alerts,
    history,
    requests,
    leases,
    routing,
    digest: digestParts.digest,
    confirmations,
    virtualOrders: createVirtualOrders(redis),
    unseal: createSeal(config.slackBotToken).open,
    links,
    claims,
    person: slack.person,
    withLock,
    now,
    log,
    changeRule: (raw, change) => changeRule(raw, change, assumptions),
    checkPurchase: (event) => remedies.checkPurchase(event),
    serviceDays: serviceDays(config.serviceZone),
    raises: createRaises(redis),
    blocks: createBlocks(redis),
    whoMay: whosWho.whoMay,
    toFacts: toCardFacts,
    journal: createJournal(redis),
    pending: createPending(redis),
    audit,
    answer: createAnswer({ slack, respond: createRespond(), seal: createSeal(config.slackBotToken), log }),
    updateMessages: queues.updateMessage,
    postRequest: (request) => postNotice(channels.approvals, request.id, requestMessage(request), request.id),
    updateRequest: queues.updateRequest,
    postClaim: async (claim) =>
      await postNotice(channels.approvals, claim.id, await claimMessage(claim, factsOf), claim.id),
    updateClaim: queues.updateClaim,
    scheduleClaimEnd: queues.endClaim,
    tellDirectly: (userId, noticeId, { text, blocks }) =>
      queues.tellPerson(userId, {
        kind: 'notice',
        id: noticeId,
        audience: 'holder',
        message: { text, blocks },
        requestId: null,
        urgency: 'request',
      }),
    postAuditLine: async (noticeId, message) =>
      postNotice(channels.audit, noticeId, withAnchor(message, await audit.head())),
    scheduleLeaseEnd: queues.endLease,
    scheduleConfirm: queues.confirmAction,
    tellOps,
    momentOf: (since, askedAt) => momentOf(since, askedAt, config.serviceZone),
    recoverGap: queues.recoverGap,
    opsChannel: channels.ops,
    postLease: async (one) => {
      await postNotice(channels.approvals, `lease-${one.id}`, await leaseMessage(one), one.id);
    },
    updateLease: queues.updateLease,
    postToApprovals: (id, message) => postNotice(channels.approvals, id, message, null, 'request'),
    postToOps: (id, message) => postNotice(channels.ops, id, message, null, 'request'),
    updateForm: async (form, { alert, pendingId, remedy, state }) => {
      try {
        await slack.updateView(form, remedyForm({ privateMetadata: pendingId, alert, remedy, state }));
      } catch (error) {
        // Closed, submitted, or changed meanwhile: the form is not there to be filled any more.
        if (!(error instanceof SlackError)) throw error;
        log.info({ slackError: error.slackError }, 'a form could not be filled');
      }
    },
    scheduleRequest: queues.ageRequest,
    scheduleUndoEnd: queues.endUndo,
    twoPersonAboveCents: config.twoPersonAboveCents,
  };
  const quarantined = createQuarantineStore(redis);
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
  const trail = createTrail(redis);
  const lacks = createSlackLacks(redis);
  const joinedMessages = createJoinedMessages(redis);
  const joined = createDrawJoined({ alerts, lacks, placeOf, tellOps });
  const threads = createThreads(redis);
  const rows = createAttachRows({ slack, joinedMessages, joined, outbox, lacks, tellOps });
  const poster = createPoster({
    slack,
    alerts,
    outbox,
    threads,
    trail,
    drawing: createDrawEntries({ alerts, threads, joined, rows, lacks, tellOps, renderAlert: renderFor }),
    joined,
    joinedMessages,
    updateMessages: queues.updateMessage,
    rows,
    lacks,
    placeNotice: createPlaceNotice({
      requests,
      claims,
      updateRequest: queues.updateRequest,
      updateClaim: queues.updateClaim,
      updateLease: queues.updateLease,
      leases,
      withLock,
    }),
    tellOps,
    fallbackChannel: channels.fallback,
    wakeOutbox: queues.flushOutbox,
  });

  const cardOrders = createCardOrders(redis);
  const cardNews = createCardNews({ cardOrders, alerts });
  const placeAlert = createPlaceAlert({
    episodes: createEpisodes(redis),
    cardTesting: createCardTesting(redis),
    purchases: createPurchases(redis, withLock),
    cardNews,
    cardOrders,
    alerts,
    trail,
  });
  const pacedAdvice = withinPace(
    remedies.adviceFor,
    { remedy: null, isIncomplete: false },
    { perMinute: Math.floor(assumptions.callsPerMinute / 2), atOnce: ADVICE_AT_ONCE },
  );
  // What a card's status says is known without a call.
  const adviceFor: typeof remedies.adviceFor = (event) =>
    event.decline?.code.trim().toLowerCase() === 'decline.card.status' ? remedies.adviceFor(event) : pacedAdvice(event);
  const deliver = (event: StoredEvent, coming: Coming): Promise<number | null> =>
    deliverAlert(event, coming, {
      factsOf: async (of) =>
        toCardFacts(of.acctId, of.acctId === null ? null : await directory.account(of.acctId), whichCard(of)),
      knownStatus: async (acctId, { cardId, last4 }) => {
        const cards = (await directory.account(acctId))?.cards ?? [];
        // Before the API was asked for its cards, an account's card has no id yet.
        const found =
          cards.find((one) => one.cardId === cardId) ??
          cards.find((one) => one.cardId === null && one.last4 === last4 && last4 !== '');
        if (found === undefined) return null;
        // The API showed the change before this told it: then what was told last is what was before.
        if (found.was !== undefined && found.was.seenAt < event.callbackAt) return found.was.status;
        // What the directory learned after the event happened says nothing of what was before it.
        return found.seenAt >= event.callbackAt ? null : found.status;
      },
      learn: directory.learn,
      adviceFor,
      enrichLater: (alertId) => queues.enrichAlert(alertId, ENRICH_AFTER_MS),
      route,
      placeAlert,
      cardUsed: cardNews.used,
      tellHolder: createTellHolder({ links, tellPerson: queues.tellPerson }),
      history,
      countDecline: digestParts.countDecline,
      alerts,
      outbox,
      wakeOutbox: queues.flushOutbox,
      updateMessages: queues.updateMessage,
    });

  const remind = (): Promise<void> =>
    remindOfActivation({
      cardOrders,
      alerts,
      reload: directory.reload,
      announce: (alert) =>
        announce(alert, {
          alerts,
          route,
          placeAlert,
          outbox,
          wakeOutbox: queues.flushOutbox,
          updateMessages: queues.updateMessage,
        }),
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
    isCardApiAway: () => isCardApiAway,
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
    directChannel: createDirectChannel(redis, slack.openDirect),
    renderFor,
    placeAlert,
    remind,
    enrich: (alertId: string, hasWaited: boolean) =>
      enrichAlert(alertId, hasWaited, {
        alerts,
        checkPurchase: remedies.checkPurchase,
        updateMessages: queues.updateMessage,
      }),
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
