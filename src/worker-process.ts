import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderAlert } from '../templates/alert.ts';
import { approvalRequest } from '../templates/approval-request.ts';
import { opsNotice } from '../templates/ops-notice.ts';
import type { StoredEvent } from './alert/event.ts';
import { Action } from './authority/action.ts';
import { parseAssumptions } from './card/assumptions.ts';
import { createCardClient } from './card/client.ts';
import { changeLimit } from './card/spend-rules.ts';
import { maskCardNumbers } from './card-number.ts';
import type { Channels, WorkerConfig } from './config.ts';
import { deliverAlert } from './deliver-alert.ts';
import { CardApiError } from './errors.ts';
import { flushOutbox } from './flush-outbox.ts';
import { directoryKey } from './keys.ts';
import type { Log } from './log.ts';
import { createPoster } from './outbox-poster.ts';
import { performAction } from './perform-action.ts';
import type { PerformDeps } from './perform/deps.ts';
import { endLease } from './perform/end-lease.ts';
import { recordRefusal } from './perform/record-refusal.ts';
import { connectPatient } from './queue/connection.ts';
import { startConsumer } from './queue/consumer.ts';
import { EndLease, FlushOutbox, UpdateMessage } from './queue/jobs.ts';
import { createQueues } from './queue/queues.ts';
import { startRelay } from './queue/relay.ts';
import { createRemedyFor } from './remedy.ts';
import type { RunningProcess } from './run-process.ts';
import { createAnswer } from './slack/answer.ts';
import { createSlack } from './slack/client.ts';
import type { Message } from './slack/message.ts';
import { createRespond } from './slack/respond.ts';
import { createSeal } from './slack/seal.ts';
import { createAlerts } from './store/alerts.ts';
import { createAudit } from './store/audit.ts';
import { createCardHistory } from './store/card-history.ts';
import { createPlaceOf } from './store/channel-places.ts';
import { createDirectory } from './store/directory.ts';
import { toCardFacts } from './store/directory-account.ts';
import { createJournal } from './store/journal.ts';
import { createLeases } from './store/leases.ts';
import { createLock } from './store/lock.ts';
import { createOpsMemory } from './store/ops.ts';
import { createOutbox } from './store/outbox.ts';
import { createPending } from './store/pending.ts';
import { createQuarantineStore } from './store/quarantine.ts';
import { createRequests, type LimitRequest } from './store/requests.ts';
import { createTellOps } from './tell-ops.ts';
import * as trouble from './trouble.ts';
import { updateMessage } from './update-message.ts';
import { StoredEvent as StoredEventSchema } from './alert/event.ts';
import { QuarantinedWebhook } from './alert/quarantined-webhook.ts';

const SWEEP_MS = 15_000;
const DIRECTORY_REFRESH_MS = 10 * 60_000;

