import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Message } from '../slack/message.ts';

/** A problem of Cardbell itself, described for the people who run it. */
export interface OpsIssue {
  /** Identifies the issue: people are notified of the same cause once a day. */
  readonly cause: string;
  /** Short: `3 webhooks do not fit the schema`. */
  readonly title: string;
  readonly what: string;
  /** The effect on people: which alerts are missing, late or plain. */
  readonly means: string;
  /** Null when there is nothing to do. */
  readonly todo: string | null;
  readonly ref?: string;
  /** The channel or person that it is about: Slack's id. */
  readonly about?: string;
  /** The text posted once it is over. If omitted, the same text. */
  readonly resolved?: Pick<OpsIssue, 'what' | 'means'>;
}

export type NotifyOps = (opsIssue: OpsIssue) => Promise<void>;

export interface NotifyOpsDeps {
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
export function createNotifyOps({ memory, post, render, now, log }: NotifyOpsDeps): {
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
} {
  return {
    async notifyOps(opsIssue) {
      const at = now().toISOString();
      if (await memory.isSilent(opsIssue, at)) return;
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
const SILENT_MS = 24 * 3_600_000;
/** Longer, so that the end of an issue is reported that was not noticed every day. */
const REMEMBERED_SECONDS = 7 * 24 * 3600;

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
    await redis.set(keyOf(opsIssue), text, 'EX', REMEMBERED_SECONDS);
  };
  const read = async (opsIssue: OpsIssue): Promise<{ since: string; last: string } | null> => {
    const text = await redis.get(keyOf(opsIssue));
    if (text === null || text.startsWith(OVER)) return null;
    const [since = '', last = since] = text.split(' ');
    return { since, last };
  };
  /** When people were notified of it; null when it is not known. */
  const knownSince = async (opsIssue: OpsIssue): Promise<string | null> => (await read(opsIssue))?.since ?? null;
  /** Null also when people were notified of it a day ago or longer. */
  const readSilent = async (opsIssue: OpsIssue, at: string): ReturnType<typeof read> => {
    const known = await read(opsIssue);
    return known !== null && Date.parse(at) - Date.parse(known.since) < SILENT_MS ? known : null;
  };
  return {
    knownSince,
    /** True when people were notified of it less than a day ago. */
    isSilent: async (opsIssue: OpsIssue, at: string): Promise<boolean> => (await readSilent(opsIssue, at)) !== null,
    isKnown: async (opsIssue: OpsIssue): Promise<boolean> => (await knownSince(opsIssue)) !== null,
    /** When people were notified of it the last time, if it is over. */
    async overSince(opsIssue: OpsIssue): Promise<string | null> {
      const text = await redis.get(keyOf(opsIssue));
      return text?.startsWith(OVER) === true ? text.slice(OVER.length) : null;
    },
    remember: write,
    /** Notes that an issue goes on. False when people have to be notified of it. */
    async noticeAgain(opsIssue: OpsIssue, at: string): Promise<boolean> {
      const known = await readSilent(opsIssue, at);
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
