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
  /** The channel or person that it is about: Slack's id. */
  readonly about?: string;
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

/** Notifies the ops channel, once per cause until it is resolved or a day has passed. */
export function createNotifyOps({ memory, post, render, now, log }: Deps): {
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
} {
  return {
    async notifyOps(opsIssue) {
      if (await memory.isKnown(opsIssue)) return;
      const at = now().toISOString();
      const before = (await memory.overSince(opsIssue)) ?? '';
      log.error({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue');
      await post(contentId('ops_', [opsIssue.cause, at.slice(0, 13), before]), render(opsIssue, false, at));
      // Last: after a crash the notification is repeated, and its id makes that harmless.
      await memory.remember(opsIssue, at);
    },

    async notifyResolved(opsIssue) {
      const since = await memory.knownSince(opsIssue);
      if (since === null) return;
      const at = now().toISOString();
      log.info({ cause: opsIssue.cause, title: opsIssue.title }, 'ops issue resolved');
      const message = render({ ...opsIssue, ...opsIssue.resolved, todo: null }, true, at);
      // The same whenever it is repeated: after a crash, by another worker, or when Redis comes back without the next step.
      await post(contentId('ops_over_', [opsIssue.cause, since]), message);
      await memory.end(opsIssue, since);
    },
  };
}

/** How soon people are notified of the same issue again. */
const SILENT_SECONDS = 24 * 3600;

type OpsMemory = ReturnType<typeof createOpsMemory>;

/** The issue is over: when people were notified of it. Otherwise, if it starts again at once, it would be the same message. */
const OVER = 'over:';

/** How much time between two notes that an issue goes on. */
const NOTE_EVERY_MS = 30_000;

/** Remembers which issues people have been notified of, by cause, and when an open issue was last noticed. */
export function createOpsMemory(redis: RedisClient) {
  // A cause may be long, so the key has only its beginning, and a hash of all of it.
  const keyOf = ({ cause }: OpsIssue): string => {
    const short = contentId(`${cause.slice(0, 60)}:`, [cause]);
    return stateKey(`ops-issue:${short}`);
  };
  const write = async (opsIssue: OpsIssue, text: string): Promise<void> => {
    await redis.set(keyOf(opsIssue), text, 'EX', SILENT_SECONDS);
  };
  const read = async (opsIssue: OpsIssue): Promise<{ since: string; last: string } | null> => {
    const text = await redis.get(keyOf(opsIssue));
    if (text === null || text.startsWith(OVER)) return null;
    const [since = '', last = since] = text.split(' ');
    return { since, last };
  };
  /** When people were notified of it; null when it is not known. */
  const knownSince = async (opsIssue: OpsIssue): Promise<string | null> => (await read(opsIssue))?.since ?? null;
  return {
    knownSince,
    isKnown: async (opsIssue: OpsIssue): Promise<boolean> => (await knownSince(opsIssue)) !== null,
    /** When people were notified of it the last time, if it is over. */
    async overSince(opsIssue: OpsIssue): Promise<string | null> {
      const text = await redis.get(keyOf(opsIssue));
      return text?.startsWith(OVER) === true ? text.slice(OVER.length) : null;
    },
    remember: write,
    /** Notes that an issue goes on. False when it is not known. */
    async noticeAgain(opsIssue: OpsIssue, at: string): Promise<boolean> {
      const known = await read(opsIssue);
      if (known === null) return false;
      if (Date.parse(at) - Date.parse(known.last) > NOTE_EVERY_MS)
        await redis.set(keyOf(opsIssue), `${known.since} ${at}`, 'KEEPTTL');
      return true;
    },
    /** When it was last noticed; null when it is not known. */
    lastNoticed: async (opsIssue: OpsIssue): Promise<string | null> => (await read(opsIssue))?.last ?? null,
    end: (opsIssue: OpsIssue, since: string): Promise<void> => write(opsIssue, `${OVER}${since}`),
  };
}

/** Slack's codes for a token that will not work again. Its other codes concern a channel or a message. */
const slackTokenDead = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

export const isCardTokenDead = (error: unknown): boolean =>
  error instanceof CardApiError && error.code === 'token_dead';

export const isSlackTokenDead = (error: unknown): boolean =>
  error instanceof SlackError && slackTokenDead.has(error.slackError);

/** How often a process reports that the token still works: another one may have found it dead. */
const ALIVE_EVERY_MS = 60_000;
/** A token that no process found dead for this long, and that one could use, works. */
const QUIET_MS = 2 * 60_000;

interface TokenReports {
  readonly isDead: (error: unknown) => boolean;
  readonly dead: () => Promise<void>;
  /** This process can use the token: for the first time, or again. */
  readonly alive: () => Promise<void>;
  /** It still can. */
  readonly stillAlive: () => Promise<void>;
}

/**
 * Watches clients for ops, each with one token. Several processes use the same token, and during a rotation some have the
 * new one and others the former one. Ops are notified once, and again when no process finds its token dead.
 */
export function createTokenWatch(
  { memory, notifyResolved, now }: Pick<Deps, 'memory' | 'now'> & { readonly notifyResolved: NotifyResolved },
  elapsed?: () => number,
) {
  /** @param first notifies of a dead token. */
  return function watchFor<Client extends object>(
    opsIssue: OpsIssue,
    client: Client,
    { isDead, first }: { readonly isDead: TokenReports['isDead']; readonly first: () => Promise<void> },
  ): Client {
    const reports: TokenReports = {
      isDead,
      async dead() {
        if (!(await memory.noticeAgain(opsIssue, now().toISOString()))) await first();
      },
      alive: () => notifyResolved(opsIssue),
      async stillAlive() {
        const last = await memory.lastNoticed(opsIssue);
        if (last !== null && now().getTime() - Date.parse(last) > QUIET_MS) await notifyResolved(opsIssue);
      },
    };
    return watchToken(client, reports, elapsed);
  };
}

export type WatchFor = ReturnType<typeof createTokenWatch>;

/**
 * Wraps a client to report when the service starts to refuse our token and when it accepts it again, on any call. Success
 * is also reported after the first call, because a restart may have loaded a new token.
 */
export function watchToken<Client extends object>(
  client: Client,
  notify: TokenReports,
  elapsed: () => number = () => performance.now(),
): Client {
  let isAlive = false;
  let reportedAt = 0;
  const report = async (): Promise<void> => {
    if (isAlive && elapsed() - reportedAt < ALIVE_EVERY_MS) return;
    const wasAlive = isAlive;
    isAlive = true;
    reportedAt = elapsed();
    if (!wasAlive) await notify.alive();
    // The call is done, whether Redis can be asked or not. The next one reports again.
    else notify.stillAlive().catch(() => {});
  };
  const watched = (call: (...args: unknown[]) => Promise<unknown>) =>
    async function watchedCall(...args: unknown[]): Promise<unknown> {
      try {
        const answer = await call(...args);
        await report();
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
