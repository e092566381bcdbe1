import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../actions/action.ts';
import type { HomeOpened } from '../app-home/opened.ts';
import { within } from '../core/deadline.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { DiskWait } from './durability.ts';

/** How long an event is remembered: the same one within this time adds nothing. */
export const SEEN_TTL_SECONDS = 7 * 24 * 3600;

/** A click or command delivered again comes within minutes; the same words an hour later are meant anew. */
const ACTION_TTL_SECONDS = 10 * 60;

/** Longest wait for Redis' acknowledgement. Above it the sender gets a 503 and comes back. */
const ACK_DEADLINE_MS = 850;

/** The same where the disk is waited for: Redis syncs it once a second, sometimes twice as late. */
const DISK_DEADLINE_MS = 1900;
const ASK_AGAIN_MS = 50;

/** Webhooks per script call. Larger batches would hold the single thread of Redis for too long. */
const BATCH_MAX = 256;

/**
 * Streams between the web process and the worker; people's clicks do not queue behind a flood of webhooks. The third
 * tells when the door was closed.
 */
export const inboxKeys = {
  webhooks: intakeKey('webhooks'),
  actions: intakeKey('actions'),
  gaps: intakeKey('gaps'),
} as const;

/** What lies in the inbox. */
export type InboxEntry =
  | TakenEntry
  | { readonly type: 'gap'; readonly fromMs: number; readonly toMs: number; readonly cause: Gap['cause'] };

/** What others bring. */
export type TakenEntry =
  | {
      readonly type: 'event';
      readonly event: StoredEvent;
      /** It was missed and fetched afterwards. */
      readonly isLate?: boolean;
    }
  | { readonly type: 'quarantine'; readonly webhook: QuarantinedWebhook }
  | { readonly type: 'action'; readonly action: Action }
  /** Somebody asked who may not: for the record only. */
  | { readonly type: 'refused'; readonly action: Action; readonly why: string }
  | { readonly type: 'home'; readonly opened: HomeOpened };

const takeSource = readScript(new URL('./take.lua', import.meta.url));

interface Waiting {
  readonly inbox: string;
  readonly id: string;
  readonly entry: string;
  readonly resolve: (taken: 'new' | 'seen') => void;
  readonly reject: (error: StoreUnavailableError) => void;
}

export interface Intake {
  /**
   * Stores an event, a quarantined webhook or an action, once: by its id.
   *
   * @returns after Redis has acknowledged: `new`, or `seen` when it was there before.
   * @throws StoreUnavailableError when Redis is away or does not answer in time. The write may have happened even so;
   * the sender's retry then finds it as `seen`.
   */
  take(entry: TakenEntry): Promise<'new' | 'seen'>;
  /** True while Redis is connected and silent: everything is refused at once. */
  isSilent(): boolean;
}

/**
 * The durable door. All webhooks that arrive in one turn of the event loop go to Redis in one script call: that was the
 * fastest durable form measured (see docs/performance.md), and each of them still gets an answer of its own.
 */
export function createIntake(
  redis: RedisClient,
  options: {
    deadlineMs?: number;
    /** How to be sure of the disk; null: it is wanted and cannot be had, so nothing is taken. */
    diskWait?: () => DiskWait | null;
  } = {},
): Intake {
  const script = defineScript(redis, takeSource);
  const diskWait = options.diskWait ?? (() => 'none');
  let waiting: Waiting[] = [];
  let isSilent = false;
  let askingDisk = 0;

  return {
    take(entry) {
      return new Promise((resolve, reject) => {
        if (redis.status !== 'ready') {
          reject(new StoreUnavailableError('redis is not connected'));
          return;
        }
        if (isSilent || diskWait() === null) {
          reject(new StoreUnavailableError(isSilent ? 'redis does not answer' : 'redis cannot wait for its disk'));
          return;
        }
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ inbox: inboxOf(entry), id: idOf(entry), entry: JSON.stringify(entry), resolve, reject });
      });
    },
    isSilent: () => isSilent,
  };

  function flush(): void {
    // Each question about the disk waits for the next sync: what comes meanwhile shares the next one.
    if (askingDisk > 0) return;
    const all = waiting;
    waiting = [];
    for (const inbox of Object.values(inboxKeys)) {
      const mine = all.filter((item) => item.inbox === inbox);
      for (let start = 0; start < mine.length; start += BATCH_MAX)
        void write(inbox, mine.slice(start, start + BATCH_MAX));
    }
  }

  async function write(inbox: string, batch: readonly Waiting[]): Promise<void> {
    const keys = [inbox, ...batch.map(({ id }) => intakeKey(`seen:${id}`))];
    const ttl = inbox === inboxKeys.actions ? ACTION_TTL_SECONDS : SEEN_TTL_SECONDS;
    const args = [ttl, ...batch.map(({ entry }) => entry)];
    const isDisk = diskWait() === 'waitaof';
    const sent = isDisk ? onDisk(script.run(keys, args)) : script.run(keys, args);
    const deadlineMs = options.deadlineMs ?? (isDisk ? DISK_DEADLINE_MS : ACK_DEADLINE_MS);
    try {
      const answers = (await within(deadlineMs, sent, () => {
        throw new DeadlineError(`no answer within ${deadlineMs} ms`);
      })) as number[];
      for (const [index, item] of batch.entries()) item.resolve(answers[index] === 1 ? 'new' : 'seen');
    } catch (cause) {
      if (cause instanceof DeadlineError) void untilItAnswers(sent);
      const error = new StoreUnavailableError('redis did not acknowledge the write', { cause });
      for (const item of batch) item.reject(error);
    }
  }

  /**
   * A server that stands still keeps its connections, and each webhook would wait for as long as the first. So nobody
   * else asks until it has answered what it was asked.
   */
  async function untilItAnswers(sent: Promise<unknown>): Promise<void> {
    if (isSilent) return;
    isSilent = true;
    let answer = sent;
    while (redis.status === 'ready') {
      try {
        await answer;
        break;
      } catch {
        await sleep(ASK_AGAIN_MS);
        answer = redis.ping();
      }
    }
    isSilent = false;
  }

  /** The answers, once the disk has what they are about. */
  async function onDisk(sent: Promise<unknown>): Promise<unknown> {
    askingDisk += 1;
    try {
      // A write of this connection, after all others: what was there before us is on the disk as well then.
      const marked = redis.set(intakeKey('on-disk'), '1');
      const synced = redis.call('WAITAOF', 1, 0, DISK_DEADLINE_MS);
      const [answers, , acknowledged] = await Promise.all([sent, marked, synced]);
      if (Number((acknowledged as unknown[])[0]) < 1) throw new Error('the disk has not got it yet');
      return answers;
    } finally {
      askingDisk -= 1;
      if (askingDisk === 0 && waiting.length > 0) setImmediate(flush);
    }
  }
}

class DeadlineError extends Error {}

function inboxOf(entry: TakenEntry): string {
  return 'action' in entry || 'opened' in entry ? inboxKeys.actions : inboxKeys.webhooks;
}

function idOf(entry: TakenEntry): string {
  if ('event' in entry) return entry.event.id;
  if ('opened' in entry) return entry.opened.id;
  return 'action' in entry ? entry.action.id : entry.webhook.id;
}
