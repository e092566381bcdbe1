import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoredEvent } from './alert/event.ts';
import { Gap, gapOf } from './alert/gap.ts';
import { QuarantinedWebhook } from './alert/quarantined-webhook.ts';
import { Action } from './authority/action.ts';
import type { WorkerConfig } from './config.ts';
import { endPurchaseLeases } from './end-purchase-leases.ts';
import { flushOutbox } from './flush-outbox.ts';
import { readHealth } from './health.ts';
import { HomeOpened } from './home/opened.ts';
import type { Log } from './log.ts';
import { ageRequest } from './perform/age-request.ts';
import { confirmAction } from './perform/confirm-action.ts';
import { endClaim } from './perform/decide-claim.ts';
import { endLease } from './perform/end-lease.ts';
import { endMute } from './perform/mute.ts';
import { recordRefusal } from './perform/record-refusal.ts';
import { virtualCardArrived } from './perform/tell-ordered.ts';
import { endUndo } from './perform/undo-block.ts';
import { performAction } from './perform-action.ts';
import { connectPatient } from './queue/connection.ts';
import { type Processor, startConsumer } from './queue/consumer.ts';
import {
  AgeRequest,
  ConfirmAction,
  DrawHome,
  EndClaim,
  EndLease,
  EndMute,
  EndUndo,
  FlushOutbox,
  type QueueName,
  SendDigest,
  UpdateClaim,
  UpdateLease,
  UpdateMessage,
  UpdateRequest,
} from './queue/jobs.ts';
import { wakeMisdated } from './queue/misdated.ts';
import { startRelay } from './queue/relay.ts';
import { watchDurability } from './queue/watch-durability.ts';
import { releaseEndedQuiet } from './release-ended-quiet.ts';
import { requestMessage } from './request-message.ts';
import type { RunningProcess } from './run-process.ts';
import { createWorkers } from './store/workers.ts';
import { TellPerson, tellPerson } from './tell-person.ts';
import * as trouble from './trouble.ts';
import { updateClaim } from './update-claim.ts';
import { updateLease } from './update-lease.ts';
import { updateMessage } from './update-message.ts';
import { updateRequest } from './update-request.ts';
import { whenSlackTakesIt } from './when-slack-takes-it.ts';
import { createWorkerParts } from './worker-parts.ts';

const SWEEP_MS = 15_000;
/** Oldest alert or request that waits for a worker: above, people are told; below the second, that it is over. */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;
/** Asking costs nothing while the list is fresh; a list that failed comes again soon. */
const DIRECTORY_REFRESH_MS = 30_000;
/** What App Home counts down or lets run out is seldom older. */
const HOME_REFRESH_MS = 120_000;
/** A card that nobody has activated for days is found soon enough. */
const REMINDER_LOOK_MS = 5 * 60_000;
/** A temporary limit whose end is this late has lost its timer. */
const LEASE_LATE_MS = 30_000;
const MUTE_LATE_MS = 30_000;
const CLAIM_LATE_MS = 30_000;

/** How many jobs of a queue one worker has in hand. They wait for others most of the time. */
const concurrency: Readonly<Record<QueueName, number>> = { alerts: 32, outbox: 32, updates: 8, actions: 16, upkeep: 8 };

