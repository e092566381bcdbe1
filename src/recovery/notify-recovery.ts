import { SlackError } from '../core/errors.ts';
import { type Gap, lengthOf } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

/** A recovery shorter than this shows no progress. */
const QUICK_MS = 3000;
/** Slack takes about one edit a second, but nobody reads that fast. */
const EDIT_EVERY_MS = 3000;
/**
 * After a shorter gap the service repeats its webhooks within four minutes: when nothing was missing, it is not reported.
 */
const WORTH_REPORTING_MS = 225_000;

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'update' | 'findByRef'>;
  readonly channel: string;
  readonly recoveries: Recoveries;
  readonly render: (
    gap: Gap,
    state: 'running' | 'waiting' | 'done' | 'failed',
    done: number,
    progress: RecoveryProgress,
  ) => Message;
  /** Posts the result when there is no message to edit. Posts once for each id. */
  readonly postNotice: (id: string, message: Message) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

export interface NotifyRecovery {
  /** Updates the progress message now and then. A Slack error is only logged. */
  progress(gap: Gap, state: 'running' | 'waiting', done: number, progress: RecoveryProgress): Promise<void>;
  /** Shows the result. @throws SlackError when a retry can help. */
  end(gap: Gap, state: 'done' | 'failed', progress: RecoveryProgress): Promise<void>;
}

/** One message, edited in place, that shows how far a recovery is. One that is quick and finds nothing is not shown. */
export function createNotifyRecovery(deps: Deps): NotifyRecovery {
  const { slack, channel, recoveries, now, log } = deps;
  const startedAt = new Map<string, number>();
  let editedAt = 0;

  return {
    async progress(gap, state, done, progress) {
      const since = startedAt.get(gap.id) ?? now();
      startedAt.set(gap.id, since);
      if (now() - since < QUICK_MS && progress.lineTs === null) return;
      if (now() - editedAt < EDIT_EVERY_MS) return;
      editedAt = now();
      try {
        await show(gap, deps.render(gap, state, done, progress), progress);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        log.warn({ err: error, gapId: gap.id }, 'the progress of a recovery could not be shown');
      }
    },
    async end(gap, state, progress) {
      startedAt.delete(gap.id);
      const isNews = state === 'failed' || progress.recovered + progress.unreadable > 0;
      const isLong = gap.cause === 'asked' || lengthOf(gap) >= WORTH_REPORTING_MS;
      if (!isNews && !isLong && progress.lineTs === null) return;
      const message = deps.render(gap, state, 1, progress);
      if (progress.lineTs !== null && (await edited(progress.lineTs, message))) return;
      await deps.postNotice(`recovery_${gap.id}`, message);
    },
  };

  async function show(gap: Gap, message: Message, { lineTs, position }: RecoveryProgress): Promise<void> {
    const ref = `recovery_${gap.id}`;
    // A worker may have posted it and crashed before it stored the timestamp.
    const ts = lineTs ?? (position === null ? null : await slack.findByRef(channel, ref, Date.parse(gap.to)));
    if (ts !== null) await slack.update({ channel, ts }, message);
    const posted = ts ?? (await slack.post(channel, message, ref)).ts;
    if (lineTs === null) await recoveries.write(gap.id, { lineTs: posted });
  }

  async function edited(ts: string, message: Message): Promise<boolean> {
    try {
      await slack.update({ channel, ts }, message);
      return true;
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      return false;
    }
  }
}
