import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../core/deadline.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { Redo } from '../core/redo.ts';
import { shardOf } from '../core/shards.ts';
import { currentTrace, type TraceParent } from '../core/trace.ts';
import { type DiskWait, SYNC_WITHIN_MS, syncedWrite } from './durability.ts';

/** How long an event is remembered. Repeats within this time are ignored. */
export const SEEN_TTL_SECONDS = 7 * 24 * 3600;

/** Slack redelivers a click or command within minutes. The same words an hour later are a new request. */
const ACTION_TTL_SECONDS = 10 * 60;

/** Longest wait for Redis' acknowledgement. After that the sender gets a 503 and retries. */
export const ACK_DEADLINE_MS = 700;

const ASK_AGAIN_MS = 50;

/** Webhooks in one script call. Larger batches would block Redis' single thread for too long. */
const BATCH_MAX = 256;

/**
 * Streams between the web process and the worker. Separate streams, so that people's clicks do not wait behind a burst
 * of webhooks. The third one holds the gaps in which webhooks may have been missed.
 */
export const inboxKeys = {
  webhooks: intakeKey('webhooks'),
  actions: intakeKey('actions'),
  gaps: intakeKey('gaps'),
} as const;

/** The streams of a shard. Clicks and gaps are too few to be split. */
export const streamsOf = (shard: number): readonly string[] =>
  shard === 0 ? Object.values(inboxKeys) : [intakeKey('webhooks', shard)];

/** Marks a webhook, or the recovered data of one, as already stored. */
export const seenKey = (id: string, shard = 0): string => intakeKey(`seen:${id}`, shard);

/** How many shards there are since `cardbell shards` last moved the data, or that it is moving it now. */
export const movedKey = (shard: number): string => intakeKey('shards', shard);

/** An entry of the inbox, and the trace it belongs to. */
export type InboxEntry = { readonly trace?: TraceParent } & (
  | TakenEntry
  | { readonly type: 'gap'; readonly fromMs: number; readonly toMs: number; readonly cause: Gap['cause'] }
);

/** What a person asked for. Only its id matters here; the job that performs it reads the rest. */
interface WithId {
  readonly id: string;
}

/** An entry that callers hand to the intake. */
type TakenEntry =
  | {
      readonly type: 'event';
      readonly event: StoredEvent;
      /** Recovery fetched it, or it was replayed from quarantine. */
      readonly isLate?: boolean;
    }
  | { readonly type: 'quarantine'; readonly webhook: QuarantinedWebhook }
  /** Signed by the web process: see `src/actions/action-check.ts`. */
  | { readonly type: 'action'; readonly action: WithId; readonly signature: string }
  /** Someone asked without permission: kept for the record only. */
  | { readonly type: 'refused'; readonly action: WithId; readonly why: string; readonly signature: string }
  | { readonly type: 'home'; readonly opened: WithId };

const takeSource = readScript(new URL('./take.lua', import.meta.url));

/** Where the entries of a batch go: all have the same shard. */
interface Target {
  readonly inbox: string;
  readonly shard: number;
}

interface Waiting extends Target {
  readonly id: string;
  readonly entry: string;
  readonly resolve: (taken: 'new' | 'seen') => void;
  readonly reject: (error: StoreUnavailableError) => void;
}

export type Intake = ReturnType<typeof createIntake>;

interface IntakeOptions {
  readonly shards?: number;
  readonly deadlineMs?: number;
  /** How to make sure that a write is on disk. Null: required but not possible, so nothing is accepted. */
  readonly diskWait?: () => DiskWait | null;
  /** Reserves room for a webhook of this size; false when Redis is full. People's clicks are accepted even then. */
  readonly reserve?: (bytes: number) => boolean | Promise<boolean>;
  readonly redo?: Pick<Redo, 'remember'>;
}

/**
 * Stores incoming entries durably. All webhooks of one turn of the event loop go to Redis in one script call, the
 * fastest durable form that was measured (see docs/performance.md). Each still gets its own answer.
 */
