import { recordRefusal } from '../actions/record-refusal.ts';
import { endUndo } from '../actions/undo-block.ts';
import type { StoredEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import { composeApprovals, verifyAction } from '../dispatch/compose-approvals.ts';
import { composeHolders } from '../dispatch/compose-holders.ts';
import { composeVirtualCards } from '../dispatch/compose-virtual-cards.ts';
import { performAction } from '../dispatch/perform-action.ts';
import { createNotifyPerson } from '../holders/notify-holder.ts';
import { endPurchaseChanges } from '../limits/end-purchase-changes.ts';
import { endTemporaryChange } from '../limits/end-temporary-change.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Throttle } from '../outbox/throttle.ts';
import { createEndMute } from '../routing/mute.ts';
import type { WorkerParts } from './compose-worker.ts';

import type { Attempt, JobHandlers } from './run-job.ts';
import { urgentEndId } from './sweep.ts';
/** What the worker does for each job. */
export function createJobHandlers(parts: WorkerParts, throttle: Throttle, log: Log): JobHandlers {
  const { enqueue, wakeOutbox, outbox, notifyOps, alerts, temporaryChanges } = parts;
  const { withLock, recovery, home } = parts;
  const actionDeps = ({ isLast }: Attempt) => ({ ...parts.actionDeps, isLastAttempt: isLast });
  const endTemporaryChangeNow = (temporaryChangeId: string): Promise<void> =>
    enqueue('end-temporary-change', { temporaryChangeId }, { id: urgentEndId(temporaryChangeId) });

  async function deliver(event: StoredEvent, isLate: boolean, attempt: Attempt): Promise<number | null> {
    const coming = { hasWaited: attempt.hasWaited, isLate };
    if (event.kind === 'card-status') {
      if (!isLate && (await recovery.isBackfilled(event))) {
        log.info({ eventId: event.id }, 'a webhook came after all, its change was told late');
        return null;
      }
      return await withLock(`account:${event.acctId}:status`, () => parts.deliver(event, coming));
    }
    const againMs = await parts.deliver(event, coming);
    if (event.kind === 'virtual-card') await composeVirtualCards(actionDeps(attempt)).virtualCardArrived(event);
    await endPurchaseChanges(event, { temporaryChanges, endTemporaryChangeNow });
    return againMs;
  }

  return {
    'deliver-alert': (event, attempt) => deliver(event, false, attempt),
    'deliver-late-alert': (event, attempt) => deliver(event, true, attempt),
    async 'quarantine-webhook'(webhook) {
      await parts.quarantined.keep(webhook);
      await notifyOps(opsIssue.quarantined(webhook));
    },
    'flush-outbox': ({ channel }) => parts.flush(channel, throttle),
    'update-messages': parts.updateMessages,
    'notify-person': createNotifyPerson({
      directChannel: parts.directChannel,
      alerts,
      groupAlert: parts.groupAlert,
      outbox,
      wakeOutbox,
      updateMessages: (id) => enqueue('update-messages', { kind: 'alert', id }),
      notifyOps,
      log,
    }),
    'enrich-alert': ({ alertId }, { hasWaited }) => parts.enrich(alertId, hasWaited),
    'open-home': home.open,
    'render-home': ({ userId }) => home.render(userId),
    'render-homes': home.renderAll,
    'perform-action': (action, attempt) => performAction(action, actionDeps(attempt)),
    'record-refusal': (action, attempt) => recordRefusal(action, actionDeps(attempt)),
    'verify-action': ({ actionId }, attempt) => verifyAction(actionId, actionDeps(attempt)),
    'end-temporary-change': ({ temporaryChangeId }, attempt) =>
      endTemporaryChange(temporaryChangeId, actionDeps(attempt)),
    'end-mute': ({ muteId }) => createEndMute({ ...parts.actionDeps.routing, now: parts.now }).endMute(muteId),
    'end-undo': ({ actionId }, attempt) => endUndo(actionId, actionDeps(attempt)),
    'end-claim': ({ claimId }, attempt) => composeHolders(actionDeps(attempt)).endClaim(claimId),
    'expire-request': ({ requestId }, attempt) => composeApprovals(actionDeps(attempt)).ageRequest(requestId),
    'recover-gap': recovery.run,
    'send-digest': ({ channel, kind }) => parts.sendDigest.due(channel, kind),
    'refresh-directory': recovery.refreshDirectory,
    // App Home is rendered after it, as after every job that may change what it shows.
    'refresh-homes': async () => {},
    'remind-of-activation': parts.remind,
  };
}
