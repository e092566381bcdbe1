import { SlackError } from '../core/errors.ts';
import { type Gap, isLong } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

/** A recovery shorter than this shows no progress. */
const QUICK_MS = 3000;
/** Slack accepts about one edit per second, but nobody reads that fast. */
const EDIT_EVERY_MS = 3000;

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'update' | 'findMessages'>;
  readonly channel: string;
  readonly recoveries: Recoveries;
  readonly render: (
    gap: Gap,
    state: 'running' | 'waiting' | 'done' | 'failed',
    done: number,
    progress: RecoveryProgress,
  ) => Message;
  /** Posts the result when there is no message to edit. Posts once per id. */
  readonly postNotice: (id: string, message: Message) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

export type NotifyRecovery = ReturnType<typeof createNotifyRecovery>;

/**
 * One message, edited in place, that shows the progress of a recovery. A quick recovery that finds nothing shows no
 * message.
 */
export function createNotifyRecovery(deps: Deps) {
  const { slack, channel, recoveries, now, log } = deps;
  const startedAt = new Map<string, number>();
  let editedAt = 0;

  return {
    /** Updates the progress message periodically. A Slack error is only logged. */
    async progress(gap: Gap, state: 'running' | 'waiting', done: number, progress: RecoveryProgress): Promise<void> {
      const since = startedAt.get(gap.id) ?? now();
      startedAt.set(gap.id, since);
      if (now() - since < QUICK_MS && progress.lineTs === null) return;
      if (now() - editedAt < EDIT_EVERY_MS) return;
      editedAt = now();
      try {
        await show(gap, deps.render(gap, state, done, progress), progress);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        log.warn({ err: error, gapId: gap.id }, 'could not show the progress of a recovery');
      }
    },
    /** Shows the result. @throws SlackError when a retry can help. */
    async end(gap: Gap, state: 'done' | 'failed', progress: RecoveryProgress): Promise<void> {
      startedAt.delete(gap.id);
      const isNews = state === 'failed' || progress.recovered + progress.unreadable > 0;
      const isWorthReporting = isNews || gap.cause === 'asked' || isLong(gap);
      if (!isWorthReporting && progress.lineTs === null) return;
      const message = deps.render(gap, state, 1, progress);
      const ts = await lineOf(gap, progress);
      if (ts !== null && (await edited(ts, message))) return;
      await deps.postNotice(refOf(gap), message);
    },
  };

  async function show(gap: Gap, message: Message, progress: RecoveryProgress): Promise<void> {
    const found = await lineOf(gap, progress);
    if (found !== null) await slack.update({ channel, ts: found }, message);
    // Searched only once: Slack may take longer to show it than the time until the next update.
    else if (progress.lineTs !== null) return;
    else await recoveries.write(gap.id, { lineTs: '' });
    const ts = found ?? (await slack.post(channel, message, refOf(gap))).ts;
    if (ts !== progress.lineTs) await recoveries.write(gap.id, { lineTs: ts });
  }

  /** The message may have been posted already: the answer was lost, or a worker crashed before storing the timestamp. */
  async function lineOf(gap: Gap, { lineTs }: RecoveryProgress): Promise<string | null> {
    if (lineTs !== null && lineTs !== '') return lineTs;
    try {
      const found = await slack.findMessages({ channel, threadTs: null, sinceMs: null });
      return found.find(({ ref }) => ref === refOf(gap))?.ts ?? null;
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable) throw error;
      return null;
    }
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

function refOf(gap: Gap): string {
  return `recovery_${gap.id}`;
}
