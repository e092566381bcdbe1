import { SlackError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import type { Draft, OutboxEntry, Sending } from '../../src/outbox/entry.ts';
import { flushOutbox } from '../../src/outbox/flush-outbox.ts';
import { createDeleteLateCopies } from '../../src/outbox/late-copies.ts';
import type { Outbox } from '../../src/outbox/outbox-store.ts';
import { defaultThrottle, type LateCopies, type PostSearch } from '../../src/outbox/send-message.ts';

const log = createLog({ level: 'silent', process: 'test' });

/** How long an answer is waited for, and when Slack commits a post that is `late`. */
const TIMEOUT_MS = 10_000;
const LATE_MS = 12_000;

/**
 * What comes of one post. `lost…`: the answer never arrives, and the message stands there or not. `late`: nobody waited for
 * the answer any more when Slack committed it.
 */
export const postOutcomes = ['ok', 'lost_after', 'lost_before', 'late', 'rate_limited', 'token_dead'] as const;
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
  /** Redis has come back older, and these entries were posted in the time that it has lost. */
  readonly forgotten?: readonly string[];
  /** Called at every moment of every run: may throw Crash, or stand still. */
  readonly onMoment?: (moment: Moment) => void | Promise<void>;
}

/** An outbox in memory, a channel that tells the truth in its history, and a clock that jumps instead of waiting. */
export function createWorld({
  entries: given,
  script = [],
  lostLookUps = 0,
  forgotten,
  onMoment = () => {},
}: WorldOptions) {
  let clock = 1_000_000;
  let sending: Sending | null = null;
  let pausedUntil = 0;
  let lookUpsToLose = lostLookUps;
  const queue = [...given];
  const plan = [...script];
  /** Everything that Slack took, each with the time from which it shows. */
  const posts: { ts: string; ref: string; text: string; at: number }[] = (forgotten ?? []).map((id, index) => ({
    ts: String(index + 1),
    ref: `m_${id}`,
    text: id,
    at: 0,
  }));
  const shown = () => posts.filter(({ at }) => at <= clock).toSorted((one, other) => one.at - other.at);
  const noted = new Map<string, number>();
  const sentAt = new Map<string, string>();
  const copies: LateCopies[] = [];
  const resolve = (of: Sending, how: 'sent' | 'dropped' | 'unsent' | 'again', ts = ''): void => {
    if (sending?.ref !== of.ref || (how !== 'sent' && sending.attempt !== of.attempt)) return;
    if (how === 'again') {
      sending = { ...sending, isUnsent: true };
      return;
    }
    const { entryIds } = sending;
    if (how !== 'unsent') queue.splice(0, queue.length, ...queue.filter(({ id }) => !entryIds.includes(id)));
    if (how === 'sent') for (const id of entryIds) sentAt.set(id, ts);
    sending = null;
  };
  const outbox: Outbox = {
    put: async () => true,
    releaseHeld: async () => 0,
    held: async () => [],
    holdUntil: async () => {},
    remove: async () => {},
    async look(_channel, max) {
      if (sending !== null) {
        const { entryIds, startedAt } = sending;
        const mine = queue.filter(({ id }) => entryIds.includes(id));
        return {
          unresolved: { sending, entries: mine, ageMs: clock - startedAt },
          waiting: [],
          unreadable: [],
          heldForMs: null,
        };
      }
      const waiting = queue.slice(0, max).map((entry) => ({ entry, ageMs: 0, most: null }));
      return { unresolved: null, waiting, unreadable: [], heldForMs: null };
    },
    async claim(_channel, entryIds) {
      if (!entryIds.every((id) => queue.some((entry) => entry.id === id))) return null;
      const ref = `m_${entryIds.toSorted().join()}`;
      if (sending !== null && !(sending.isUnsent && sending.ref === ref)) return null;
      const attempt = (sending?.attempt ?? 0) + 1;
      sending = { ref, entryIds: [...entryIds], startedAt: clock, slackMs: null, attempt, isUnsent: false };
      return sending;
    },
    markSent: async (_channel, of, ts) => resolve(of, 'sent', ts),
    sentAt: async (_channel, id) => sentAt.get(id) ?? null,
    requeue: async (_channel, of) => resolve(of, 'unsent'),
    keepUnsent: async (_channel, of) => resolve(of, 'again'),
    drop: async (_channel, of) => resolve(of, 'dropped'),
    countTry: async () => 1,
    pauseLeft: async () => Math.max(0, pausedUntil - clock),
    pauseFor: async (_channel, ms) => {
      pausedUntil = clock + ms;
    },
    channels: async () => [],
    waiting: async () => queue.length,
  };
  const render = async (entries: readonly OutboxEntry[]): Promise<Draft> => ({
    kind: 'message',
    message: { text: entries.map(({ id }) => id).join(' '), blocks: [] },
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
      const ts = String(posts.length + 1);
      if (outcome !== 'lost_before') posts.push({ ts, ref, text, at: outcome === 'late' ? clock + LATE_MS : clock });
      if (outcome === 'late') clock += TIMEOUT_MS;
      if (outcome !== 'ok') throw new SlackError('post', 'unknown', 'no_answer');
      return { channel: 'C1', ts };
    },
    searchFor: async (channel: string, { ref }: Sending): Promise<PostSearch> => ({
      channel,
      threadTs: null,
      ref,
      file: null,
      slackMs: null,
    }),
    watchForCopies: async (late: LateCopies) => void copies.push(late),
    async find({ ref }: PostSearch) {
      lookUpsToLose -= 1;
      if (lookUpsToLose >= 0) throw new SlackError('history', 'unknown', 'no_answer');
      return shown().flatMap((message) => (message.ref === ref ? [message.ts] : []));
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
    async sleep(ms: number) {
      clock += ms;
    },
  });
  const deps = {
    ...steps,
    outbox: withMoments(outbox),
    sender: withMoments(sender),
    undeliverable: withMoments(undeliverable),
    editing: { next: async () => null, edit: async () => 0 },
    setAside: async () => {},
    throttle: defaultThrottle,
    runtime: {
      log,
      now: () => clock,
      slackNow: () => null,
      isInDoubt: () => forgotten !== undefined,
      restoredFromMs: () => null,
      sleep: steps.sleep,
      wakeIn: async () => {},
      measureWait: () => {},
    },
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

  /** As the job does it, long after everything has appeared. */
  async function deleteCopies(): Promise<void> {
    clock += 60_000;
    const remove = createDeleteLateCopies({
      outbox,
      sender: { find: async ({ ref }) => shown().flatMap((message) => (message.ref === ref ? [message.ts] : [])) },
      slack: { delete: async ({ ts }) => void posts.splice(0, posts.length, ...posts.filter((one) => one.ts !== ts)) },
      trackedMessages: { forget: async () => {} },
      log,
    });
    for (const late of copies) await remove(late, 1);
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
    /** What the channel shows now, oldest first. */
    shown,
    noted,
    drain,
    deleteCopies,
    /** Time goes by without anybody running. */
    pass: (ms: number) => {
      clock += ms;
    },
  };
}
