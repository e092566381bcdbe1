import { setTimeout as sleep } from 'node:timers/promises';
import { StoredEvent } from './alert/event.ts';
import { Gap } from './alert/gap.ts';
import { QuarantinedWebhook } from './alert/quarantined-webhook.ts';
import { Action } from './authority/action.ts';
import { endPurchaseLeases } from './end-purchase-leases.ts';
import { flushOutbox } from './flush-outbox.ts';
import { HomeOpened } from './home/opened.ts';
import type { Log } from './log.ts';
import type { Pace } from './pace.ts';
import { ageRequest } from './perform/age-request.ts';
import { confirmAction } from './perform/confirm-action.ts';
import { endClaim } from './perform/decide-claim.ts';
import { endLease } from './perform/end-lease.ts';
import { endMute } from './perform/mute.ts';
import { recordRefusal } from './perform/record-refusal.ts';
import { virtualCardArrived } from './perform/tell-ordered.ts';
import { endUndo } from './perform/undo-block.ts';
import { performAction } from './perform-action.ts';
import type { Processor } from './queue/consumer.ts';
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
import { requestMessage } from './request-message.ts';
import { TellPerson, tellPerson } from './tell-person.ts';
import * as trouble from './trouble.ts';
import { updateClaim } from './update-claim.ts';
import { updateLease } from './update-lease.ts';
import { updateMessage } from './update-message.ts';
import { updateRequest } from './update-request.ts';
import { whenSlackTakesIt } from './when-slack-takes-it.ts';
import type { WorkerParts } from './worker-parts.ts';

/** How the worker does the jobs of each queue; what was done may be shown in App Home. */
export function createProcessors(parts: WorkerParts, pace: Pace, log: Log): Readonly<Record<QueueName, Processor>> {
  const { queues, slack, outbox, tellOps, alerts, requests, leases, claims, withLock, recovery, home } = parts;
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
        pace,
        log,
        now: () => performance.now(),
        sleep,
      });
    },
    async updates(data, run) {
      if (run.name === 'enrich-alert') return await parts.enrich(UpdateMessage.parse(data).alertId, run.hasWaited);
      return await whenSlackTakesIt(run, pace, async () => {
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

  return {
    alerts: thenDrawHomes(processors.alerts),
    outbox: processors.outbox,
    updates: processors.updates,
    actions: thenDrawHomes(processors.actions),
    upkeep: thenDrawHomes(processors.upkeep),
  };

  function thenDrawHomes(process: Processor): Processor {
    return async (data, run) => {
      const again = await process(data, run);
      // Cards are listed all the time, which seldom changes what is shown.
      if (run.name !== 'refresh-directory') await home.changed();
      return again;
    };
  }
}
