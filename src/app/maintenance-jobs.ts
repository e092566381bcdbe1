import type { Queue } from 'bullmq';
import type { Gap } from '../core/gap.ts';
import { backoff, keepFailedOnly } from './jobs.ts';

/** What is to be looked at later, or now and then. */
export interface MaintenanceJobs {
  /** Wakes the worker at `atMs` to end a temporary change. */
  endTemporaryChange(temporaryChangeId: string, atMs: number): Promise<void>;
  /** Ends it now, whatever its timer says. */
  endTemporaryChangeNow(temporaryChangeId: string): Promise<void>;
  /** Wakes the worker at `atMs` to look whether a change can be seen. */
  confirmAction(actionId: string, atMs: number): Promise<void>;
  /** Closes a gap: once, however often it is asked for. */
  recoverGap(gap: Gap): Promise<void>;
  /** Wakes the worker at `atMs` to end a mute. */
  endMute(muteId: string, atMs: number): Promise<void>;
  /** Looks after a request until it is decided: reminds, and ends it. */
  ageRequest(requestId: string): Promise<void>;
  /** Wakes the worker at `atMs` to take *Undo* away. */
  endUndo(actionId: string, atMs: number): Promise<void>;
  /** Wakes the worker at `atMs` to end a claim that nobody decided. */
  endClaim(claimId: string, atMs: number): Promise<void>;
  /** Runs an upkeep job every `everyMs`, once for all workers. */
  every(name: string, everyMs: number): Promise<void>;
  /** Rings whenever a digest is due, by the clock of a zone, for as long as it is not taken away. */
  scheduleDigest(digest: { channel: string; kind: string }, pattern: string, zone: string): Promise<void>;
  unscheduleDigest(digest: { channel: string; kind: string }): Promise<void>;
  hasDigest(digest: { channel: string; kind: string }): Promise<boolean>;
}

/** What was to be temporary must not stay because a job was given up. */
const neverGivenUp = {
  ...keepFailedOnly,
  removeOnFail: true,
  attempts: 1000,
  backoff: { type: 'fixed', delay: 30_000 },
} as const;

const at = (ms: number): { delay: number } => ({ delay: Math.max(0, ms - Date.now()) });

const digestKey = (channel: string, kind: string): string => `digest-${channel}-${kind}`;

/** Producer side of the upkeep queue. */
export function createMaintenanceJobs(queue: Queue): MaintenanceJobs {
  return {
    async endTemporaryChange(temporaryChangeId, atMs) {
      await queue.add(
        'end-lease',
        { temporaryChangeId },
        { ...neverGivenUp, jobId: `lease-${temporaryChangeId}`, ...at(atMs) },
      );
    },
    async endTemporaryChangeNow(temporaryChangeId) {
      await queue.add('end-lease', { temporaryChangeId }, { ...neverGivenUp, jobId: `lease-${temporaryChangeId}-now` });
    },
    async confirmAction(actionId, atMs) {
      await queue.add(
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
      await queue.add('recover-gap', gap, {
        ...keepFailedOnly,
        jobId: `recover-${gap.id}`,
        attempts: 12,
        backoff,
      });
    },
    async endMute(muteId, atMs) {
      await queue.add(
        'end-mute',
        { muteId },
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
    async ageRequest(requestId) {
      await queue.add('age-request', { requestId }, { ...neverGivenUp, jobId: `age-${requestId}` });
    },
    async endUndo(actionId, atMs) {
      await queue.add('end-undo', { actionId }, { ...neverGivenUp, jobId: `undo-${actionId}`, ...at(atMs) });
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
      await queue.add('end-claim', { claimId }, options);
    },
    async every(name, everyMs) {
      await queue.upsertJobScheduler(
        name,
        { every: everyMs },
        { name, data: {}, opts: { ...keepFailedOnly, removeOnFail: true } },
      );
    },
    async scheduleDigest({ channel, kind }, pattern, tz) {
      await queue.upsertJobScheduler(
        digestKey(channel, kind),
        { pattern, tz },
        { name: 'send-digest', data: { channel, kind }, opts: { ...keepFailedOnly, attempts: 12, backoff } },
      );
    },
    async unscheduleDigest({ channel, kind }) {
      await queue.removeJobScheduler(digestKey(channel, kind));
    },
    hasDigest: async ({ channel, kind }) => (await queue.getJobScheduler(digestKey(channel, kind))) !== undefined,
  };
}
