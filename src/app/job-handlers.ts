import type { ActionDeps } from '../actions/deps.ts';
import { recordRefusal } from '../actions/record-refusal.ts';
import { endUndo } from '../actions/undo-block.ts';
import { createReceiveEvent } from '../alerts/receive-event.ts';
import { composeApprovals, verifyAction } from '../dispatch/compose-approvals.ts';
import { composeHolders } from '../dispatch/compose-holders.ts';
import { composeVirtualCards } from '../dispatch/compose-virtual-cards.ts';
import { performAction } from '../dispatch/perform-action.ts';
import { createNotifyPerson } from '../holders/notify-holder.ts';
import { endPurchaseChanges } from '../limits/end-purchase-changes.ts';
import { endTemporaryChange } from '../limits/end-temporary-change.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Throttle } from '../outbox/throttle.ts';
import { createEndMute } from '../routing/mute.ts';
import type { DeliveryParts } from './compose-delivery.ts';
import type { composeDigests } from './compose-digests.ts';
import type { composeHome } from './compose-home.ts';
import type { composeOutbox } from './compose-outbox.ts';
import type { composeRecovery } from './compose-recovery.ts';
import type { Attempt, JobHandlers } from './run-job.ts';
import { urgentEndId } from './sweep.ts';
import type { WorkerBase } from './worker-base.ts';

interface Deps {
  readonly base: WorkerBase;
  readonly throttle: Throttle;
  readonly actionDeps: Omit<ActionDeps, 'isLastAttempt'>;
  readonly alerts: DeliveryParts & {
    readonly directChannel: (userId: string) => Promise<string>;
    readonly notifyOps: NotifyOps;
  };
  readonly outbox: Pick<ReturnType<typeof composeOutbox>, 'flush' | 'updateMessages'>;
  readonly digests: Pick<ReturnType<typeof composeDigests>, 'sendDigest'>;
  readonly home: ReturnType<typeof composeHome>;
  readonly recovery: ReturnType<typeof composeRecovery>;
}

/** What the worker does for each job. */
export function createJobHandlers(deps: Deps): JobHandlers {
  const { base, throttle, alerts, outbox, digests, home, recovery } = deps;
  const { stores, enqueue, send, now, metrics, log } = base;
  const { notifyOps } = alerts;
  const actionDeps = ({ isLast }: Pick<Attempt, 'isLast'>) => ({ ...deps.actionDeps, isLastAttempt: isLast });
  const receiveEvent = createReceiveEvent({
    isBackfilled: recovery.isBackfilled,
    withLock: stores.withLock,
    deliver: alerts.deliver,
    virtualCardArrived: (event, attempt) => composeVirtualCards(actionDeps(attempt)).virtualCardArrived(event),
    endPurchaseChanges: (event) =>
      endPurchaseChanges(event, {
        temporaryChanges: stores.temporaryChanges,
        endTemporaryChangeNow: (id) =>
          enqueue('end-temporary-change', { temporaryChangeId: id }, { id: urgentEndId(id) }),
      }),
    log,
  });

  return {
    'deliver-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: false }),
    'deliver-late-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: true }),
    async 'quarantine-webhook'(webhook) {
      await stores.quarantined.keep(webhook);
      await notifyOps(opsIssue.quarantined(webhook));
    },
    'flush-outbox': ({ channel }) => outbox.flush(channel, throttle),
    'update-messages': outbox.updateMessages,
    'notify-person': createNotifyPerson({
      directChannel: alerts.directChannel,
      alerts: stores.alerts,
      groupAlert: alerts.groupAlert,
      outbox: stores.outbox,
      wakeOutbox: send.wakeOutbox,
      updateMessages: (id) => enqueue('update-messages', { kind: 'alert', id }),
      notifyOps,
      log,
    }),
    'enrich-alert': ({ alertId }, { hasWaited }) => alerts.enrich(alertId, hasWaited),
    'open-home': home.open,
    'render-home': ({ userId }) => home.render(userId),
    'render-homes': home.renderAll,
    async 'perform-action'(action, attempt) {
      await performAction(action, actionDeps(attempt));
      metrics.actionAnswered(action.verb, now().getTime() - Date.parse(action.askedAt));
    },
    'record-refusal': ({ action, why }, attempt) => recordRefusal(action, actionDeps(attempt), { why }),
    'verify-action': ({ actionId }, attempt) => verifyAction(actionId, actionDeps(attempt)),
    'end-temporary-change': ({ temporaryChangeId }, attempt) =>
      endTemporaryChange(temporaryChangeId, actionDeps(attempt)),
    'end-mute': ({ muteId }) => createEndMute({ ...deps.actionDeps.routing, now }).endMute(muteId),
    'end-undo': ({ actionId }, attempt) => endUndo(actionId, actionDeps(attempt)),
    'end-claim': ({ claimId }, attempt) => composeHolders(actionDeps(attempt)).endClaim(claimId),
    'expire-request': ({ requestId }, attempt) => composeApprovals(actionDeps(attempt)).ageRequest(requestId),
    'recover-gap': recovery.run,
    'send-digest': ({ channel, kind }) => digests.sendDigest.due(channel, kind),
    'refresh-directory': recovery.refreshDirectory,
    // App Home is rendered after it, as after every job that may change what it shows.
    'refresh-homes': async () => {},
    'remind-of-activation': alerts.remind,
  };
}
