import { contentId } from '../core/content-id.ts';
import { CardApiError, SlackError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Message } from '../slack/message.ts';

/** A problem of Cardbell itself, described for the people who run it. */
export interface OpsIssue {
  /** Identifies the issue: people are notified of the same cause once a day. */
  readonly cause: string;
  readonly title: string;
  readonly what: string;
  readonly means: string;
  readonly todo: string | null;
  readonly ref?: string;
  /** The text posted once it is over. If omitted, the same text. */
  readonly resolved?: Pick<OpsIssue, 'what' | 'means'>;
}

export type NotifyOps = (opsIssue: OpsIssue) => Promise<void>;

interface Deps {
  readonly memory: OpsMemory;
  /** Posts to the ops channel, once per id. */
  readonly post: (id: string, message: Message) => Promise<void>;
  readonly render: (opsIssue: OpsIssue, isResolved: boolean, at: string) => Message;
  readonly now: () => Date;
  readonly log: Log;
}

/** Notifies the ops channel that an issue is resolved, if it was notified of the issue. */
export type NotifyResolved = (opsIssue: OpsIssue) => Promise<void>;

/** A short key for a cause, which may be long. */
export function causeKey({ cause }: Pick<OpsIssue, 'cause'>): string {
  return contentId(`${cause.slice(0, 60)}:`, [cause]);
}

/** Notifies the ops channel, once per cause until it is resolved or a day has passed. */
export function createNotifyOps({ memory, post, render, now, log }: Deps): {
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
} {
  return {
    async notifyOps(opsIssue) {
      const cause = causeKey(opsIssue);
      if (await memory.isKnown(cause)) return;
      const at = now().toISOString();
      log.error({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue');
      await post(contentId('ops_', [opsIssue.cause, at.slice(0, 13)]), render(opsIssue, false, at));
      // Last: after a crash the notification is repeated, and its id makes that harmless.
      await memory.remember(cause);
    },

    async notifyResolved(opsIssue) {
      const cause = causeKey(opsIssue);
      if (!(await memory.isKnown(cause))) return;
      const at = now().toISOString();
      log.info({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue resolved');
      const message = render({ ...opsIssue, ...opsIssue.resolved, todo: null }, true, at);
      await post(contentId('ops_over_', [opsIssue.cause, at.slice(0, 16)]), message);
      await memory.forget(cause);
    },
  };
}

/** How soon people are notified of the same issue again. */
const SILENT_SECONDS = 24 * 3600;

type OpsMemory = ReturnType<typeof createOpsMemory>;

export function createOpsMemory(redis: RedisClient) {
  const keyOf = (cause: string): string => stateKey(`ops-issue:${cause}`);
  return {
    /** True when people have been notified of a cause. */
    async isKnown(cause: string): Promise<boolean> {
      return (await redis.exists(keyOf(cause))) === 1;
    },
    async remember(cause: string): Promise<void> {
      await redis.set(keyOf(cause), '1', 'EX', SILENT_SECONDS);
    },
    /** The issue is resolved. @returns whether people had been notified of it. */
    async forget(cause: string): Promise<boolean> {
      return (await redis.del(keyOf(cause))) === 1;
    },
  };
}

/** Slack's codes for a token that will not work again. Its other codes concern a channel or a message. */
const slackTokenDead = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

export const isCardTokenDead = (error: unknown): boolean =>
  error instanceof CardApiError && error.code === 'token_dead';

export const isSlackTokenDead = (error: unknown): boolean =>
  error instanceof SlackError && slackTokenDead.has(error.slackError);

/**
 * Wraps a client to report when the service starts to refuse our token and when it accepts it again, on any call. Success
 * is also reported after the first call, because a restart may have loaded a new token.
 */
export function watchToken<Client extends object>(
  client: Client,
  notify: { isDead: (error: unknown) => boolean; dead: () => Promise<void>; alive: () => Promise<void> },
): Client {
  let isAlive = false;
  const watched = (call: (...args: unknown[]) => Promise<unknown>) =>
    async function watchedCall(...args: unknown[]): Promise<unknown> {
      try {
        const answer = await call(...args);
        if (!isAlive) {
          isAlive = true;
          await notify.alive();
        }
        return answer;
      } catch (error) {
        if (notify.isDead(error)) {
          isAlive = false;
          await notify.dead();
        }
        throw error;
      }
    };
  const methods = Object.entries(client).map(([name, method]) => [name, watched(method)]);
  return Object.fromEntries(methods) as Client;
}
