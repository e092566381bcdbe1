import { type ConnectionOptions, Queue } from 'bullmq';
import type { z } from 'zod';
import type { StoredEvent } from '../alert/event.ts';
import type { Gap } from '../alert/gap.ts';
import type { QuarantinedWebhook } from '../alert/quarantined-webhook.ts';
import type { Action } from '../authority/action.ts';
import type { HomeOpened } from '../home/opened.ts';
import { QUEUE_PREFIX } from '../keys.ts';
import type { OutboxEntry } from '../store/outbox-entry.ts';
import type { RedisClient } from './connection.ts';
import { keepFailedOnly, type QueueName, queueNames } from './jobs.ts';

/** Producer side of every queue. Each `add` may be repeated: the job id, or the deduplication id, makes it one job. */
export interface Queues {
  /** @param isLate it was missed and fetched afterwards. */
  deliverAlert(event: StoredEvent, isLate: boolean): Promise<void>;
  quarantine(webhook: QuarantinedWebhook): Promise<void>;
  performAction(action: Action): Promise<void>;
  recordRefusal(action: Action): Promise<void>;
  /** Wakes the worker at `atMs` to end a temporary change. */
  endLease(leaseId: string, atMs: number): Promise<void>;
  /** Wakes the worker at `atMs` to look whether a change can be seen. */
  confirmAction(actionId: string, atMs: number): Promise<void>;
  /** Closes a gap: once, however often it is asked for. */
  recoverGap(gap: Gap): Promise<void>;
  /** Wakes the worker at `atMs` to end a mute. */
  endMute(muteId: string, atMs: number): Promise<void>;
  /** Ends it now, whatever its timer says. */
  endLeaseNow(leaseId: string): Promise<void>;
  /** Looks after a request until it is decided: reminds, and ends it. */
  ageRequest(requestId: string): Promise<void>;
  /** Wakes the worker at `atMs` to take *Undo* away. */
  endUndo(actionId: string, atMs: number): Promise<void>;
  /** Runs an upkeep job every `everyMs`, once for all workers. */
  every(name: string, everyMs: number): Promise<void>;
  /** Wakes a channel's outbox. While it runs, one more run is kept for afterwards. */
  flushOutbox(channel: string): Promise<void>;
  /** Wakes it after `ms`, whatever happens before. */
  flushOutboxIn(channel: string, ms: number): Promise<void>;
  /** Brings an alert's messages up to date, once for any number of changes in between. */
  updateMessage(alertId: string): Promise<void>;
  /** Adds the numbers of a limit to an alert that went out without them. */
  enrichAlert(alertId: string, delayMs: number): Promise<void>;
  /** The same for the message of a request, and for those of a temporary change. */
  updateRequest(requestId: string): Promise<void>;
  /** The same for the message of a claim. */
  updateClaim(claimId: string): Promise<void>;
  /** Wakes the worker at `atMs` to end a claim that nobody decided. */
  endClaim(claimId: string, atMs: number): Promise<void>;
  /** Brings an entry into a person's direct messages, once by the entry's id. */
  tellPerson(userId: string, entry: z.input<typeof OutboxEntry>): Promise<void>;
  updateLease(leaseId: string): Promise<void>;
  /** Somebody looks at App Home, or may do other things than before. */
  openHome(opened: HomeOpened): Promise<void>;
  /** Draws App Home for one person, once for any number of changes in between. */
  drawHome(userId: string): Promise<void>;
  /** Draws it for everybody who opened it lately, after `ms`: once for all that happens until then. */
  drawHomes(ms: number): Promise<void>;
  /** Rings whenever a digest is due, by the clock of a zone, for as long as it is not taken away. */
  scheduleDigest(digest: { channel: string; kind: string }, pattern: string, zone: string): Promise<void>;
  unscheduleDigest(digest: { channel: string; kind: string }): Promise<void>;
  hasDigest(digest: { channel: string; kind: string }): Promise<boolean>;
  queue(name: QueueName): Queue;
  close(): Promise<void>;
}

