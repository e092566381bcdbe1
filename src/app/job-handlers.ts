import type { Action } from '../actions/action.ts';
import { createGenuine, NOT_SIGNED, type Rejection } from '../actions/genuine.ts';
import { createReceiveEvent } from '../alerts/deliver-alert.ts';
import { createSigner } from '../core/sign.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { createNotifyPerson } from '../holders/notify-holder.ts';
import type { InboxEntry } from '../intake/intake.ts';
import { endPurchaseChanges } from '../limits/end-temporary-change.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { OutboxEntry } from '../outbox/entry.ts';
import type { DeliveryParts } from './compose-delivery.ts';
import type { composeDigests } from './compose-digests.ts';
import type { composeHome } from './compose-home.ts';
import type { composeOutbox } from './compose-outbox.ts';
import type { composeRecovery } from './compose-recovery.ts';
import type { composeVerbs } from './compose-verbs.ts';
import { toJob } from './inbox-jobs.ts';
import type { JobHandlers } from './run-job.ts';
import type { WorkerBase } from './worker-base.ts';

interface Deps {
  readonly base: WorkerBase;
  readonly verbs: ReturnType<typeof composeVerbs>;
  readonly alerts: DeliveryParts & {
    readonly directChannel: (userId: string) => Promise<string>;
    readonly notifyOps: NotifyOps;
  };
  readonly outbox: Pick<ReturnType<typeof composeOutbox>, 'flush' | 'updateMessages' | 'deleteLateCopies'>;
  readonly digests: Pick<ReturnType<typeof composeDigests>, 'sendDigest'>;
  readonly home: ReturnType<typeof composeHome>;
  readonly recovery: ReturnType<typeof composeRecovery>;
}

/** What the worker does for each job. */
export function createJobHandlers(deps: Deps): JobHandlers {
  const { base, verbs, alerts, outbox, digests, home, recovery } = deps;
  const { stores, enqueue, send, now, metrics, log } = base;
  const { notifyOps } = alerts;
  const receiveEvent = createReceiveEvent({
    ...alerts,
    isBackfilled: recovery.isBackfilled,
    withLock: stores.withLock,
    virtualCardArrived: verbs.virtualCardArrived,
    endPurchaseChanges: (event) =>
      endPurchaseChanges(event, {
        temporaryChanges: stores.temporaryChanges,
        endTemporaryChangeNow: (id) =>
          enqueue(
            'end-temporary-change',
            { temporaryChangeId: id, isEarly: true },
            { id: `temporary-change-${id}-early` },
          ),
      }),
    log,
  });

  const signer = createSigner(base.config.slackBotToken, 'action');
  const genuine = createGenuine({ redis: base.redis, signer, now });
  const reject = async ({ id, verb }: Pick<Action, 'id' | 'verb'>, { why, isOurs }: Rejection): Promise<void> => {
    log.error({ actionId: id, verb, why }, 'an entry of the queue was rejected');
    if (!isOurs) await notifyOps(opsIssue.entryRejected(id, why));
  };

  return {
    'deliver-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: false }),
    'deliver-late-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: true }),
    async 'quarantine-webhook'(webhook) {
      await stores.quarantined.keep(webhook);
      await notifyOps(opsIssue.quarantined(webhook));
    },
    'flush-outbox': ({ channel }) => outbox.flush(channel),
    'delete-late-copies': (copies, { starts }) => outbox.deleteLateCopies(copies, starts),
    async 'repost-entry'({ channel, entry }) {
      await stores.outbox.put(channel, fromStoredAs('an entry of the outbox', OutboxEntry, entry));
      await send.wakeOutbox(channel);
    },
    'hand-on-entry': ({ entry }) => toJob(entry as InboxEntry, enqueue, true),
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
    async 'perform-action'({ action, signature }, attempt) {
      const rejection = await genuine.whyNot({ action, signature }, attempt);
      if (rejection !== null) return await reject(action, rejection);
      await verbs.performAction(action, attempt);
      await genuine.performed(action);
      metrics.actionAnswered(action.verb, now().getTime() - Date.parse(action.askedAt));
    },
    'record-refusal': ({ action, why, signature }) =>
      signer.verify({ action, why }, signature)
        ? verbs.recordRefusal(action, { why })
        : reject(action, { why: NOT_SIGNED, isOurs: false }),
    'record-refusals': ({ action, first }) => verbs.recordRefusals(action, first),
    'verify-action': ({ actionId }) => verbs.verifyAction(actionId),
    'end-temporary-change': ({ temporaryChangeId, isEarly }) => verbs.endTemporaryChange(temporaryChangeId, isEarly),
    'end-mute': ({ muteId }) => verbs.endMute(muteId),
    'end-undo': ({ actionId }) => verbs.endUndo(actionId),
    'end-claim': ({ claimId }) => verbs.endClaim(claimId),
    'expire-request': ({ requestId }) => verbs.ageRequest(requestId),
    'recover-gap': recovery.run,
    'send-digest': ({ channel, kind }) => digests.sendDigest.due(channel, kind),
    'refresh-directory': recovery.refreshDirectory,
    // App Home is rendered after it, as after every job that may change what it shows.
    'refresh-homes': async () => {},
    'remind-of-activation': alerts.remind,
  };
}
