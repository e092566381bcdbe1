import type { JobsOptions } from 'bullmq';
import { z } from 'zod';
import { Action as AnyAction } from '../actions/action.ts';
import { Alert } from '../alerts/alert.ts';
import { HomeOpened } from '../app-home/viewer-store.ts';
import { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import { Gap } from '../core/gap.ts';
import type { QueueName } from '../core/queues.ts';
import type { Reads } from '../core/unknown-fields.ts';
import { digestKinds } from '../digests/schedule-store.ts';
import { Action } from '../dispatch/verbs.ts';
import { NotifyPerson } from '../holders/notify-holder.ts';
import { Burst, burstId } from '../intake/burst.ts';
import { LateCopies } from '../outbox/send-message.ts';
import { Subject } from '../outbox/tracked-message-store.ts';

/** How a job is tried again. Finished jobs go at once: what was done is remembered elsewhere, smaller. */
type Retry = Readonly<Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail' | 'attempts' | 'backoff'>>;

const removeOnComplete = true;

/** A job that fails for good stays in Redis for two weeks, to be looked at and replayed. */
const FAILED_KEPT_SECONDS = 14 * 24 * 3600;

const times = (attempts: number): Retry => ({
  removeOnComplete,
  removeOnFail: { age: FAILED_KEPT_SECONDS },
  attempts,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
});

/** Nobody would look at it when it failed for good: another of its kind comes, or the sweep adds it again. */
const discardOnFailure = (retry: Retry): Retry => ({ ...retry, removeOnFail: true });

const everySeconds = (seconds: number, attempts: number): Retry =>
  discardOnFailure({ ...times(attempts), backoff: { type: 'fixed', delay: seconds * 1000 } });

const once: Retry = { removeOnComplete, removeOnFail: true, attempts: 1 };

/** What was to be temporary must not stay because a job was given up. */
const untilDone = everySeconds(30, 1000);

/** One kind of job: in which queue it waits, what it carries, how it is tried again. What it does is in `JobHandlers`. */
export interface Job<Data> {
  readonly queue: QueueName;
  readonly data: Reads<Data>;
  readonly retry: Retry;
  /** While a job with this id is in Redis, another is not added: adding may be repeated. */
  readonly id?: (data: Data) => string;
  /** Given: by what its shard is found; otherwise by its id. One that has neither is in shard 0. */
  readonly shardBy?: (data: Data) => string;
  /** Of several with this key that wait, one stays; while one runs, one more is kept for afterwards. */
  readonly mergeBy?: (data: Data) => string;
  /** Runs again and again, once for all workers. */
  readonly everyMs?: number;
  /** Run too early, it looks at what there is to do and puts itself off. */
  readonly mayRunEarly?: true;
  /** What it does may be shown in App Home. */
  readonly changesHome?: true;
  /** It calls Slack, and waits as long as Slack does not take the call. */
  readonly waitsForSlack?: true;
}

/** Lets TypeScript infer what each entry carries. */
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
const warning = { queue: 'maintenance', retry: discardOnFailure(times(3)) } as const;
/** Comes again by itself. */
const repeated = { queue: 'maintenance', data: nothing, retry: once } as const;

/** Every job there is. */
const table = {
  'deliver-alert': delivery,
  /** The same for an event that nobody was told of in time. */
  'deliver-late-alert': delivery,
  /** The same for events that were read together from the inbox: one job costs less than as many as there are events. */
  'deliver-burst': job({
    queue: 'bursts',
    data: Burst,
    retry: times(12),
    id: burstId,
    /** With its events, which come from one shard: each counts what waits there. */
    shardBy: ({ events: [first] }) => first?.event.id ?? '',
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
   * An entry of a newer version: it fails for good, and so is reported and can be replayed, unless such a version gets it.
   */
  'repost-entry': job({
    queue: 'outbox',
    data: z.strictObject({ channel: z.string(), entry: z.unknown() }),
    retry: times(3),
  }),
  /** The same of something that the web process has stored. */
  'hand-on-entry': job({ queue: 'alerts', data: z.strictObject({ entry: z.unknown() }), retry: times(3) }),

  /** In another queue than what people wait for. */
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
  /** Adds to an alert what the card API did not say in time. */
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
  /** For everybody who opened it lately. */
  'render-homes': job({ ...home, data: nothing, retry: discardOnFailure(times(3)), mergeBy: () => 'homes' }),

  'perform-action': job({
    queue: 'actions',
    data: z.strictObject({ action: Action, signature: z.string() }),
    retry: times(5),
    id: ({ action }) => action.id,
    changesHome: true,
  }),
  /** The alert of a fraud case that somebody opened. Not behind the webhooks: operators are told at once. */
  'announce-alert': job({
    queue: 'actions',
    data: Alert,
    retry: times(12),
    id: ({ event }) => `announce-${event.id}`,
    changesHome: true,
  }),
  'record-refusal': job({
    queue: 'actions',
    data: z.strictObject({ action: AnyAction, why: z.string(), signature: z.string() }),
    retry: times(12),
    id: ({ action }) => action.id,
    changesHome: true,
  }),

  /** Records together what one person was refused within a minute. */
  'record-refusals': job({
    ...maintenance,
    data: z.strictObject({ action: AnyAction, first: z.string() }),
    retry: times(12),
    id: ({ first }) => `refusals-${first}`,
  }),

  /** Looks whether a change that was sent can be seen. */
  'verify-action': job({
    ...maintenance,
    data: ofAction,
    retry: everySeconds(5, 100),
    mayRunEarly: true,
    id: ({ actionId }) => `verify-${actionId}`,
  }),
  'end-temporary-change': job({
    ...maintenance,
    /** `isEarly`: what it was made for has happened, so it ends before its time. */
    data: z.strictObject({ temporaryChangeId: z.string(), isEarly: z.boolean().optional() }),
    retry: untilDone,
    mayRunEarly: true,
    id: ({ temporaryChangeId, isEarly }) => `temporary-change-${temporaryChangeId}${isEarly === true ? '-early' : ''}`,
  }),
  'end-mute': job({
    ...maintenance,
    data: z.strictObject({ muteId: z.string() }),
    retry: everySeconds(30, 100),
    mayRunEarly: true,
    id: ({ muteId }) => `mute-${muteId}`,
  }),
  /** Takes *Undo* away. */
  'end-undo': job({ ...maintenance, data: ofAction, retry: untilDone, id: ({ actionId }) => `undo-${actionId}` }),
  'end-claim': job({
    ...maintenance,
    data: z.strictObject({ claimId: z.string() }),
    retry: discardOnFailure(times(12)),
    id: ({ claimId }) => `claim-${claimId}`,
  }),
  /** Looks after a request until it is decided: reminds, and ends it. */
  'expire-request': job({
    ...maintenance,
    data: z.strictObject({ requestId: z.string() }),
    retry: untilDone,
    mayRunEarly: true,
    id: ({ requestId }) => `expire-${requestId}`,
  }),
  /** What remains of a card's limits after a purchase. Several purchases in a row are looked at once. */
  'warn-of-limits': job({ ...warning, data: ofAccount, mergeBy: ({ acctId }) => `warn-limits-${acctId}` }),
  'warn-of-subscription': job({ ...warning, data: ofAlert, id: ({ alertId }) => `warn-subscription-${alertId}` }),
  'warn-of-expiry': job({ ...warning, data: ofAccount, mergeBy: ({ acctId }) => `warn-expiry-${acctId}` }),
  'recover-gap': job({ ...maintenance, data: Gap, retry: times(12), id: ({ id }) => `recover-${id}` }),
  /** The digest of a channel that is due on a date. */
  'send-digest': job({
    ...maintenance,
    data: z.strictObject({ channel: z.string(), kind: z.enum(digestKinds), date: z.string() }),
    retry: times(12),
    id: ({ channel, kind, date }) => `digest-${channel}-${kind}-${date}`,
  }),
  /** Adds the jobs of channels, and sends people's own; what a worker missed is made up for. */
  'send-digests': job({ ...repeated, mayRunEarly: true, everyMs: 60_000 }),
  /** What could not be copied is copied by the next one. */
  'copy-audit': job({ ...repeated, everyMs: 5000 }),
  /** Months that ended long ago: looking costs a few reads. */
  'archive-audit': job({ ...repeated, everyMs: 6 * 3_600_000 }),
  /** Asking costs nothing while the list is fresh; a list that failed comes again soon. */
  'refresh-directory': job({ ...repeated, everyMs: 30_000 }),
  /** What App Home counts down or lets run out is seldom older. */
  'refresh-homes': job({ ...repeated, changesHome: true, everyMs: 120_000 }),
  /** A card that nobody has activated for days is found soon enough. */
  'remind-of-activation': job({ ...repeated, changesHome: true, everyMs: 5 * 60_000 }),
};

export type JobName = keyof typeof table;
export type JobData<Name extends JobName> = z.output<(typeof table)[Name]['data']>;

export const jobs: { readonly [Name in JobName]: Job<JobData<Name>> } = table;

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name);
}

/** Whether a job of this name does nothing wrong before its time: all but what comes at an hour, or when its time is over. */
export function mayRunEarly(name: string): boolean {
  return isJobName(name) && (jobs[name].queue !== 'maintenance' || jobs[name].mayRunEarly === true);
}
