import type { Action } from '../actions/action.ts';
import { createActionCheck, NOT_SIGNED, type Rejection } from '../actions/action-check.ts';
import { createReceiveEvent, createReceiveStatus } from '../alerts/receive-event.ts';
import type { StoredEvent } from '../core/event.ts';
import { restoredKey } from '../core/keys.ts';
import { createSigner } from '../core/sign.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { createTakeTurn } from '../dispatch/take-turn.ts';
import { createNotifyPerson } from '../holders/notify-holder.ts';
import type { InboxEntry } from '../intake/intake.ts';
import * as opsIssue from '../ops/issue.ts';
import * as redisIssue from '../ops/redis-issue.ts';
import { removeOldFailed } from '../ops/stuck.ts';
import { OutboxEntry } from '../outbox/entry.ts';
import type { Throttle } from '../outbox/send-message.ts';
import { holdAsQuiet } from '../routing/held-until.ts';
import { createActionContext } from './action-context.ts';
import { composeArchiveMonths, composeCopyHeads } from './compose-audit.ts';
import { composeDelivery, composeWarnings } from './compose-delivery.ts';
import { composeDigests } from './compose-digests.ts';
import { composeHome } from './compose-home.ts';
import { composeOutbox } from './compose-outbox.ts';
import { composeRecovery } from './compose-recovery.ts';
import { composeVerbs } from './compose-verbs.ts';
import type { JobHandlers } from './consumer.ts';
import { createDeliverBurst } from './deliver-burst.ts';
import { createKeepIntervals, toJob } from './enqueue.ts';
import type { JobName } from './jobs.ts';
import { createSweep } from './maintenance.ts';
import { secretOf } from './programs.ts';
import { remembered } from './remember-writes.ts';
import type { WorkerContext } from './worker-context.ts';

type Parts = ReturnType<typeof composeParts>;

function composeParts(context: WorkerContext, throttle: Throttle) {
  const digests = composeDigests(context);
  return {
    digests,
    outbox: composeOutbox(context, throttle),
    home: composeHome(context),
    delivery: composeDelivery(context, digests.countDecline),
    verbs: composeVerbs(createActionContext(context, digests)),
    recovery: composeRecovery(context),
    warnings: composeWarnings(context),
  };
}

/** The worker's capabilities: its jobs, and everything besides. */
export function composeWorker(context: WorkerContext, throttle: Throttle) {
  const { config, queues, visibilityOf, metrics, log } = context;
  const parts = composeParts(context, throttle);
  const { outbox, verbs, home } = parts;
  return {
    handlers: handlersOf(context, parts),
    /** Notifies people who wait for a job that this version cannot read. */
    notifyUnreadable: async (name: JobName, data: unknown): Promise<void> => {
      if (name === 'perform-action') await verbs.failUnreadable(data);
    },
    homeChanged: home.changed,
    sweep: createSweep({
      ...context,
      waiting: context,
      hasEdits: outbox.hasEdits,
      measureOverdue: (ms) => metrics.outboxOverdue(config.program, ms),
      keepTimers: createKeepIntervals(queues, unneeded(config), context.now),
      holdAsQuiet: (channel) => holdAsQuiet(channel, context),
    }),
    /** At startup, notifies ops if a backup was restored. Those who read the channel did not run the command. */
    async reportRestore(): Promise<void> {
      const takenMs = await context.redis.get(restoredKey);
      if (takenMs === null) return;
      await context.notifyOps(redisIssue.backupRestored(new Date(Number(takenMs)).toISOString()));
    },
    /**
     * At startup, tells ops which of the configured channels are shared with another company. This is checked again
     * before each post, but people who start Cardbell should not learn it from the first request.
     */
    async checkChannels(): Promise<void> {
      for (const channel of new Set(Object.values(config.channels))) {
        if (channel === null || (await visibilityOf(channel)) !== 'shared') continue;
        log.warn(
          { channel },
          'a configured channel is shared with another company, so nothing that names people is posted there',
        );
        await context.notifyOps(opsIssue.channelShared(channel));
      }
    },
  };
}