/** The process that acts: posts alerts, asks the card API, keeps the record. */
export async function startWorker(config: WorkerConfig, log: Log): Promise<RunningProcess> {
  const id = `worker-${randomBytes(4).toString('hex')}`;
  const redis = connectPatient({ urls: config.redisUrls, log, name: 'worker' });
  const reader = connectPatient({ urls: config.redisUrls, log, name: 'relay' });
  const parts = createWorkerParts(config, redis, log);
  await watchDurability(redis, {
    wanted: config.redisDurability,
    log,
    onProblems: (problems) => parts.tellOps(trouble.redisSettings(problems)),
  });
  const { queues, slack, outbox, tellOps, card, alerts, requests, leases, claims, withLock, directory } = parts;
  const { recovery, home } = parts;

  const processors: Record<QueueName, Processor> = {
    async alerts(data, run) {
      if (run.name === 'quarantine') {
        const webhook = QuarantinedWebhook.parse(data);
        await parts.quarantined.keep(webhook);
        await tellOps(trouble.quarantined(webhook));
        return null;
      }
      const event = StoredEvent.parse(data);
      if (event.kind === 'card-status' && run.name !== 'deliver-late-alert' && (await recovery.isToldLate(event))) {
        log.info({ eventId: event.id }, 'a webhook came after all, its change was told late');
        return null;
      }
      const coming = { hasWaited: run.hasWaited, isLate: run.name === 'deliver-late-alert' };
      if (event.kind === 'card-status') {
        return await withLock(`account:${event.acctId}:status`, () => parts.deliver(event, coming));
      }
      const again = await parts.deliver(event, coming);
      if (event.kind === 'virtual-card') {
        await virtualCardArrived(event, { ...parts.performDeps, isLastAttempt: run.isLastAttempt });
      }
      await endPurchaseLeases(event, { leases, endLeaseNow: queues.endLeaseNow });
      return again;
    },
    async outbox(data) {
      const { channel } = FlushOutbox.parse(data);
      return await flushOutbox(channel, {
        outbox,
        ...parts.poster,
        wakeIn: queues.flushOutboxIn,
        log,
        now: () => performance.now(),
        sleep,
      });
    },
    async updates(data, run) {
      if (run.name === 'enrich-alert') return await parts.enrich(UpdateMessage.parse(data).alertId, run.hasWaited);
      return await whenSlackTakesIt(run, async () => {
        if (run.name === 'update-request') {
          const { requestId } = UpdateRequest.parse(data);
          return await updateRequest(requestId, {
            requests,
            render: async (request) =>
              requestMessage(request, request.leaseId === null ? null : await leases.get(request.leaseId)),
            update: slack.update,
            log,
          });
        }
        if (run.name === 'update-lease') {
          const { leaseId } = UpdateLease.parse(data);
          return await updateLease(leaseId, { leases, render: parts.leaseMessage, update: slack.update, log });
        }
        if (run.name === 'update-claim') {
          const { claimId } = UpdateClaim.parse(data);
          return await updateClaim(claimId, { claims, factsOf: parts.factsOf, update: slack.update, log });
        }
        if (run.name === 'open-home') return await home.open(HomeOpened.parse(data));
        if (run.name === 'draw-home') return await home.draw(DrawHome.parse(data).userId);
        if (run.name === 'draw-homes') return await home.drawAll();
        if (run.name === 'tell-person') {
          const wakeOutbox = queues.flushOutbox;
          const { directChannel, placeAlert } = parts;
          const updateMessages = queues.updateMessage;
          const deps = { directChannel, alerts, placeAlert, outbox, wakeOutbox, updateMessages, tellOps, log };
          return await tellPerson(TellPerson.parse(data), deps);
        }
        await updateMessage(UpdateMessage.parse(data).alertId, {
          alerts,
          render: async (alert, ref) => {
            const shared = await parts.joinedMessages.get(ref.channel, ref.ts);
            return shared === null ? await parts.renderFor(alert, ref) : await parts.joined.redraw(shared, ref.channel);
          },
          update: slack.update,
          withLock,
          log,
        });
      });
    },
    async actions(data, run) {
      const action = Action.parse(data);
      const deps = { ...parts.performDeps, isLastAttempt: run.isLastAttempt };
      await (run.name === 'record-refusal' ? recordRefusal(action, deps) : performAction(action, deps));
      return null;
    },
    async upkeep(data, run) {
      const deps = { ...parts.performDeps, isLastAttempt: run.isLastAttempt };
      if (run.name === 'confirm-action') return await confirmAction(ConfirmAction.parse(data).actionId, deps);
      if (run.name === 'end-claim') {
        await endClaim(EndClaim.parse(data).claimId, deps);
        return null;
      }
      if (run.name === 'send-digest') {
        const { channel, kind } = SendDigest.parse(data);
        await parts.sendDigest.due(channel, kind);
        return null;
      }
      if (run.name === 'recover-gap') return await recovery.run(Gap.parse(data));
      if (run.name === 'remind-of-activation') {
        await parts.remind();
        return null;
      }
      if (run.name === 'end-mute') return await endMute(EndMute.parse(data).muteId, deps);
      if (run.name === 'end-lease') return await endLease(EndLease.parse(data).leaseId, deps);
      if (run.name === 'age-request') return await ageRequest(AgeRequest.parse(data).requestId, deps);
      if (run.name === 'end-undo') await endUndo(EndUndo.parse(data).actionId, deps);
      if (run.name === 'refresh-directory') await recovery.refreshDirectory();
      return null;
    },
  };
  /** What was done may be shown in App Home. Listing cards is done all the time, and changes what is shown seldom. */
  const thenDrawHomes =
    (name: QueueName): Processor =>
    async (data, run) => {
      const again = await processors[name](data, run);
      const isShown = name === 'alerts' || name === 'actions' || name === 'upkeep';
      if (isShown && run.name !== 'refresh-directory') await home.changed();
      return again;
    };
  const consumers = (Object.keys(processors) as QueueName[]).map((name) =>
    startConsumer(name, thenDrawHomes(name), { redis, concurrency: concurrency[name], log }),
  );
  const relay = startRelay({
    reader,
    redis,
    consumer: id,
    log,
    handOn: async (entry) => {
      if (entry.type === 'event') await queues.deliverAlert(entry.event, entry.isLate ?? false);
      else if (entry.type === 'quarantine') await queues.quarantine(entry.webhook);
      else if (entry.type === 'gap') await queues.recoverGap(gapOf(entry.fromMs, entry.toMs, entry.cause));
      else if (entry.type === 'home') await queues.openHome(entry.opened);
      else if (entry.type === 'action') await queues.performAction(entry.action);
      else await queues.recordRefusal(entry.action);
    },
  });
  const workers = createWorkers(redis);
  const sweeping = setInterval(() => {
    void orLog('sweep', sweep);
    void orLog('watch', watch);
  }, SWEEP_MS);
  // Not awaited: without Redis it waits, and the process must be able to stop all the same.
  void orLog('start of upkeep', startUpkeep);
  log.info({ workerId: id }, 'worker runs');

  return {
    async stop() {
      clearInterval(sweeping);
      await relay.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await directory.stop();
      await queues.close();
      if (redis.status === 'ready') await workers.gone(id);
      redis.disconnect();
    },
  };

  /** What a crash between two steps left lying: channels that nobody was woken for, limits that nobody put back. */
  async function sweep(): Promise<void> {
    for (const name of ['alerts', 'outbox', 'updates', 'actions'] as const)
      await wakeMisdated(queues.queue(name), redis);
    await releaseEndedQuiet({ outbox, quietHours: parts.performDeps.routing.quietHours });
    for (const channel of await outbox.channels()) {
      if ((await outbox.waiting(channel)) > 0) await queues.flushOutbox(channel);
    }
    for (const { id: leaseId, endsAt, state } of await leases.all()) {
      if (state === 'open' && Date.parse(endsAt) + LEASE_LATE_MS < Date.now()) await queues.endLeaseNow(leaseId);
    }
    for (const { id: muteId, endsAt } of await parts.performDeps.routing.mutes.all()) {
      if (Date.parse(endsAt) + MUTE_LATE_MS < Date.now()) await queues.endMute(muteId, Date.parse(endsAt));
    }
    for (const { action } of await parts.confirmations.all()) await queues.confirmAction(action.id, Date.now());
    for (const { id: claimId, expiresAt } of await claims.open()) {
      if (Date.parse(expiresAt) + CLAIM_LATE_MS < Date.now()) await queues.endClaim(claimId, Date.now());
    }
    for (const { id: requestId } of await requests.open()) await queues.ageRequest(requestId);
  }

  /** Says that this worker lives, and whether people wait for too long. */
  async function watch(): Promise<void> {
    await workers.beat(id, { atMs: Date.now(), isCardApiAway: parts.isCardApiAway() });
    const { lagMs } = await readHealth(redis);
    if (lagMs > LAG_MS) await tellOps(trouble.lagging());
    else if (lagMs < LAG_OVER_MS) await parts.tellOver(trouble.lagging(), trouble.laggedBehind);
  }

  async function startUpkeep(): Promise<void> {
    await orLog('watch', watch);
    await queues.every('refresh-directory', DIRECTORY_REFRESH_MS);
    await queues.every('refresh-homes', HOME_REFRESH_MS);
    await parts.keepDigests();
    await queues.every('remind-of-activation', REMINDER_LOOK_MS);
    await sweep();
    for (const { id: leaseId, endsAt, state } of await leases.all()) {
      if (state === 'open') await queues.endLease(leaseId, Date.parse(endsAt));
    }
    await directory.refresh();
    await orLog('check of the card API token', async () => void (await card.getCurrentToken()));
  }

  async function orLog(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error, what }, 'upkeep stumbled, the next run comes');
    }
  }
}
