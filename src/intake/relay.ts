import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { type InboxEntry, inboxKeys } from './intake.ts';

const GROUP = 'relay';
const READ_MAX = 200;
const BLOCK_MS = 2000;
/** After this, what another worker read and did not finish is taken over. */
const ABANDONED_AFTER_MS = 5_000;
const LOOK_FOR_ABANDONED_MS = 2_500;
const RETRY_MS = 500;

export interface Relay {
  /** Runs until `stop`. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

type StreamEntry = [id: string, fields: string[] | null];

/**
 * Moves what the web process stored into BullMQ: read, add, and only then take it out of the inbox.
 *
 * A crash in between adds again: the job id makes that nothing while the job is there, and afterwards the outbox and the
 * journal know what was done. Every worker runs one relay; the consumer group deals each entry to one of them.
 *
 * @param reader a connection of its own: it blocks while it waits.
 */
export function startRelay(options: {
  reader: RedisClient;
  redis: RedisClient;
  consumer: string;
  handOn: (entry: InboxEntry) => Promise<void>;
  log: Log;
}): Relay {
  const { reader, redis, consumer, handOn, log } = options;
  const streams = Object.values(inboxKeys);
  let isStopping = false;
  let lastTakeover = -ABANDONED_AFTER_MS;
  /** Something that we read could not be handed on. */
  let hasLeftover = false;
  const done = run();

  return {
    done,
    async stop() {
      isStopping = true;
      // Ends the blocking read at once; what it had read is finished before `done`.
      reader.disconnect();
      await done;
    },
  };

  async function run(): Promise<void> {
    let hasGroups = false;
    while (!isStopping) {
      try {
        if (!hasGroups) {
          for (const stream of streams) await createGroup(stream);
          hasGroups = true;
        }
        if (hasLeftover) await handAgain();
        if (performance.now() - lastTakeover > LOOK_FOR_ABANDONED_MS) {
          lastTakeover = performance.now();
          for (const stream of streams) await supersede(stream);
        }
        const answer = (await reader.xreadgroup(
          'GROUP',
          GROUP,
          consumer,
          'COUNT',
          READ_MAX,
          'BLOCK',
          BLOCK_MS,
          'STREAMS',
          ...streams,
          ...streams.map(() => '>'),
        )) as [stream: string, entries: StreamEntry[]][] | null;
        for (const [stream, entries] of answer ?? []) await handAll(stream, entries);
      } catch (error) {
        if (isStopping) return;
        // A Redis that came back empty knows no groups.
        if (error instanceof Error && error.message.includes('NOGROUP')) hasGroups = false;
        else log.error({ err: error }, 'relay stumbled, trying again');
        await sleep(RETRY_MS);
      }
    }
  }

  async function createGroup(stream: string): Promise<void> {
    try {
      await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('BUSYGROUP'))) throw error;
    }
  }

  async function supersede(stream: string): Promise<void> {
    let cursor = '0-0';
    do {
      const [next, entries] = (await redis.xautoclaim(
        stream,
        GROUP,
        consumer,
        ABANDONED_AFTER_MS,
        cursor,
        'COUNT',
        READ_MAX,
      )) as [string, StreamEntry[]];
      await handAll(stream, entries);
      cursor = next;
    } while (cursor !== '0-0' && !isStopping);
  }

  /** Reads what we had read before and could not hand on. */
  async function handAgain(): Promise<void> {
    hasLeftover = false;
    const answer = (await redis.xreadgroup(
      'GROUP',
      GROUP,
      consumer,
      'COUNT',
      READ_MAX,
      'STREAMS',
      ...streams,
      ...streams.map(() => '0'),
    )) as [stream: string, entries: StreamEntry[]][] | null;
    for (const [stream, entries] of answer ?? []) await handAll(stream, entries);
  }

  /** Each by itself: one that cannot be handed on holds up no other, and is tried again soon. */
  async function handAll(stream: string, entries: readonly StreamEntry[]): Promise<void> {
    const done = await Promise.allSettled(
      entries.map(async ([id, fields]) => {
        const text = fields?.[1];
        if (text !== undefined) await handOn(JSON.parse(text) as InboxEntry);
        await redis.multi().xack(stream, GROUP, id).xdel(stream, id).exec();
      }),
    );
    const failed = done.find((one) => one.status === 'rejected');
    if (failed === undefined) return;
    hasLeftover = true;
    log.error({ err: failed.reason as unknown }, 'entries of the inbox could not be handed on, trying again');
    await sleep(RETRY_MS);
  }
}
