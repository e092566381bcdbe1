import type { Cluster, Redis } from 'ioredis';
import { contentId } from '../core/content-id.ts';
import { CardApiError, SlackError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { Message } from '../slack/message.ts';

/** Something wrong with Cardbell itself, in words for the people who run it. */
export interface OpsIssue {
  /** What makes it the same issue as before: people are notified once a day. */
  readonly cause: string;
  readonly title: string;
  readonly what: string;
  readonly means: string;
  readonly todo: string | null;
  readonly ref?: string;
}

export type NotifyOps = (opsIssue: OpsIssue) => Promise<void>;

interface Deps {
  readonly memory: OpsMemory;
  /** Posts into the ops channel; the id makes repeating it nothing. */
  readonly post: (id: string, message: Message) => Promise<void>;
  readonly render: (opsIssue: OpsIssue, isResolved: boolean, at: string) => Message;
  readonly now: () => Date;
  readonly log: Log;
}

/** Says once that an issue is resolved, if anybody had been notified of it. */
export type NotifyResolved = (opsIssue: OpsIssue, over: Pick<OpsIssue, 'what' | 'means'>) => Promise<void>;

/** A cause as it is remembered: short, however much the sender's misfit had to say. */
export function causeKey({ cause }: Pick<OpsIssue, 'cause'>): string {
  return contentId(`${cause.slice(0, 60)}:`, [cause]);
}

/** Notifies the ops channel, once for each cause until it is resolved or a day has passed. */
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
      // Last, so that a crash before it notifies again; the notice's own id makes that nothing.
      await memory.remember(cause);
    },

    async notifyResolved(opsIssue, over) {
      const cause = causeKey(opsIssue);
      if (!(await memory.isKnown(cause))) return;
      const at = now().toISOString();
      log.info({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue resolved');
      const message = render({ ...opsIssue, ...over, todo: null }, true, at);
      await post(contentId('ops_over_', [opsIssue.cause, at.slice(0, 16)]), message);
      await memory.forget(cause);
    },
  };
}

/** The same trouble is told again after this long, not earlier. */
const SILENT_SECONDS = 24 * 3600;

export interface OpsMemory {
  /** True while people know of a cause. */
  isKnown(cause: string): Promise<boolean>;
  /** They have been told. */
  remember(cause: string): Promise<void>;
  /** The trouble is over: the next time it is news again. @returns whether anybody had been told. */
  forget(cause: string): Promise<boolean>;
}

export function createOpsMemory(redis: Redis | Cluster): OpsMemory {
  const keyOf = (cause: string): string => stateKey(`ops-issue:${cause}`);
  return {
    async isKnown(cause) {
      return (await redis.exists(keyOf(cause))) === 1;
    },
    async remember(cause) {
      await redis.set(keyOf(cause), '1', 'EX', SILENT_SECONDS);
    },
    async forget(cause) {
      return (await redis.del(keyOf(cause))) === 1;
    },
  };
}

/** Slack's words for a token that will not work again; others of its refusals speak of one channel or one message. */
const slackTokenDead = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

export const isCardTokenDead = (error: unknown): boolean =>
  error instanceof CardApiError && error.code === 'token_dead';

export const isSlackTokenDead = (error: unknown): boolean =>
  error instanceof SlackError && slackTokenDead.has(error.slackError);

/**
 * The same client, telling when the other side stops taking our token and when it takes it again.
 *
 * Whoever made the call: a person, an alert, the directory or the end of a temporary limit. That it works is told after
 * the first call too: the token may have been exchanged with a restart.
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
