import type { Action } from '../actions/action.ts';
import { createGenuine, NOT_SIGNED, type Rejection } from '../actions/genuine.ts';
import { createReceiveEvent } from '../alerts/deliver-alert.ts';
import type { createHome } from '../app-home/render-home.ts';
import { createSigner } from '../core/sign.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { createNotifyPerson } from '../holders/notify-holder.ts';
import type { InboxEntry } from '../intake/intake.ts';
import { endPurchaseChanges } from '../limits/end-temporary-change.ts';
import * as opsIssue from '../ops/issue.ts';
import { OutboxEntry } from '../outbox/entry.ts';
import { createHeldUntil } from '../routing/held-until.ts';
import type { composeDelivery } from './compose-delivery.ts';
import type { composeDigests } from './compose-digests.ts';
import type { composeOutbox } from './compose-outbox.ts';
import type { composeRecovery } from './compose-recovery.ts';
import type { composeVerbs } from './compose-verbs.ts';
import type { composeWarnings } from './compose-warnings.ts';
import { toJob } from './inbox-jobs.ts';
import { remembered } from './remember-writes.ts';
import type { JobHandlers } from './run-job.ts';
import type { WorkerContext } from './worker-context.ts';

interface Capabilities {
  readonly verbs: ReturnType<typeof composeVerbs>;
  readonly delivery: ReturnType<typeof composeDelivery>;
  readonly outbox: ReturnType<typeof composeOutbox>;
  readonly digests: ReturnType<typeof composeDigests>;
  readonly home: ReturnType<typeof createHome>;
  readonly recovery: ReturnType<typeof composeRecovery>;
  readonly warnings: ReturnType<typeof composeWarnings>;
  readonly copyHeads: () => Promise<void>;
  readonly sendOwnDigests: () => Promise<void>;
}

/** What the worker does for each job. */
export function createJobHandlers(context: WorkerContext, capabilities: Capabilities): JobHandlers {
  const { verbs, delivery, outbox, digests, home, recovery, warnings } = capabilities;
  return {
    ...intakeJobs(context, capabilities),
    ...signedJobs(context, verbs),
    'flush-outbox': ({ channel }) => outbox.flush(channel),
    'delete-late-copies': (copies, { starts }) => outbox.deleteLateCopies(copies, starts),
    'update-messages': outbox.updateMessages,
    'notify-person': createNotifyPerson({
      ...context,
      heldUntil: createHeldUntil(context),
      groupAlert: delivery.groupAlert,
      updateMessages: context.updateAlert,
    }),
    'enrich-alert': ({ alertId }, { hasWaited }) => delivery.enrich(alertId, hasWaited),
    'open-home': home.open,
    'render-home': ({ userId }) => home.render(userId),
    'render-homes': home.renderAll,
    'record-refusals': ({ action, first }) => verbs.recordRefusals(action, first),
    'verify-action': ({ actionId }) => verbs.verifyAction(actionId),
    'end-temporary-change': ({ temporaryChangeId, isEarly }) => verbs.endTemporaryChange(temporaryChangeId, isEarly),
    'end-mute': ({ muteId }) => verbs.endMute(muteId),
    'end-undo': ({ actionId }) => verbs.endUndo(actionId),
    'end-claim': ({ claimId }) => verbs.endClaim(claimId),
    'expire-request': ({ requestId }) => verbs.ageRequest(requestId),
    'warn-of-limits': ({ acctId }) => warnings.warnOfLimits(acctId),
    'warn-of-subscription': ({ alertId }) => warnings.warnOfSubscription(alertId),
    'warn-of-expiry': ({ acctId }) => warnings.warnOfExpiry(acctId),
    'recover-gap': recovery.run,
    'send-digest': ({ channel, kind }) => digests.sendDigest.due(channel, kind),
    'send-own-digests': capabilities.sendOwnDigests,
    'copy-audit': capabilities.copyHeads,
    'refresh-directory': recovery.refreshDirectory,
    // App Home is rendered after it, as after every job that may change what it shows.
    'refresh-homes': async () => {},
    'remind-of-activation': delivery.remind,
  };
}

/** What came from the card service, and what a newer version has stored. */
function intakeJobs(context: WorkerContext, { verbs, delivery, recovery, warnings }: Capabilities) {
  const { enqueue, outbox, quarantined, wakeOutbox, notifyOps } = context;
  const receiveEvent = createReceiveEvent({
    ...context,
    ...delivery,
    isBackfilled: recovery.isBackfilled,
    virtualCardArrived: verbs.virtualCardArrived,
    warnAfter: warnings.afterEvent,
    endPurchaseChanges: (event) =>
      endPurchaseChanges(event, {
        ...context,
        endTemporaryChangeNow: (id) => enqueue('end-temporary-change', { temporaryChangeId: id, isEarly: true }),
      }),
  });
  return {
    'deliver-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: false }),
    'deliver-late-alert': (event, attempt) => receiveEvent(event, { ...attempt, isLate: true }),
    'announce-alert': (alert) => delivery.announce(alert),
    async 'quarantine-webhook'(webhook) {
      await quarantined.keep(webhook);
      await notifyOps(opsIssue.quarantined(webhook));
    },
    async 'repost-entry'({ channel, entry }) {
      await outbox.put(channel, fromStoredAs('an entry of the outbox', OutboxEntry, entry));
      await wakeOutbox(channel);
    },
    'hand-on-entry': ({ entry }) => toJob(entry as InboxEntry, enqueue, true),
  } satisfies Partial<JobHandlers>;
}

/** What the web process has signed. Nothing else is performed. */
function signedJobs(context: WorkerContext, verbs: Capabilities['verbs']) {
  const { config, redis, redo, now, metrics, notifyOps, log } = context;
  const signer = createSigner(config.slackBotToken, 'action');
  const genuine = createGenuine({ redis, signer, now });
  // What Redis has lost is taken again: what was done by then must not be done over what came after it.
  const performed = remembered(redo, genuine.performed);
  const reject = async ({ id, verb }: Pick<Action, 'id' | 'verb'>, { why, isOurs }: Rejection): Promise<void> => {
    log[isOurs ? 'info' : 'error']({ actionId: id, verb, why }, 'an entry of the queue was rejected');
    if (!isOurs) await notifyOps(opsIssue.entryRejected(id, why));
  };
  return {
    async 'perform-action'({ action, signature }, attempt) {
      const rejection = await genuine.whyNot({ action, signature }, attempt);
      if (rejection !== null) return await reject(action, rejection);
      await verbs.performAction(action, attempt);
      await performed(action);
      metrics.actionAnswered(action.verb, now().getTime() - Date.parse(action.askedAt));
    },
    'record-refusal': ({ action, why, signature }) =>
      signer.verify({ action, why }, signature)
        ? verbs.recordRefusal(action, { why })
        : reject(action, { why: NOT_SIGNED, isOurs: false }),
  } satisfies Partial<JobHandlers>;
}
