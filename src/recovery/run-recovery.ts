import { recoveryStarted } from '../../templates/recovery/recovery-line.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { CardApiError, SlackError, StoreUnavailableError } from '../core/errors.ts';
import type { Gap } from '../core/gap.ts';
import { commandCode } from '../core/installation.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Since } from '../core/since.ts';
import type { NotifyRecovery } from './notify-recovery.ts';
import type { OnProgress, RecoverGap } from './recover-gap.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';
import type { RecoverAction } from './verbs.ts';

interface StartDeps extends Pick<ActionTools, 'answer' | 'record' | 'refuse'> {
  /** The typed start time, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
  /** Enqueues the recovery. */
  readonly recoverGap: (gap: Gap) => Promise<void>;
  /** Where progress is shown. */
  readonly opsChannel: string;
}

/** `/card recover …`: audits the request, enqueues the recovery, and says where its progress is shown. */
export function createStartRecovery({ momentOf, recoverGap, opsChannel, answer, record, refuse }: StartDeps) {
  return async function startRecovery(action: RecoverAction): Promise<void> {
    const from = momentOf(action.target.since, action.askedAt);
    if (from === null || from >= action.askedAt) {
      const why = from === null ? 'There is no such date.' : 'That is not in the past.';
      const whoCan = `Write ${commandCode('recover 2h')} or ${commandCode('recover 2026-11-20T09:00')}.`;
      return await refuse(action, { why, whoCan });
    }
    await record(action, { event: 'done', isFirst: true, detail: `what was missed since ${from}` });
    await recoverGap({ id: action.id, from, to: action.askedAt, cause: 'asked' });
    await answer(action, recoveryStarted({ from, channel: opsChannel }));
  };
}

const BUSY_PAUSE_MS = 1000;
const API_DOWN_PAUSE_MS = 15_000;
const TOKEN_DEAD_PAUSE_MS = 60_000;
const SLACK_PAUSE_MS = 5000;

interface Deps {
  readonly recoverGap: RecoverGap;
  readonly notify: NotifyRecovery;
  readonly recoveries: Pick<Recoveries, 'read'>;
  /** @throws StoreUnavailableError immediately while another recovery is running. */
  readonly tryLock: WithLock;
  /** Waits for a running recovery to end. */
  readonly withLock: WithLock;
  readonly log: Log;
}

export function createRunRecovery({ recoverGap, notify, recoveries, tryLock, withLock, log }: Deps) {
  return {
    /**
     * Closes a gap, as a job. Only one recovery runs at a time, across all workers.
     *
     * @returns milliseconds after which to continue, or null when the gap is closed or cannot be closed.
     */
    async run(gap: Gap): Promise<number | null> {
      try {
        return await tryLock('recovery', () => runAlone(gap));
      } catch (error) {
        if (error instanceof StoreUnavailableError) return BUSY_PAUSE_MS;
        throw error;
      }
    },

    /** The same from a terminal: shows the progress there, and the result also in Slack. @throws CardApiError */
    async runHere(gap: Gap, onProgress: OnProgress): Promise<RecoveryProgress> {
      const progress = await withLock('recovery', () => recoverGap(gap, onProgress));
      await notify.end(gap, 'done', progress);
      return progress;
    },
  };

  async function runAlone(gap: Gap): Promise<number | null> {
    try {
      const result = await recoverGap(gap, (done, progress) => notify.progress(gap, 'running', done, progress));
      await notify.end(gap, 'done', result);
      return null;
    } catch (error) {
      if (error instanceof SlackError) return error.retryAfterMs ?? SLACK_PAUSE_MS;
      if (!(error instanceof CardApiError)) throw error;
      log.warn({ err: error, gap }, 'could not close a gap');
      const progress = await recoveries.read(gap.id);
      if (error.retryable || error.code === 'token_dead') {
        await notify.progress(gap, 'waiting', 0, progress);
        return error.code === 'token_dead' ? TOKEN_DEAD_PAUSE_MS : API_DOWN_PAUSE_MS;
      }
      await notify.end(gap, 'failed', progress);
      return null;
    }
  }
}
