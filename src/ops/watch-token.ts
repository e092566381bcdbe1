import { CardApiError, SlackError } from '../core/errors.ts';
import { deadTokenCodes } from '../slack/failure.ts';
import { slackTokenDead } from './issue.ts';
import type { NotifyOpsDeps, NotifyResolved, OpsIssue } from './notify-ops.ts';
import { opsUnreachable } from './refused-messages.ts';

export const isCardTokenDead = (error: unknown): boolean =>
  error instanceof CardApiError && error.code === 'token_dead';

export const isSlackTokenDead = (error: unknown): boolean =>
  error instanceof SlackError && deadTokenCodes.includes(error.slackError);

/** How often a process reports that the token still works: another one may have found it dead. */
const ALIVE_EVERY_MS = 60_000;
/**
 * A token that no process found dead for this long, and that one could use, works. Well above the time between two calls of
 * a process at low traffic: one with the former token may not have been called meanwhile.
 */
const QUIET_MS = 30 * 60_000;

/**
 * Watches clients for ops, each with one token. Several processes use the same token, and during a rotation some have the
 * new one and others the former one. Ops are notified once, and again when no process finds its token dead.
 */
export function createTokenWatch(
  {
    memory,
    notifyResolved,
    now,
  }: {
    readonly memory: Pick<NotifyOpsDeps['memory'], 'noticeAgain' | 'lastNoticed'>;
    readonly notifyResolved: NotifyResolved;
    readonly now: () => Date;
  },
  elapsed: () => number = () => performance.now(),
) {
  /**
   * Wraps a client to report when the service starts to refuse our token and when it accepts it again, on any call.
   * Success is also reported after the first call, because a restart may have loaded a new token.
   *
   * @param first notifies of a dead token.
   */
  return function watchFor<Client extends object>(
    opsIssue: OpsIssue,
    client: Client,
    { isDead, first }: { readonly isDead: (error: unknown) => boolean; readonly first: () => Promise<void> },
  ): Client {
    let isAlive = false;
    let reportedAt = 0;
    const resolveIfQuiet = async (): Promise<void> => {
      const last = await memory.lastNoticed(opsIssue);
      if (last !== null && now().getTime() - Date.parse(last) > QUIET_MS) await notifyResolved(opsIssue);
    };
    const report = async (): Promise<void> => {
      if (isAlive && elapsed() - reportedAt < ALIVE_EVERY_MS) return;
      const wasAlive = isAlive;
      isAlive = true;
      reportedAt = elapsed();
      if (!wasAlive) await notifyResolved(opsIssue);
      // The call is done, whether Redis can be asked or not. The next one reports again.
      else resolveIfQuiet().catch(() => {});
    };
    const watched = (call: (...args: unknown[]) => Promise<unknown>) =>
      async function watchedCall(...args: unknown[]): Promise<unknown> {
        try {
          const answer = await call(...args);
          await report();
          return answer;
        } catch (error) {
          if (isDead(error)) {
            isAlive = false;
            if (!(await memory.noticeAgain(opsIssue, now().toISOString()))) await first();
          }
          throw error;
        }
      };
    const methods = Object.entries(client).map(([name, method]) => [name, watched(method)]);
    return Object.fromEntries(methods) as Client;
  };
}

export type WatchFor = ReturnType<typeof createTokenWatch>;

type Posts = { readonly post: (channel: string, ...rest: never[]) => Promise<unknown> };

/**
 * Watches Slack's token, and the posts in the ops channel. Neither can be reported in Slack while it lasts, so it is in
 * the log and the metrics, and in the ops channel when it is over.
 *
 * @param channels messages of the ops channel go to the fallback channel, if that is another one.
 */
export function watchSlack<Client extends Posts>(
  client: Client,
  watchFor: WatchFor,
  {
    channels,
    memory,
    now,
    log,
  }: Pick<NotifyOpsDeps, 'memory' | 'now' | 'log'> & {
    readonly channels: { readonly ops: string; readonly fallback: string };
  },
): Client {
  const { ops, fallback } = channels;
  /** The channels that could not be used when this process last posted there. */
  const unusable = new Set<string>();
  const isOpsUnreachable = (error: unknown): boolean =>
    error instanceof SlackError &&
    !isSlackTokenDead(error) &&
    (error.code === 'app_refused' ||
      (error.code === 'channel_unusable' && unusable.has(ops) && unusable.has(fallback)));
  const first = (opsIssue: OpsIssue, todo: string, words: string) => async (): Promise<void> => {
    log.fatal({ todo }, words);
    await memory.remember(opsIssue, now().toISOString());
  };
  const ofToken = watchFor(slackTokenDead, client, {
    isDead: isSlackTokenDead,
    first: first(slackTokenDead, 'set SLACK_BOT_TOKEN', 'Slack refuses the bot token'),
  });
  const postAnywhere: Client['post'] = async (channel, ...rest) => {
    try {
      const answer = await ofToken.post(channel, ...rest);
      unusable.delete(channel);
      return answer;
    } catch (error) {
      if (error instanceof SlackError && error.code === 'channel_unusable') unusable.add(channel);
      throw error;
    }
  };
  const inOps = watchFor(
    opsUnreachable,
    { post: postAnywhere },
    {
      isDead: isOpsUnreachable,
      first: first(opsUnreachable, 'see slackError in this log', 'Slack refuses messages in the ops channel'),
    },
  );
  const post: Client['post'] = (channel, ...rest) =>
    // What ops should read goes to the fallback channel while their own cannot be used.
    channel === ops || (channel === fallback && unusable.has(ops))
      ? inOps.post(channel, ...rest)
      : postAnywhere(channel, ...rest);
  return { ...ofToken, post };
}
