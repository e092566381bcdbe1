import { CardApiError, SlackError, StoreUnavailableError } from '../core/errors.ts';
import type { Gap } from '../core/gap.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { NotifyRecovery } from './notify-recovery.ts';
import type { OnProgress, RecoverGap } from './recover-gap.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

const BUSY_PAUSE_MS = 1000;
const API_AWAY_PAUSE_MS = 15_000;
const TOKEN_DEAD_PAUSE_MS = 60_000;
const SLACK_PAUSE_MS = 5000;

interface Deps {
  readonly recoverGap: RecoverGap;
  readonly notify: NotifyRecovery;
  readonly recoveries: Pick<Recoveries, 'read'>;
  /** @throws StoreUnavailableError at once when another recovery runs. */
  readonly tryLock: WithLock;
  /** Waits for another recovery to end. */
  readonly withLock: WithLock;
  readonly log: Log;
}

export interface RunRecovery {
  /**
   * Closes a gap, as a job: one at a time over all workers.
   *
   * @returns milliseconds after which to go on, or null when it is closed, or cannot be.
   */
  run(gap: Gap): Promise<number | null>;
  /** The same for a terminal: progress is shown there, the result in Slack as well. @throws CardApiError */
  runHere(gap: Gap, onProgress: OnProgress): Promise<RecoveryProgress>;
}

export function createRunRecovery({ recoverGap, notify, recoveries, tryLock, withLock, log }: Deps): RunRecovery {
  return {
    async run(gap) {
      try {
        return await tryLock('recovery', () => runAlone(gap));
      } catch (error) {
        if (error instanceof StoreUnavailableError) return BUSY_PAUSE_MS;
        throw error;
      }
    },
    async runHere(gap, onProgress) {
      const progress = await withLock('recovery', () => recoverGap(gap, onProgress));
      await notify.end(gap, 'done', progress);
      return progress;
    },
  };

  async function runAlone(gap: Gap): Promise<number | null> {
    try {
      await notify.end(
        gap,
        'done',
        await recoverGap(gap, (done, progress) => notify.progress(gap, 'running', done, progress)),
      );
      return null;
    } catch (error) {
      if (error instanceof SlackError) return error.retryAfterMs ?? SLACK_PAUSE_MS;
      if (!(error instanceof CardApiError)) throw error;
      log.warn({ err: error, gap }, 'a gap cannot be closed yet');
      const progress = await recoveries.read(gap.id);
      if (error.retryable || error.code === 'token_dead') {
        await notify.progress(gap, 'waiting', 0, progress);
        return error.code === 'token_dead' ? TOKEN_DEAD_PAUSE_MS : API_AWAY_PAUSE_MS;
      }
      await notify.end(gap, 'failed', progress);
      return null;
    }
  }
}