export function createIntake(redis: RedisClient, options: IntakeOptions = {}) {
  const { shards = 1, diskWait = () => 'none', reserve = () => true } = options;
  const store = createStore(redis, shards);
  const silence = watchSilence(redis);
  const disk = createDiskSync(redis, () => {
    if (waiting.length > 0) setImmediate(flush);
  });
  let waiting: Waiting[] = [];

  return {
    /**
     * Stores an event, a quarantined webhook or an action once, by its id.
     *
     * @returns after Redis has acknowledged: `new`, or `seen` when it was already stored.
     * @throws StoreUnavailableError when Redis is down or does not answer in time. The write may have happened anyway;
     * the sender's retry then gets `seen`. Also when the data was moved to another number of shards.
     */
    async take(entry: TakenEntry): Promise<'new' | 'seen'> {
      const [id, isAsked] = [idOf(entry), 'action' in entry || 'opened' in entry];
      const shard = isAsked ? 0 : shardOf(id, shards);
      const inbox = isAsked ? inboxKeys.actions : intakeKey('webhooks', shard);
      const trace = currentTrace();
      // Without a spread where there is no trace: it would cost more than writing the text.
      const text = JSON.stringify(trace === undefined ? entry : { ...entry, trace });
      const reserved = !isAsked && whyNot() === null ? reserve(text.length) : true;
      const isFull = !(typeof reserved === 'boolean' ? reserved : await reserved);
      const why = whyNot() ?? (isFull ? 'redis is nearly full' : null);
      if (why !== null) throw new StoreUnavailableError(why);
      return new Promise<'new' | 'seen'>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ inbox, shard, id, entry: text, resolve, reject });
      });
    },
    /** Why everything is refused immediately: Redis is away, does not answer or cannot wait for its disk. Null: it is not. */
    whyNot,
  };

  function whyNot(): string | null {
    if (redis.status !== 'ready') return 'redis is not connected';
    if (silence.isSilent()) return 'redis does not answer';
    return diskWait() === null ? 'redis cannot wait for its disk' : null;
  }

  function flush(): void {
    // While a disk sync is in flight, new entries wait for the next one and share it.
    if (disk.isSyncing()) return;
    const all = waiting;
    waiting = [];
    for (const [inbox, { shard }] of new Map(all.map((item) => [item.inbox, item]))) {
      const mine = all.filter((item) => item.inbox === inbox);
      for (let start = 0; start < mine.length; start += BATCH_MAX)
        void write({ inbox, shard }, mine.slice(start, start + BATCH_MAX));
    }
  }

  async function write(target: Target, batch: readonly Waiting[]): Promise<void> {
    // One text: as many as there are entries take longer to send, and to keep in memory afterwards.
    const lines = batch.map(({ entry }) => entry).join('\n');
    const ids = batch.map(({ id }) => id);
    const isDisk = diskWait() === 'waitaof';
    const sent = isDisk ? disk.synced(store.put(target, ids, lines)) : store.put(target, ids, lines);
    const deadlineMs = options.deadlineMs ?? (isDisk ? SYNC_WITHIN_MS : ACK_DEADLINE_MS);
    try {
      const answers = (await within(deadlineMs, sent, () => {
        throw new DeadlineError(`no answer within ${deadlineMs} ms`);
      })) as number[];
      options.redo?.remember(() => store.putLost(target, lines));
      for (const [index, item] of batch.entries()) item.resolve(answers[index] === 1 ? 'new' : 'seen');
    } catch (cause) {
      if (cause instanceof DeadlineError) void silence.untilItAnswers(sent);
      const error = new StoreUnavailableError('redis did not acknowledge the write', { cause });
      for (const item of batch) item.reject(error);
    }
  }
}

/** Stores entries of an inbox, each once by its id. */
function createStore(redis: RedisClient, shards: number) {
  const script = defineScript(redis, takeSource);
  /** @param lines the entries, in the order of their ids. JSON has no line breaks of its own. */
  const put = async ({ inbox, shard }: Target, ids: readonly string[], lines: string): Promise<unknown> => {
    const ttl = inbox === inboxKeys.actions ? ACTION_TTL_SECONDS : SEEN_TTL_SECONDS;
    return await script.run([inbox, movedKey(shard), ...ids.map((id) => seenKey(id, shard))], [shards, ttl, lines]);
  };
  return {
    put,
    /** Skips entries that Redis still remembers: they were not lost. */
    async putLost(target: Target, lines: string): Promise<void> {
      const all = lines.split('\n').map((line) => ({ line, id: idOf(JSON.parse(line) as TakenEntry) }));
      const known = await Promise.all(all.map(({ id }) => redis.exists(seenKey(id, target.shard))));
      const lost = all.filter((_, index) => known[index] === 0);
      if (lost.length === 0) return;
      await put(
        target,
        lost.map(({ id }) => id),
        lost.map(({ line }) => line).join('\n'),
      );
    },
  };
}

/**
 * A server that hangs keeps its connections open, and each webhook would wait as long as the first. So nothing else is
 * sent until it has answered.
 */
function watchSilence(redis: RedisClient) {
  let isSilent = false;
  return {
    isSilent: () => isSilent,
    async untilItAnswers(sent: Promise<unknown>): Promise<void> {
      if (isSilent) return;
      isSilent = true;
      let answers = (): Promise<unknown> => sent;
      while (redis.status === 'ready') {
        try {
          await answers();
          break;
        } catch {
          await sleep(ASK_AGAIN_MS);
          // Called when it is awaited: without a handler, a failure would end the process.
          answers = () => redis.ping();
        }
      }
      isSilent = false;
    },
  };
}

/** Waits until a write is on disk. @param onIdle called when no sync is in flight any more. */
function createDiskSync(redis: RedisClient, onIdle: () => void) {
  let syncing = 0;
  return {
    isSyncing: () => syncing > 0,
    /** Resolves with the answers to `sent` once the disk has it. */
    async synced(sent: Promise<unknown>): Promise<unknown> {
      syncing += 1;
      try {
        const [answers, isOnDisk] = await Promise.all([sent, syncedWrite(redis)]);
        if (!isOnDisk) throw new Error('the disk does not have the write yet');
        return answers;
      } finally {
        syncing -= 1;
        if (syncing === 0) onIdle();
      }
    },
  };
}

class DeadlineError extends Error {}

function idOf(entry: TakenEntry): string {
  if ('event' in entry) return entry.event.id;
  if ('opened' in entry) return entry.opened.id;
  return 'action' in entry ? entry.action.id : entry.webhook.id;
}
