import { recoveryLine, recoveryStarted } from '../../templates/recovery/recovery-line.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { contentId } from '../core/content-id.ts';
import { BusyError, CardApiError, StoreUnavailableError } from '../core/errors.ts';
import type { Gap } from '../core/gap.ts';
import { commandCode } from '../core/installation.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Since } from '../core/since.ts';
import type { Message } from '../slack/message.ts';
import { ASKABLE_MS, isLong, isTooLongAgo, NOT_ASKABLE } from './gap-window.ts';
import type { OnProgress, RecoverGap } from './recover-gap.ts';
import type { Recoveries, RecoveryProgress, RecoveryShown } from './recovery-store.ts';
import { type RecoverAction, recentMoment } from './verbs.ts';

interface StartDeps extends Pick<ActionTools, 'record'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  /** The typed start time, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
  /** Enqueues the recovery. */
  readonly enqueueRecovery: (gap: Gap) => Promise<void>;
  /** Where progress is shown. */
  readonly opsChannel: string;
}

/** `/card recover …`: audits the request, enqueues the recovery, and says where its progress is shown. */
export function createStartRecovery({ momentOf, enqueueRecovery, opsChannel, responses, record }: StartDeps) {
  return async function startRecovery(action: RecoverAction): Promise<void> {
    const asked = momentOf(action.target.since, action.askedAt);
    const refused = (why: string): Promise<void> => {
      const whoCan = `Write ${commandCode('recover 2h')} or ${commandCode(`recover ${recentMoment(new Date(action.askedAt))}`)}.`;
      return responses.refuse(action, { why, whoCan });
    };
    if (asked === null) return await refused('There is no such date.');
    if (asked >= action.askedAt) return await refused('That is not in the past.');
    const [askedMs, nowMs] = [Date.parse(asked), Date.parse(action.askedAt)];
    if (isTooLongAgo(askedMs, nowMs)) return await refused(NOT_ASKABLE);
    const from = new Date(Math.max(askedMs, nowMs - ASKABLE_MS)).toISOString();
    await record(action, { event: 'done', begins: true, detail: `what was missed since ${from}` });
    await enqueueRecovery({ id: action.id, from, to: action.askedAt, cause: 'asked' });
    await responses.answer(action, recoveryStarted({ from, channel: opsChannel }));
  };
}

/** A recovery shorter than this shows no progress. */
const QUICK_MS = 3000;
/** Its message takes few of the edits that all channels share. */
const EDIT_EVERY_MS = 5000;

/** Shows the state of a recovery in its message, if it is worth one. Idempotent. @param done from 0 to 1. */
type ShowRecovery = (
  gap: Gap,
  state: RecoveryShown['state'],
  done: number,
  progress: RecoveryProgress,
) => Promise<void>;

interface ShowDeps {
  readonly recoveries: Pick<Recoveries, 'write'>;
  /** Posts its message unless there is one. */
  readonly post: (gapId: string) => Promise<void>;
  readonly updateMessage: (gapId: string) => Promise<void>;
  readonly now: () => Date;
}

/** A quick recovery that finds nothing has no message. */
export function createShowRecovery({ recoveries, post, updateMessage, now }: ShowDeps): ShowRecovery {
  const startedAt = new Map<string, number>();
  let shownAt = Number.NEGATIVE_INFINITY;
  return async function showRecovery(gap, state, done, progress) {
    const { from, to, cause } = gap;
    const since = startedAt.get(gap.id) ?? now().getTime();
    startedAt.set(gap.id, since);
    if (state === 'done' || state === 'failed') {
      startedAt.delete(gap.id);
      const { recovered, unsent, unreadable } = progress;
      const isNews = state === 'failed' || recovered - unsent + unreadable > 0;
      if (!isNews && cause !== 'asked' && !isLong(gap) && progress.shown === null) return;
    } else {
      if (now().getTime() - since < QUICK_MS && progress.shown === null) return;
      if (now().getTime() - shownAt < EDIT_EVERY_MS) return;
      shownAt = now().getTime();
    }
    await recoveries.write(gap.id, { shown: { from, to, cause, state, done } });
    await post(gap.id);
    await updateMessage(gap.id);
  };
}

/** The message of a recovery as it is now. */
export async function recoveryMessage(
  gapId: string,
  { recoveries }: { readonly recoveries: Pick<Recoveries, 'read'> },
): Promise<Message | null> {
  const progress = await recoveries.read(gapId);
  const { shown, start } = progress;
  // Also webhooks of events before the gap may be missing.
  return shown === null ? null : recoveryLine({ ...progress, ...shown, from: start ?? shown.from });
}

const BUSY_PAUSE_MS = 1000;
const API_DOWN_PAUSE_MS = 15_000;
const TOKEN_DEAD_PAUSE_MS = 60_000;

interface Deps {
  readonly recoverGap: RecoverGap;
  readonly show: ShowRecovery;
  readonly recoveries: Pick<Recoveries, 'read'>;
  /** @throws BusyError immediately while another recovery is running. */
  readonly tryLock: WithLock;
  /** Waits for a running recovery to end. */
  readonly withLock: WithLock;
  readonly log: Log;
}

export function createRunRecovery({ recoverGap, show, recoveries, tryLock, withLock, log }: Deps) {
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
        if (error instanceof BusyError) return BUSY_PAUSE_MS;
        throw error;
      }
    },

    /**
     * The same from a terminal: shows the progress there, and the result also in Slack. Continues a recovery of these times
     * that has not finished, and otherwise fetches everything again. @throws CardApiError, StoreUnavailableError
     */
    async runHere(asked: Gap, onProgress: OnProgress): Promise<RecoveryProgress> {
      const { gap, progress } = await withLock('recovery', async () => {
        const gap = await unfinished(asked);
        return { gap, progress: await recoverGap(gap, onProgress) };
      });
      await show(gap, 'done', 1, progress);
      return progress;
    },
  };

  /** Under another id if a recovery of these times has finished. What it reported is remembered by event, not by gap. */
  async function unfinished(gap: Gap): Promise<Gap> {
    for (let id = gap.id, times = 1; ; times += 1) {
      if ((await recoveries.read(id)).finishedAt === null) return { ...gap, id };
      id = contentId('gap_', [gap.from, gap.to, String(times)]);
    }
  }

  async function runAlone(gap: Gap): Promise<number | null> {
    let reached = 0;
    try {
      const result = await recoverGap(gap, (done, progress) => {
        reached = done;
        return show(gap, 'running', done, progress);
      });
      await show(gap, 'done', 1, result);
      return null;
    } catch (error) {
      if (!(error instanceof CardApiError || error instanceof StoreUnavailableError)) throw error;
      log.warn({ err: error, gap }, 'could not close a gap');
      const progress = await recoveries.read(gap.id);
      if (error.retryable || error.code === 'token_dead') {
        await show(gap, 'waiting', reached, progress);
        return error.code === 'token_dead' ? TOKEN_DEAD_PAUSE_MS : API_DOWN_PAUSE_MS;
      }
      await show(gap, 'failed', 1, progress);
      return null;
    }
  }
}
