import { SlackError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import type { Draft, OutboxEntry, Sending } from '../../src/outbox/entry.ts';
import { flushOutbox } from '../../src/outbox/flush-outbox.ts';
import type { Outbox } from '../../src/outbox/outbox-store.ts';
import { defaultThrottle } from '../../src/outbox/send-message.ts';

const log = createLog({ level: 'silent', process: 'test' });

/** What comes of one post. `lost…`: the answer never arrives, and the message stands there or not. */
export const postOutcomes = ['ok', 'lost_after', 'lost_before', 'rate_limited', 'token_dead'] as const;
export type PostOutcome = (typeof postOutcomes)[number];

/** One asynchronous step of a flush, just before or just after what it does. */
export interface Moment {
  readonly step: string;
  readonly when: 'before' | 'after';
}

/** A worker that is killed: nothing of its run happens any more. */
export class Crash extends Error {}

export interface WorldOptions {
  readonly entries: readonly OutboxEntry[];
  /** What comes of each post, in order; `ok` when the list is over. */
  readonly script?: readonly PostOutcome[];
  /** How many look-ups in the history fail. */
  readonly lostLookUps?: number;
  /** Called at every moment of every run: may throw Crash, or stand still. */
  readonly onMoment?: (moment: Moment) => void | Promise<void>;
}

/** An outbox in memory, a channel that tells the truth in its history, and a clock that jumps instead of waiting. */
export function createWorld({ entries, script = [], lostLookUps = 0, onMoment = () => {} }: WorldOptions) {
  let clock = 1_000_000;
  let sending: Sending | null = null;
  let pausedUntil = 0;
  let serial = 0;
  let lookUpsToLose = lostLookUps;
  const queue = [...entries];
  const plan = [...script];
  const channel: { ref: string; text: string; at: number }[] = [];
  const noted = new Map<string, number>();
  const resolve = (ref: string, remove: boolean): void => {
    if (sending?.ref !== ref) return;
    const { entryIds } = sending;
    if (remove) queue.splice(0, queue.length, ...queue.filter(({ id }) => !entryIds.includes(id)));
    sending = null;
  };
  const outbox: Outbox = {
    put: async () => true,
    releaseHeld: async () => 0,
    held: async () => [],
    holdUntil: async () => {},
    async look(_channel, max) {
      if (sending !== null) {
        const { entryIds, startedAt } = sending;
        const mine = queue.filter(({ id }) => entryIds.includes(id));
        return { unresolved: { sending, entries: mine, ageMs: clock - startedAt }, waiting: [], heldForMs: null };
      }
      const waiting = queue.slice(0, max).map((entry) => ({ entry, ageMs: 0, most: null }));
      return { unresolved: null, waiting, heldForMs: null };
    },
    async claim(_channel, entryIds) {
      if (sending !== null || !entryIds.every((id) => queue.some((entry) => entry.id === id))) return null;
      serial += 1;
      sending = { ref: `m_${serial}`, entryIds: [...entryIds], startedAt: clock };
      return sending;
    },
    markSent: async (_channel, ref) => resolve(ref, true),
    requeue: async (_channel, ref) => resolve(ref, false),
    drop: async (_channel, ref) => resolve(ref, true),
    countTry: async () => 1,
    pauseLeft: async () => Math.max(0, pausedUntil - clock),
    pauseFor: async (_channel, ms) => {
      pausedUntil = clock + ms;
    },
    channels: async () => [],
    waiting: async () => queue.length,
  };
  const render = async (shown: readonly OutboxEntry[]): Promise<Draft> => ({
    kind: 'message',
    message: { text: shown.map(({ id }) => id).join(' '), blocks: [] },
    thread: null,
    newBlocks: [],
    batch: null,
    revisions: [],
  });
  const sender = {
    async post(_channel: string, draft: Draft, ref: string) {
      const text = draft.kind === 'message' ? draft.message.text : '';
      const outcome = plan.shift() ?? 'ok';
      if (outcome === 'rate_limited')
        throw new SlackError('post', 'rate_limited', 'ratelimited', { retryAfterMs: 3000 });
      if (outcome === 'token_dead') throw new SlackError('post', 'token_dead', 'token_revoked');
      if (outcome !== 'lost_before') channel.push({ ref, text, at: clock });
      if (outcome !== 'ok') throw new SlackError('post', 'unknown', 'no_answer');
      return { channel: 'C1', ts: String(channel.length) };
    },
    async findPost(_channel: string, { ref }: Sending) {
      lookUpsToLose -= 1;
      if (lookUpsToLose >= 0) throw new SlackError('history', 'unknown', 'no_answer');
      const place = channel.findIndex((message) => message.ref === ref);
      return place === -1 ? null : String(place + 1);
    },
  };
  const undeliverable = {
    redirect: async () => false,
    avoidNewBlocks: async () => false,
    refused: async () => {},
  };
  const steps = withMoments({
    renderEntries: render,
    async recordPosted(posted: readonly OutboxEntry[]) {
      for (const { id } of posted) noted.set(id, (noted.get(id) ?? 0) + 1);
    },
    wakeIn: async () => {},
    async sleep(ms: number) {
      clock += ms;
    },
  });
  const deps = {
    ...steps,
    outbox: withMoments(outbox),
    sender: withMoments(sender),
    undeliverable: withMoments(undeliverable),
    throttle: defaultThrottle,
    runtime: { log, now: () => clock, sleep: steps.sleep, measureWait: () => {} },
  };

  /** As BullMQ does: again after the time asked for, or after a crash, until nothing waits. */
  async function drain(): Promise<void> {
    for (let run = 0; run < 500; run += 1) {
      const again = await flushOutbox('C1', deps).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
        return 10_000;
      });
      if (again === null) return;
      clock += again;
    }
    throw new Error('it never ends');
  }

  /** The same functions, each telling the moment before and after it has had its effect. */
  function withMoments<T extends object>(functions: T): T {
    const told = Object.entries(functions).map(([step, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      step,
      async (...args: unknown[]) => {
        await onMoment({ step, when: 'before' });
        try {
          return await run(...args);
        } finally {
          await onMoment({ step, when: 'after' });
        }
      },
    ]);
    return Object.fromEntries(told) as T;
  }

  return {
    channel,
    noted,
    drain,
    /** Time goes by without anybody running. */
    pass: (ms: number) => {
      clock += ms;
    },
  };
}
