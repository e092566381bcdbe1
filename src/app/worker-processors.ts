import { Action } from '../actions/action.ts';
import { recordRefusal } from '../actions/record-refusal.ts';
import { endUndo } from '../actions/undo-block.ts';
import { HomeOpened } from '../app-home/opened.ts';
import { StoredEvent } from '../core/event.ts';
import { Gap } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import { composeApprovals, verifyAction } from '../dispatch/compose-approvals.ts';
import { composeHolders } from '../dispatch/compose-holders.ts';
import { composeVirtualCards } from '../dispatch/compose-virtual-cards.ts';
import { performAction } from '../dispatch/perform-action.ts';
import { createNotifyPerson, NotifyPerson } from '../holders/notify-holder.ts';
import { endPurchaseChanges } from '../limits/end-purchase-changes.ts';
import { endTemporaryChange } from '../limits/end-temporary-change.ts';
import * as opsIssue from '../ops/issue.ts';
import { type Throttle, whenSlackTakesIt } from '../outbox/throttle.ts';
import { Subject } from '../outbox/tracked-message-store.ts';
import { createEndMute } from '../routing/mute.ts';
import type { WorkerParts } from './compose-worker.ts';
import type { Processor } from './consumer.ts';
import {
  AgeRequest,
  ConfirmAction,
  EndClaim,
  EndMute,
  EndTemporaryChange,
  EndUndo,
  EnrichAlert,
  FlushOutbox,
  type QueueName,
  RenderHome,
  SendDigest,
} from './jobs.ts';

/** How the worker does the jobs of each queue; what was done may be shown in App Home. */
export function createProcessors(
  parts: WorkerParts,
  throttle: Throttle,
  log: Log,
): Readonly<Record<QueueName, Processor>> {
  const { queues, outbox, notifyOps, alerts, temporaryChanges, withLock, recovery, home } = parts;
  const processors: Record<QueueName, Processor> = {
    async alerts(data, run) {
      if (run.name === 'quarantine') {
        const webhook = QuarantinedWebhook.parse(data);
        await parts.quarantined.keep(webhook);
        await notifyOps(opsIssue.quarantined(webhook));
        return null;
      }
      const event = StoredEvent.parse(data);
      if (event.kind === 'card-status' && run.name !== 'deliver-late-alert' && (await recovery.isBackfilled(event))) {
        log.info({ eventId: event.id }, 'a webhook came after all, its change was told late');
        return null;
      }
      const coming = { hasWaited: run.hasWaited, isLate: run.name === 'deliver-late-alert' };
      if (event.kind === 'card-status') {
        return await withLock(`account:${event.acctId}:status`, () => parts.deliver(event, coming));
      }
      const again = await parts.deliver(event, coming);
      if (event.kind === 'virtual-card') {
        const deps = { ...parts.actionDeps, isLastAttempt: run.isLastAttempt };
        await composeVirtualCards(deps).virtualCardArrived(event);
      }
      await endPurchaseChanges(event, { temporaryChanges, endTemporaryChangeNow: queues.endTemporaryChangeNow });
      return again;
    },
    async outbox(data) {
      const { channel } = FlushOutbox.parse(data);
      return await parts.flush(channel, throttle);
    },
    async updates(data, run) {
      if (run.name === 'enrich-alert') return await parts.enrich(EnrichAlert.parse(data).alertId, run.hasWaited);
      return await whenSlackTakesIt(run.starts, throttle, async () => {
        if (run.name === 'open-home') return await home.open(HomeOpened.parse(data));
        if (run.name === 'draw-home') return await home.render(RenderHome.parse(data).userId);
        if (run.name === 'draw-homes') return await home.renderAll();
        if (run.name === 'tell-person') {
          const wakeOutbox = queues.flushOutbox;
          const { directChannel, groupAlert } = parts;
          const updateMessages = (id: string) => queues.updateMessages({ kind: 'alert', id });
          const deps = { directChannel, alerts, groupAlert, outbox, wakeOutbox, updateMessages, notifyOps, log };
          return await createNotifyPerson(deps)(NotifyPerson.parse(data));
        }
        await parts.updateMessages(Subject.parse(data));
      });
    },
    async actions(data, run) {
      const action = Action.parse(data);
      const deps = { ...parts.actionDeps, isLastAttempt: run.isLastAttempt };
      await (run.name === 'record-refusal' ? recordRefusal(action, deps) : performAction(action, deps));
      return null;
    },
    async maintenance(data, run) {
      const deps = { ...parts.actionDeps, isLastAttempt: run.isLastAttempt };
      if (run.name === 'confirm-action') return await verifyAction(ConfirmAction.parse(data).actionId, deps);
      if (run.name === 'end-claim') {
        await composeHolders(deps).endClaim(EndClaim.parse(data).claimId);
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
      if (run.name === 'end-mute')
        return await createEndMute({ ...deps.routing, now: deps.now }).endMute(EndMute.parse(data).muteId);
      if (run.name === 'end-lease')
        return await endTemporaryChange(EndTemporaryChange.parse(data).temporaryChangeId, deps);
      if (run.name === 'age-request') return await composeApprovals(deps).ageRequest(AgeRequest.parse(data).requestId);
      if (run.name === 'end-undo') await endUndo(EndUndo.parse(data).actionId, deps);
      if (run.name === 'refresh-directory') await recovery.refreshDirectory();
      return null;
    },
  };

  return {
    alerts: thenRenderHomes(processors.alerts),
    outbox: processors.outbox,
    updates: processors.updates,
    actions: thenRenderHomes(processors.actions),
    maintenance: thenRenderHomes(processors.maintenance),
  };

  function thenRenderHomes(process: Processor): Processor {
    return async (data, run) => {
      const again = await process(data, run);
      // Cards are listed all the time, which seldom changes what is shown.
      if (run.name !== 'refresh-directory') await home.changed();
      return again;
    };
  }
}
