import { z } from 'zod';
import { maskCardNumbers } from '../core/card-number.ts';
import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { jobFailed } from './issue.ts';
import type { NotifyOps, OpsIssue } from './notify-ops.ts';

const Failure = z.strictObject({
  /** Queue and job (`alerts/deliver-alert`). */
  what: z.string(),
  why: z.string(),
  jobId: z.string(),
});
type Failure = z.infer<typeof Failure>;

const WHY_MAX = 200;
/** Causes reported in one run. The others wait for the next one. */
const REPORTED_MAX = 100;

/** What ops are told of a job that failed for good. */
export function failureIssue({ what, why, jobId }: Failure): OpsIssue {
  return jobFailed(what, shortened(why), jobId);
}

/** The first line, without card numbers. */
function shortened(why: string): string {
  return (maskCardNumbers(why).split('\n')[0] ?? '').slice(0, WHY_MAX);
}

export type FailureCauses = ReturnType<typeof createFailureCauses>;

/**
 * The causes of jobs that failed for good, each with its first job, until ops are notified. A cause is reported no matter how
 * many jobs fail for another one.
 */
export function createFailureCauses(redis: RedisClient) {
  const key = stateKey('failure-causes');
  const store = createRecordHash({ redis, schema: Failure, key });
  return {
    /** To be called before a job fails, so that a crash cannot lose its cause. */
    async note({ why, ...job }: Failure): Promise<void> {
      const failure = { ...job, why: shortened(why) };
      // The first job stays.
      await redis.hsetnx(key, contentId('cause_', [failureIssue(failure).cause]), recordFormat(Failure).write(failure));
    },
    async report(notifyOps: NotifyOps): Promise<void> {
      const causes = (await redis.hrandfield(key, REPORTED_MAX)) as string[];
      for (const cause of causes) {
        const failure = await store.get(cause);
        if (failure !== null) await notifyOps(failureIssue(failure));
        await store.delete(cause);
      }
    },
  };
}