/** The process that acts: posts alerts, asks the card API, keeps the record. Joins the parts; holds no logic of its own. */
export async function startWorker(config: WorkerConfig, log: Log): Promise<RunningProcess> {
  const id = `worker-${randomBytes(4).toString('hex')}`;
  const connect = (name: string) => connectPatient({ urls: config.redisUrls, log, name });
  const redis = connect('worker');
  const reader = connect('relay');
  const queues = createQueues(redis);
  const now = (): Date => new Date();

  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl });
  const assumptions = parseAssumptions(config.cardApiAssumptions);
  const card = createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions,
    timezone: config.serviceZone,
    clean: maskCardNumbers,
    log,
  });

  const alerts = createAlerts(redis);
  const history = createCardHistory(redis);
  const outbox = createOutbox(redis);
  const audit = createAudit(redis);
  const requests = createRequests(redis);
  const leases = createLeases(redis);
  const quarantined = createQuarantineStore(redis);
  const withLock = createLock(redis);
  const directory = createDirectory({ redis, keyOf: directoryKey, loader: card, log });
  const placeOf = createPlaceOf(slack.channelInfo);
  const remedyFor = createRemedyFor(card, log);
  const answer = createAnswer({ slack, respond: createRespond(), seal: createSeal(config.slackBotToken), log });
  const tellOps = createTellOps({
    memory: createOpsMemory(redis),
    outbox,
    channel: config.channels.ops,
    wakeOutbox: queues.flushOutbox,
    render: ({ title, what, means, todo, ref }, at) =>
      opsNotice({ level: 'trouble', title, what, means, todo, at, ref: ref ?? null }),
    now,
    log,
  });

  const postNotice = async (channel: string, noticeId: string, message: Message, requestId: string | null = null) => {
    const { text, blocks } = message;
    await outbox.put(channel, { kind: 'notice', id: noticeId, message: { text, blocks: [...blocks] }, requestId });
    await queues.flushOutbox(channel);
  };
  const renderRequest = (request: LimitRequest): Message => {
    const { action, card: facts, fromCents, approvals, state, decidedBy, expiresAt } = request;
    const wish = action.limit;
    return approvalRequest({
      value: request.id,
      askedBy: action.actor.userId,
      askedAt: action.askedAt,
      card: facts,
      period: wish?.period ?? 'daily',
      category: wish?.category?.name ?? null,
      fromCents,
      toCents: wish?.limitCents ?? null,
      reason: action.reason,
      endsAt: wish?.durationMs == null ? null : new Date(Date.parse(action.askedAt) + wish.durationMs).toISOString(),
      needed: 2,
      approvals,
      state,
      deniedBy: state === 'denied' ? decidedBy : null,
      until: expiresAt,
    });
  };
  const updateRequest = async (request: LimitRequest): Promise<void> => {
    if (request.ref !== null) await slack.update(request.ref, renderRequest(request));
  };
  const performDeps = (isLastAttempt: boolean): PerformDeps => ({
    card,
    changeLimit: (raw, change) => changeLimit(raw, change, assumptions),
    directory,
    toFacts: toCardFacts,
    alerts,
    history,
    journal: createJournal(redis),
    pending: createPending(redis),
    requests,
    leases,
    audit,
    withLock,
    answer,
    updateMessages: queues.updateMessage,
    postRequest: (request) => postNotice(config.channels.approvals, request.id, renderRequest(request), request.id),
    updateRequest,
    postAuditLine: (noticeId, message) => postNotice(config.channels.audit, noticeId, message),
    scheduleLeaseEnd: queues.endLease,
    twoPersonAboveCents: config.twoPersonAboveCents,
    now,
    log,
    isLastAttempt,
  });
  const poster = createPoster({
    slack,
    alerts,
    requests,
    outbox,
    fallbackChannel: config.channels.fallback,
    wakeOutbox: queues.flushOutbox,
    updateRequest,
    tellOps,
    placeOf,
    renderAlert,
  });

  /** Any call that shows a dead token tells ops, whoever made it. */
  const watchingToken = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof CardApiError && error.code === 'token_dead') await tellOps(trouble.cardTokenDead());
      throw error;
    }
  };

  const consumers = [
    startConsumer(
      'alerts',
      async (data, run) => {
        if (run.name === 'quarantine') {
          const webhook = QuarantinedWebhook.parse(data);
          await quarantined.keep(webhook);
          await tellOps(trouble.quarantined(webhook));
          return null;
        }
        const event = StoredEventSchema.parse(data);
        return event.kind === 'card-status'
          ? await withLock(`account:${event.acctId}:status`, () => deliver(event, run.hasWaited))
          : await deliver(event, run.hasWaited);
      },
      { redis, concurrency: 32, log },
    ),
    startConsumer(
      'outbox',
      async (data) => {
        const { channel } = FlushOutbox.parse(data);
        return await flushOutbox(channel, { outbox, ...poster, log, now: Date.now, sleep });
      },
      { redis, concurrency: 32, log },
    ),
    startConsumer(
      'updates',
      async (data) => {
        const render = async (alert: Parameters<typeof renderAlert>[0], channel: string) =>
          renderAlert(alert, { place: await placeOf(channel) });
        await updateMessage(UpdateMessage.parse(data).alertId, { alerts, render, update: slack.update, log });
        return null;
      },
      { redis, concurrency: 8, log },
    ),
    startConsumer(
      'actions',
      async (data, run) => {
        const action = Action.parse(data);
        const deps = performDeps(run.isLastAttempt);
        await watchingToken(() =>
          run.name === 'record-refusal' ? recordRefusal(action, deps) : performAction(action, deps),
        );
        return null;
      },
      { redis, concurrency: 16, log },
    ),
    startConsumer(
      'upkeep',
      async (data, run) => {
        if (run.name === 'end-lease')
          await watchingToken(() => endLease(EndLease.parse(data).leaseId, performDeps(run.isLastAttempt)));
        else await directory.refresh();
        return null;
      },
      { redis, concurrency: 4, log },
    ),
  ];

  const relay = startRelay({
    reader,
    redis,
    consumer: id,
    log,
    handOn: async (entry) => {
      if (entry.type === 'event') await queues.deliverAlert(entry.event);
      else if (entry.type === 'quarantine') await queues.quarantine(entry.webhook);
      else if (entry.type === 'action') await queues.performAction(entry.action);
      else await queues.recordRefusal(entry.action);
    },
  });

  const sweeping = setInterval(() => void sweep(), SWEEP_MS);
  await queues.every('refresh-directory', DIRECTORY_REFRESH_MS);
  void startUp();
  log.info({ workerId: id }, 'worker runs');

  return {
    async stop() {
      clearInterval(sweeping);
      await relay.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await directory.stop();
      await queues.close();
      redis.disconnect();
    },
  };

  function deliver(event: StoredEvent, hasWaited: boolean): Promise<number | null> {
    return deliverAlert(event, hasWaited, {
      factsOf: async (of) =>
        toCardFacts(of.acctId, of.acctId === null ? null : await directory.account(of.acctId), whichCard(of)),
      knownStatus: async (acctId, cardId) => {
        const found = (await directory.account(acctId))?.cards.find((one) => one.cardId === cardId);
        // What the directory learned after the event happened says nothing of what was before it.
        return found === undefined || found.seenAt >= event.callbackAt ? null : found.status;
      },
      learn: directory.learn,
      remedyFor,
      channelFor: (of) => channelFor(of, config.channels),
      history,
      alerts,
      outbox,
      wakeOutbox: queues.flushOutbox,
      updateMessages: queues.updateMessage,
    });
  }

  /** What a crash between two steps left lying: channels with something in them that nobody was woken for. */
  async function sweep(): Promise<void> {
    try {
      for (const channel of await outbox.channels()) {
        if ((await outbox.waiting(channel)) > 0) await queues.flushOutbox(channel);
      }
    } catch (error) {
      log.warn({ err: error }, 'sweep failed, the next one comes');
    }
  }

  async function startUp(): Promise<void> {
    try {
      await sweep();
      for (const lease of await leases.all()) await queues.endLease(lease.id, Date.parse(lease.endsAt));
      await watchingToken(() => card.getCurrentToken().then(() => {}));
    } catch (error) {
      log.warn({ err: error }, 'a check at start failed');
    }
    await directory.refresh().catch((error: unknown) => log.warn({ err: error }, 'directory could not be read'));
  }
}

function whichCard(event: StoredEvent): { cardId?: number; last4?: string } {
  if (event.kind === 'card-status') {
    const [only] = event.cards;
    return event.cards.length === 1 && only !== undefined ? { cardId: only.cardId } : {};
  }
  if (event.kind === 'card-shipping') return { last4: event.last4 };
  return event.kind === 'virtual-card' && event.last4 !== null ? { last4: event.last4 } : {};
}

function channelFor(event: StoredEvent, channels: Channels): string | null {
  switch (event.kind) {
    case 'decline':
      return channels.decline;
    case 'card-shipping':
      return channels.shipping;
    case 'card-status':
      return channels.status;
    case 'virtual-card':
      return channels.virtual;
    default:
      return channels.spend;
  }
}