function handlersOf(context: WorkerContext, parts: Parts): JobHandlers {
  const { verbs, delivery, outbox, digests, home, recovery, warnings } = parts;
  return {
    ...intakeJobs(context, parts),
    ...signedJobs(context, verbs),
    'flush-outbox': ({ channel }) => outbox.flush(channel),
    'wake-outbox': ({ channel }) => context.wakeOutbox(channel),
    'delete-late-copies': (copies, { starts }) => outbox.deleteLateCopies(copies, starts),
    'update-messages': outbox.updateMessages,
    'notify-person': createNotifyPerson({ ...context, groupAlert: delivery.groupAlert }),
    'enrich-alert': ({ alertId }, { hasWaited }) => delivery.enrich(alertId, hasWaited),
    'open-home': home.open,
    'render-home': ({ userId }) => home.render(userId),
    'render-homes': home.renderAll,
    'record-refusals': ({ action, first }) => verbs.recordRefusals(action, first),
    async 'refresh-requests'({ acctId }) {
      await home.cardChanged(acctId);
      await verbs.refreshRequests(acctId);
    },
    'verify-action': ({ actionId }) => verbs.verifyAction(actionId),
    'end-temporary-change': ({ temporaryChangeId, isEarly }) => verbs.endTemporaryChange(temporaryChangeId, isEarly),
    'restore-overwritten': ({ acctId }) => verbs.restoreOverwritten(acctId),
    'end-mute': ({ muteId }) => verbs.endMute(muteId),
    'end-undo': ({ actionId }) => verbs.endUndo(actionId),
    'end-claim': ({ claimId }) => verbs.endClaim(claimId),
    'age-request': ({ requestId }) => verbs.ageRequest(requestId),
    'warn-of-limits': ({ acctId }) => warnings.warnOfLimits(acctId),
    'warn-of-subscription': ({ alertId }) => warnings.warnOfSubscription(alertId),
    'warn-of-expiry': ({ acctId, cardId }) => warnings.warnOfExpiry(acctId, cardId),
    'recover-gap': recovery.run,
    'send-digest': digests.sendDigest.send,
    'send-digests': digests.sendDigests,
    'copy-audit': composeCopyHeads(context),
    'archive-audit': composeArchiveMonths(context),
    'remove-old-failed': () => removeOldFailed(context.queues, context.now().getTime()),
    'refresh-directory': recovery.refreshDirectory,
    'check-webhooks': recovery.checkWebhooks,
    // Like after every job that may change it, App Home is rendered after this one.
    'refresh-homes': async () => {},
    'remind-of-activation': delivery.remind,
    'report-overdue-orders': verbs.reportOverdueOrders,
  };
}

/** Recurring jobs that have nothing to do in this configuration. */
function unneeded({ audit }: WorkerContext['config']): JobName[] {
  return [
    ...(audit.sink === null ? ['copy-audit' as const] : []),
    ...(audit.archive === null ? ['archive-audit' as const] : []),
  ];
}

/** Jobs for data from the card service, and for entries that a newer version stored. */
function intakeJobs(context: WorkerContext, { verbs, delivery, recovery, warnings }: Parts) {
  const { enqueue, outbox, quarantined, notifyOps, metrics, log } = context;
  const receiveEvent = createReceiveEvent({
    ...delivery,
    receiveStatus: createReceiveStatus({
      ...context,
      ...delivery,
      isBackfilled: recovery.isBackfilled,
    }),
    noteArrival: recovery.noteArrival,
    virtualCardArrived: verbs.virtualCardArrived,
    warnAfter: warnings.afterEvent,
    endPurchaseChanges: verbs.endPurchaseChanges,
  });
  return {
    'deliver-alert': (event, run) => receiveEvent(event, { ...run, isLate: false }),
    'deliver-late-alert': (event, run) => receiveEvent(event, { ...run, isLate: true }),
    'deliver-burst': createDeliverBurst({
      deliver: (event, isLate) => receiveEvent(event, { isLate, hasWaited: false, isLast: false }),
      // Its own job reads it again, and fails if this version does not know it.
      handOn: (event, isLate) => toJob({ type: 'event', event: event as StoredEvent, isLate }, enqueue),
      measure: (outcome, ms) => metrics.jobRan('bursts', 'deliver-alert', outcome, ms),
      log,
    }),
    'announce-alert': async (alert) => void (await delivery.announce(alert)),
    async 'quarantine-webhook'(webhook) {
      await quarantined.keep(webhook);
      await notifyOps(opsIssue.quarantined(webhook));
    },
    async 'repost-entry'({ channel, entry }) {
      await outbox.put(channel, fromStoredAs('an entry of the outbox', OutboxEntry, entry));
    },
    'forward-entry': ({ entry }) => toJob(entry as InboxEntry, enqueue, true),
  } satisfies Partial<JobHandlers>;
}

/** Jobs signed by the web process. Nothing else is performed. */
function signedJobs(context: WorkerContext, verbs: Parts['verbs']) {
  const { config, redis, redo, now, metrics, notifyOps, log } = context;
  const signer = createSigner(secretOf(config), 'action');
  const genuine = createActionCheck({ redis, signer, now });
  const takeTurn = createTakeTurn();
  // When Redis loses a job, it is added again. Remember performed actions, so that an old one cannot overwrite a newer one.
  const performed = remembered(redo, genuine.performed);
  const reject = async ({ id, verb }: Pick<Action, 'id' | 'verb'>, { why, isOurs }: Rejection): Promise<void> => {
    log[isOurs ? 'info' : 'error']({ actionId: id, verb, why }, 'an entry of the queue was rejected');
    if (!isOurs) await notifyOps(opsIssue.entryRejected(id, why));
  };
  return {
    async 'perform-action'({ action, signature }, run) {
      const rejection = await genuine.whyNot({ action, signature }, run);
      if (rejection !== null) return await reject(action, rejection);
      await takeTurn(action, () => verbs.performAction(action, run));
      await performed(action);
      metrics.actionAnswered(action.verb, now().getTime() - Date.parse(action.askedAt));
    },
    'record-refusal': ({ action, why, signature }) =>
      signer.verify({ action, why }, signature)
        ? verbs.recordRefusal(action, { why })
        : reject(action, { why: NOT_SIGNED, isOurs: false }),
  } satisfies Partial<JobHandlers>;
}
