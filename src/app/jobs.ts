import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import { Action } from '../actions/action.ts';
import { Alert } from '../alerts/alert.ts';
import { HomeOpened } from '../app-home/viewer-store.ts';
import { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import { Gap } from '../core/gap.ts';
import type { QueueName } from '../core/queues.ts';
import type { Reads } from '../core/unknown-fields.ts';
import { digestKinds } from '../digests/schedule-store.ts';
import { isBlocking, VerbAction } from '../dispatch/verbs.ts';
import { NotifyPerson } from '../holders/notify-holder.ts';
import { Burst } from '../intake/burst.ts';
import { FAILED_KEPT_SECONDS } from '../ops/stuck.ts';
import { LateCopies } from '../outbox/late-copies.ts';
import { Subject } from '../outbox/tracked-message-store.ts';

/** How a job is retried. Finished jobs are removed at once: what was done is remembered elsewhere, in less space. */
type Retry = Readonly<Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail' | 'attempts' | 'backoff'>>;

const removeOnComplete = true;

const times = (attempts: number): Retry => ({
  removeOnComplete,
  removeOnFail: { age: FAILED_KEPT_SECONDS },
  attempts,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
});

/** No need to inspect these when they fail for good: another job of the same kind follows, or the sweep adds it again. */
const discardOnFailure = (retry: Retry): Retry => ({ ...retry, removeOnFail: true });

const everySeconds = (seconds: number, attempts: number): Retry =>
  discardOnFailure({ ...times(attempts), backoff: { type: 'fixed', delay: seconds * 1000 } });

const once: Retry = { removeOnComplete, removeOnFail: true, attempts: 1 };

/** Temporary things must not stay because a job was given up. */
const untilDone = everySeconds(30, 1000);

/** One kind of job: its queue, its data, its retries. What it does is in `JobHandlers`. */
interface Job<Data> {
  readonly queue: QueueName;
  readonly data: Reads<Data>;
  readonly retry: Retry;
  /** While a job with this id is in Redis, no other is added, so adding is safe to repeat. */
  readonly id?: (data: Data) => string;
  /** The value that selects its shard, if not its id. A job with neither goes to shard 0. */
  readonly shardBy?: (data: Data) => string;
  /** True for a job that lets the other jobs of its queue go first. Not for events: their counts leave such jobs out. */
  readonly yields?: (data: Data) => boolean;
  /** Waiting jobs with the same key are merged into one. While one runs, one more is kept for afterwards. */
  readonly mergeBy?: (data: Data) => string;
  /** Repeats at this interval, once for all workers together. */
  readonly everyMs?: number;
  /** If it runs too early, it checks what is due and delays itself. */
  readonly mayRunEarly?: true;
  /** What it does may be shown in App Home. */
  readonly changesHome?: true;
  /** Calls Slack, and waits while Slack rejects calls. */
  readonly waitsForSlack?: true;
}

/** Lets TypeScript infer the data type of each entry. */
const job = <Schema extends z.ZodType>(
  definition: Omit<Job<z.output<Schema>>, 'data'> & { readonly data: Schema },
): typeof definition => definition;

const ofAlert = z.strictObject({ alertId: z.string() });
const ofAccount = z.strictObject({ acctId: z.int() });
const ofAction = z.strictObject({ actionId: z.string() });
const nothing = z.strictObject({});

const delivery = job({ queue: 'alerts', data: StoredEvent, retry: times(12), id: ({ id }) => id, changesHome: true });
const message = { queue: 'updates', retry: times(10), waitsForSlack: true } as const;
const home = { queue: 'updates', waitsForSlack: true } as const;
const maintenance = { queue: 'maintenance', changesHome: true } as const;
/** Waits for the end of quiet hours. */
const warning = { queue: 'maintenance', retry: discardOnFailure(times(3)), mayRunEarly: true } as const;
const repeated = { queue: 'maintenance', data: nothing, retry: once } as const;

const table = {
  'deliver-alert': delivery,
  /** The same for an event that nobody was notified of in time. */
  'deliver-late-alert': delivery,
  /** The same for events that were read together from the inbox: one job costs less than one per event. */
  'deliver-burst': job({
    queue: 'bursts',
    data: Burst,
    retry: times(12),
    id: ({ id }) => id,
    /** Same shard as its events, which all come from one shard: each shard counts its own waiting events. */
    shardBy: ({ first }) => first,
    changesHome: true,
  }),
  'quarantine-webhook': job({
    queue: 'alerts',
    data: QuarantinedWebhook,
    retry: times(12),
    id: ({ id }) => `quarantine-${id}`,
    changesHome: true,
  }),

  'flush-outbox': job({
    queue: 'outbox',
    data: z.strictObject({ channel: z.string() }),
    retry: once,
    mergeBy: ({ channel }) => channel,
  }),
  /**
   * Wakes an outbox at a set time. Not a delayed `flush-outbox`: with the same key, earlier wakes would be merged into it,
   * and with a different one, two would run at once. Retried, because an older version does not know it.
   */
  'wake-outbox': job({
    queue: 'outbox',
    data: z.strictObject({ channel: z.string(), second: z.int() }),
    retry: discardOnFailure(times(5)),
    mergeBy: ({ channel, second }) => `wake-${channel}-${second}`,
  }),

  /** An entry of a newer version. It fails for good unless that version gets it, so it is reported and can be replayed. */
  'repost-entry': job({
    queue: 'outbox',
    data: z.strictObject({ channel: z.string(), entry: z.unknown() }),
    retry: times(3),
  }),
  /** The same for something that the web process has stored. */
  'forward-entry': job({ queue: 'alerts', data: z.strictObject({ entry: z.unknown() }), retry: times(3) }),

  /** In a different queue from work that people wait for. */
  'delete-late-copies': job({
    queue: 'maintenance',
    data: LateCopies,
    retry: times(10),
    waitsForSlack: true,
    mayRunEarly: true,
    id: ({ search, attempt }) => `copies-${search.ref}-${attempt}`,
  }),

  'update-messages': job({ ...message, data: Subject, mergeBy: ({ kind, id }) => `${kind}-${id}` }),
  'notify-person': job({
    ...message,
    data: NotifyPerson,
    retry: times(12),
    id: ({ userId, entry }) => `person-${userId}-${entry.id}`,
  }),
  /** Adds to an alert what the card API did not answer in time. */
  'enrich-alert': job({
    queue: 'updates',
    data: ofAlert,
    retry: times(3),
    id: ({ alertId }) => `enrich-${alertId}`,
  }),
  'open-home': job({ ...home, data: HomeOpened, retry: times(3), id: ({ id }) => id }),
  'render-home': job({
    ...home,
    data: z.strictObject({ userId: z.string() }),
    retry: times(3),
    mergeBy: ({ userId }) => `home-${userId}`,
  }),
  /** For everyone who opened App Home recently. */
  'render-homes': job({ ...home, data: nothing, retry: discardOnFailure(times(3)), mergeBy: () => 'homes' }),

  'perform-action': job({
    queue: 'actions',
    data: z.strictObject({ action: VerbAction, signature: z.string() }),
    retry: times(5),
    id: ({ action }) => action.id,
    yields: ({ action }) => !isBlocking(action.verb),
    changesHome: true,
  }),
  /** The alert of a fraud case that someone opened. Does not wait behind webhooks: operators are notified immediately. */
  'announce-alert': job({
    queue: 'actions',
    data: Alert,
    retry: times(12),
    id: ({ event }) => `announce-${event.id}`,
    changesHome: true,
  }),
  'record-refusal': job({
    queue: 'actions',
    data: z.strictObject({ action: Action, why: z.string(), signature: z.string() }),
    retry: times(12),
    id: ({ action }) => action.id,
    yields: () => true,
    changesHome: true,
  }),

  /** Records everything that one person was refused within a minute in one entry. */
  'record-refusals': job({
    ...maintenance,
    data: z.strictObject({ action: Action, first: z.string() }),
    retry: times(12),
    /** One more job runs for a refusal that is counted while this one runs. */
    mergeBy: ({ first }) => `refusals-${first}`,
  }),

  /** Checks whether a sent change is visible. */
  'verify-action': job({
    ...maintenance,
    data: ofAction,
    retry: everySeconds(5, 100),
    mayRunEarly: true,
    id: ({ actionId }) => `verify-${actionId}`,
  }),
  'end-temporary-change': job({
    ...maintenance,
    /** `isEarly`: its purpose has been fulfilled, so it ends early. */
    data: z.strictObject({ temporaryChangeId: z.string(), isEarly: z.boolean().optional() }),
    retry: untilDone,
    mayRunEarly: true,
    id: ({ temporaryChangeId, isEarly }) => `temporary-change-${temporaryChangeId}${isEarly === true ? '-early' : ''}`,
  }),
  /** Sets rules again that a late call has overwritten. */
  'restore-overwritten': job({
    ...maintenance,
    data: ofAccount,
    retry: once,
    mayRunEarly: true,
    id: ({ acctId }) => `overwritten-${acctId}`,
  }),
  'end-mute': job({
    ...maintenance,
    data: z.strictObject({ muteId: z.string() }),
    retry: everySeconds(30, 100),
    mayRunEarly: true,
    id: ({ muteId }) => `mute-${muteId}`,
  }),
  'end-undo': job({ ...maintenance, data: ofAction, retry: untilDone, id: ({ actionId }) => `undo-${actionId}` }),
  'end-claim': job({
    ...maintenance,
    data: z.strictObject({ claimId: z.string() }),
    retry: discardOnFailure(times(12)),
    id: ({ claimId }) => `claim-${claimId}`,
  }),
  /** Watches a request until it is decided: reminds people, and ends it. */
  'age-request': job({
    ...maintenance,
    data: z.strictObject({ requestId: z.string() }),
    retry: untilDone,
    mayRunEarly: true,
    id: ({ requestId }) => `age-${requestId}`,
  }),
  /** After a card's status or rules have changed: its open requests and App Home show that. */
  'refresh-requests': job({
    ...maintenance,
    data: ofAccount,
    retry: discardOnFailure(times(5)),
    mergeBy: ({ acctId }) => `requests-of-${acctId}`,
  }),
  /** Checks what remains of a card's limits after a purchase. Several purchases in a row share one check. */
  'warn-of-limits': job({ ...warning, data: ofAccount, mergeBy: ({ acctId }) => `warn-limits-${acctId}` }),
  'warn-of-subscription': job({ ...warning, data: ofAlert, id: ({ alertId }) => `warn-subscription-${alertId}` }),
  'warn-of-expiry': job({
    ...warning,
    data: z.strictObject({ acctId: z.int(), cardId: z.int() }),
    mergeBy: ({ acctId, cardId }) => `warn-expiry-${acctId}-${cardId}`,
  }),
  'recover-gap': job({ ...maintenance, data: Gap, retry: times(12), id: ({ id }) => `recover-${id}` }),
  'send-digest': job({
    ...maintenance,
    data: z.strictObject({ channel: z.string(), kind: z.enum(digestKinds), dueMs: z.int() }),
    retry: times(12),
    id: ({ channel, kind, dueMs }) => `digest-${channel}-${kind}-${dueMs}`,
  }),
  /** Adds the jobs of channels, and sends people's own digests. Catches up on anything that a worker missed. */
  'send-digests': job({ ...repeated, mayRunEarly: true, everyMs: 60_000 }),
  /** Entries that could not be copied are copied by the next run. */
  'copy-audit': job({ ...repeated, everyMs: 5000 }),
  /** For months that ended long ago. A check costs a few reads. */
  'archive-audit': job({ ...repeated, everyMs: 6 * 3_600_000 }),
  'remove-old-failed': job({ ...repeated, everyMs: 3_600_000 }),
  /** Costs nothing while the list is fresh. A list that failed is retried soon. */
  'refresh-directory': job({ ...repeated, everyMs: 30_000 }),
  /** Costs one call of the card service. */
  'check-webhooks': job({ ...repeated, everyMs: 3_600_000 }),
  /** Countdowns and expiring items in App Home are rarely older than this. */
  'refresh-homes': job({ ...repeated, changesHome: true, everyMs: 120_000 }),
  /** Often enough for a card that nobody has activated for days. */
  'remind-of-activation': job({ ...repeated, changesHome: true, everyMs: 5 * 60_000 }),
  /** Costs one read while no order is overdue. */
  'report-overdue-orders': job({ ...repeated, everyMs: 60_000 }),
};

export type JobName = keyof typeof table;
export type JobData<Name extends JobName> = z.output<(typeof table)[Name]['data']>;

export const jobs: { readonly [Name in JobName]: Job<JobData<Name>> } = table;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name);
}

/**
 * Whether a job of this name does no harm before its time. True for all except jobs due at a set hour or at the end of
 * a period.
 */
export function mayRunEarly(name: string): boolean {
  return isJobName(name) && (jobs[name].queue !== 'maintenance' || jobs[name].mayRunEarly === true);
}