const digestKey = (channel: string, kind: string): string => `digest-${channel}-${kind}`;

export function createQueues(redis: RedisClient): Queues {
  const connection = redis as ConnectionOptions;
  const open = (name: QueueName): Queue => {
    const queue = new Queue(queueNames[name], { connection, prefix: QUEUE_PREFIX, skipVersionCheck: true });
    // The connection logs its own trouble.
    queue.on('error', () => {});
    return queue;
  };
  const queues: Record<QueueName, Queue> = {
    alerts: open('alerts'),
    outbox: open('outbox'),
    updates: open('updates'),
    actions: open('actions'),
    upkeep: open('upkeep'),
  };
  const backoff = { type: 'exponential', delay: 1000, jitter: 0.5 } as const;
  /** What was to be temporary must not stay because a job was given up. */
  const neverGivenUp = {
    ...keepFailedOnly,
    removeOnFail: true,
    attempts: 1000,
    backoff: { type: 'fixed', delay: 30_000 },
  } as const;
  const at = (ms: number): { delay: number } => ({ delay: Math.max(0, ms - Date.now()) });

  return {
    async deliverAlert(event, isLate) {
      const name = isLate ? 'deliver-late-alert' : 'deliver-alert';
      await queues.alerts.add(name, event, { ...keepFailedOnly, jobId: event.id, attempts: 12, backoff });
    },
    async quarantine(webhook) {
      await queues.alerts.add('quarantine', webhook, {
        ...keepFailedOnly,
        jobId: `quarantine-${webhook.id}`,
        attempts: 12,
        backoff,
      });
    },
    async performAction(action) {
      await queues.actions.add('perform-action', action, { ...keepFailedOnly, jobId: action.id, attempts: 5, backoff });
    },
    async recordRefusal(action) {
      await queues.actions.add('record-refusal', action, {
        ...keepFailedOnly,
        jobId: action.id,
        attempts: 12,
        backoff,
      });
    },
    async endLease(leaseId, atMs) {
      await queues.upkeep.add('end-lease', { leaseId }, { ...neverGivenUp, jobId: `lease-${leaseId}`, ...at(atMs) });
    },
    async endLeaseNow(leaseId) {
      await queues.upkeep.add('end-lease', { leaseId }, { ...neverGivenUp, jobId: `lease-${leaseId}-now` });
    },
    async ageRequest(requestId) {
      await queues.upkeep.add('age-request', { requestId }, { ...neverGivenUp, jobId: `age-${requestId}` });
    },
    async endUndo(actionId, atMs) {
      await queues.upkeep.add('end-undo', { actionId }, { ...neverGivenUp, jobId: `undo-${actionId}`, ...at(atMs) });
    },
    async confirmAction(actionId, atMs) {
      await queues.upkeep.add(
        'confirm-action',
        { actionId },
        {
          ...keepFailedOnly,
          removeOnFail: true,
          jobId: `confirm-${actionId}`,
          delay: Math.max(0, atMs - Date.now()),
          attempts: 100,
          backoff: { type: 'fixed', delay: 5000 },
        },
      );
    },
    async recoverGap(gap) {
      await queues.upkeep.add('recover-gap', gap, {
        ...keepFailedOnly,
        jobId: `recover-${gap.id}`,
        attempts: 12,
        backoff,
      });
    },
    async endMute(muteId, atMs) {
      await queues.upkeep.add(
        'end-mute',
        { muteId },
        // One for each end: a mute that was made longer has another.
        {
          ...keepFailedOnly,
          removeOnFail: true,
          jobId: `${muteId}-${atMs}`,
          delay: Math.max(0, atMs - Date.now()),
          attempts: 100,
          backoff: { type: 'fixed', delay: 30_000 },
        },
      );
    },
    async every(name, everyMs) {
      await queues.upkeep.upsertJobScheduler(
        name,
        { every: everyMs },
        { name, data: {}, opts: { ...keepFailedOnly, removeOnFail: true } },
      );
    },
    async flushOutbox(channel) {
      await queues.outbox.add(
        'flush-outbox',
        { channel },
        { ...keepFailedOnly, removeOnFail: true, deduplication: { id: channel, keepLastIfActive: true } },
      );
    },
    async flushOutboxIn(channel, ms) {
      await queues.outbox.add(
        'flush-outbox',
        { channel },
        {
          ...keepFailedOnly,
          removeOnFail: true,
          jobId: `later-${channel}-${Math.round((Date.now() + ms) / 1000)}`,
          delay: Math.ceil(ms),
        },
      );
    },
    async updateMessage(alertId) {
      await queues.updates.add(
        'update-message',
        { alertId },
        { ...keepFailedOnly, attempts: 10, backoff, deduplication: { id: alertId, keepLastIfActive: true } },
      );
    },
    async enrichAlert(alertId, delay) {
      await queues.updates.add(
        'enrich-alert',
        { alertId },
        { ...keepFailedOnly, jobId: `enrich-${alertId}`, delay, attempts: 3, backoff },
      );
    },
    async updateRequest(requestId) {
      await queues.updates.add(
        'update-request',
        { requestId },
        { ...keepFailedOnly, attempts: 10, backoff, deduplication: { id: requestId, keepLastIfActive: true } },
      );
    },
    async updateClaim(claimId) {
      await queues.updates.add(
        'update-claim',
        { claimId },
        { ...keepFailedOnly, attempts: 10, backoff, deduplication: { id: claimId, keepLastIfActive: true } },
      );
    },
    async endClaim(claimId, atMs) {
      const delay = Math.max(0, atMs - Date.now());
      const options = {
        ...keepFailedOnly,
        removeOnFail: true,
        jobId: `claim-${claimId}`,
        delay,
        attempts: 12,
        backoff,
      };
      await queues.upkeep.add('end-claim', { claimId }, options);
    },
    async tellPerson(userId, entry) {
      const options = { ...keepFailedOnly, jobId: `person-${userId}-${entry.id}`, attempts: 12, backoff };
      await queues.updates.add('tell-person', { userId, entry }, options);
    },
    async updateLease(leaseId) {
      await queues.updates.add(
        'update-lease',
        { leaseId },
        { ...keepFailedOnly, attempts: 10, backoff, deduplication: { id: leaseId, keepLastIfActive: true } },
      );
    },
    async openHome(opened) {
      await queues.updates.add('open-home', opened, { ...keepFailedOnly, jobId: opened.id, attempts: 3, backoff });
    },
    async drawHome(userId) {
      const deduplication = { id: `home-${userId}`, keepLastIfActive: true };
      await queues.updates.add('draw-home', { userId }, { ...keepFailedOnly, attempts: 3, backoff, deduplication });
    },
    async drawHomes(ms) {
      const options = { ...keepFailedOnly, removeOnFail: true, delay: ms, attempts: 3, backoff };
      await queues.updates.add(
        'draw-homes',
        {},
        { ...options, deduplication: { id: 'homes', keepLastIfActive: true } },
      );
    },
    async scheduleDigest({ channel, kind }, pattern, tz) {
      await queues.upkeep.upsertJobScheduler(
        digestKey(channel, kind),
        { pattern, tz },
        { name: 'send-digest', data: { channel, kind }, opts: { ...keepFailedOnly, attempts: 12, backoff } },
      );
    },
    async unscheduleDigest({ channel, kind }) {
      await queues.upkeep.removeJobScheduler(digestKey(channel, kind));
    },
    hasDigest: async ({ channel, kind }) =>
      (await queues.upkeep.getJobScheduler(digestKey(channel, kind))) !== undefined,
    queue: (name) => queues[name],
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}
