import { SlackError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import type { Draft, OutboxEntry, Sending } from '../../src/outbox/entry.ts';
import { createFindPosted, marksOf } from '../../src/outbox/find-posted.ts';
import { flushOutbox } from '../../src/outbox/flush-outbox.ts';
import { createDeleteLateCopies, type LateCopies } from '../../src/outbox/late-copies.ts';
import type { Outbox } from '../../src/outbox/outbox-store.ts';
import { createPostEntries } from '../../src/outbox/post-entries.ts';
import { defaultThrottle } from '../../src/outbox/send-message.ts';

const log = createLog({ level: 'silent', process: 'test' });

/** Response timeout, and the delay after which Slack commits a `late` post. */
const TIMEOUT_MS = 10_000;
const LATE_MS = 12_000;

/**
 * The outcome of one post. `lost_after`, `lost_before`: the response never arrives, and the message exists or not.
 * `late`: Slack commits the message after the timeout.
 */
export const postOutcomes = ['ok', 'lost_after', 'lost_before', 'late', 'rate_limited', 'app_refused'] as const;
export type PostOutcome = (typeof postOutcomes)[number];

/** A moment just before or just after the effect of an asynchronous step of a flush. */
export interface Moment {
  readonly step: string;
  readonly when: 'before' | 'after';
}

/** A killed worker, whose run stops here. */
export class Crash extends Error {}

export interface WorldOptions {
  readonly entries: readonly OutboxEntry[];
  /** The outcome of each post, in order. `ok` after the end of the list. */
  readonly script?: readonly PostOutcome[];
  /** Number of failing lookups in the history. */
  readonly lostLookUps?: number;
  /** Messages posted in the time that Redis has lost: the entry ids of each message, separated by spaces. */
  readonly forgotten?: readonly string[];
  /** Called at every moment of every run. May throw Crash, or block. */
  readonly onMoment?: (moment: Moment) => void | Promise<void>;
}

/** An in-memory outbox, a channel with a correct history, and a clock that jumps instead of waiting. */
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
  /** Everything Slack accepted, with the time from which it is visible. */
  const posts: { ts: string; ref: string; text: string; at: number }[] = (forgotten ?? []).map((id, index) => ({
    ts: String(index + 1),
    ref: `m_${id.split(' ').toSorted().join()}`,
    text: id,
    at: 0,
  }));
  const history = async () =>
    shown().map(({ ts, ref, text }) => ({ ts, ref, marks: marksOf('C1', text.split(' ')), files: [] }));
  const shown = () => posts.filter(({ at }) => at <= clock).toSorted((one, other) => one.at - other.at);
  const noted = new Map<string, number>();
  const sentAt = new Map<string, string>();
  const copies: LateCopies[] = [];
  const leave = (ids: readonly string[]): void =>
    void queue.splice(0, queue.length, ...queue.filter(({ id }) => !ids.includes(id)));
  const resolve = (of: Sending, how: 'sent' | 'unsent' | 'again', ts = ''): void => {
    const ids = sending?.ref === of.ref ? sending.entryIds : of.entryIds;
    if (how === 'sent') for (const id of ids) sentAt.set(id, ts);
    if (how === 'sent') leave(ids);
    if (sending?.ref !== of.ref || (how !== 'sent' && sending.attempt !== of.attempt)) return;
    if (how === 'again') {
      sending = { ...sending, isUnsent: true };
      return;
    }
    sending = null;
  };
  const outbox: Outbox = {
    put: async () => true,
    held: async () => [],
    holdUntil: async () => 0,
    async remove(_channel, entryId) {
      leave([entryId]);
      const entryIds = sending?.entryIds.filter((id) => id !== entryId) ?? [];
      sending = sending === null || entryIds.length === 0 ? null : { ...sending, entryIds };
    },
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
      if (sending !== null && !(sending.isUnsent && sending.entryIds.join() === entryIds.join())) return null;
      const ref = sending?.ref ?? `m_${entryIds.toSorted().join()}`;
      const attempt = (sending?.attempt ?? 0) + 1;
      sending = {
        ref,
        entryIds: [...entryIds],
        startedAt: clock,
        slackMs: null,
        attempt,
        isUnsent: false,
        redirect: null,
      };
      return sending;
    },
    markSent: async (_channel, of, ts) => resolve(of, 'sent', ts),
    markMoved: async (_channel, of) => resolve(of, 'sent', 'elsewhere'),
    takeBack: async () => false,
    sentAt: async (_channel, ids) => ids.map((id) => sentAt.get(id) ?? null),
    async beginRedirect(_channel, { ref }, redirect) {
      if (sending?.ref === ref) sending = { ...sending, redirect };
    },
    requeue: async (_channel, of) => resolve(of, 'unsent'),
    keepUnsent: async (_channel, of) => resolve(of, 'again'),
    countTry: async () => 1,
    pauseLeft: async () => Math.max(0, pausedUntil - clock),
    pauseFor: async (_channel, ms) => {
      pausedUntil = clock + ms;
    },
    channels: async () => [],
    waiting: async () => queue.length,
    dueAt: async () => (queue.length > 0 ? clock : null),
  };
  const render = async (entries: readonly OutboxEntry[]): Promise<Draft> => ({
    kind: 'message',
    message: { text: entries.map(({ id }) => id).join(' '), blocks: [] },
    thread: null,
    newBlocks: [],
    batch: null,
    revisions: [],
  });
  const findPosted = createFindPosted({
    slack: {
      async findMessages() {
        lookUpsToLose -= 1;
        if (lookUpsToLose >= 0) throw new SlackError('history', 'unknown', 'no_answer');
        return await history();
      },
    },
    threads: { rootOf: async () => null, isGone: async () => false },
    dataLossSinceMs: () => null,
  });
  const undeliverable = {
    insteadOf: async () => null,
    mustWait: async () => {},
    redirect: async () => [],
    avoidNewBlocks: async () => false,
    refused: async () => {},
  };
  const steps = withMoments({
    renderEntries: render,
    async recordPosted(posted: readonly OutboxEntry[]) {
      for (const { id } of posted) noted.set(id, (noted.get(id) ?? 0) + 1);
    },
    async sendMessage(_channel: string, draft: Draft, { ref }: Pick<Sending, 'ref'>) {
      const text = draft.kind === 'message' ? draft.message.text : '';
      const outcome = plan.shift() ?? 'ok';
      if (outcome === 'rate_limited')
        throw new SlackError('post', 'rate_limited', 'ratelimited', { retryAfterMs: 3000 });
      if (outcome === 'app_refused') throw new SlackError('post', 'app_refused', 'token_revoked');
      const ts = String(posts.length + 1);
      if (outcome !== 'lost_before') posts.push({ ts, ref, text, at: outcome === 'late' ? clock + LATE_MS : clock });
      if (outcome === 'late') clock += TIMEOUT_MS;
      if (outcome !== 'ok') throw new SlackError('post', 'unknown', 'no_answer');
      return { channel: 'C1', ts };
    },
    watchForCopies: async (late: LateCopies) => void copies.push(late),
    async sleep(ms: number) {
      clock += ms;
    },
  });
  const common = { outbox: withMoments(outbox), throttle: defaultThrottle };
  const postEntries = createPostEntries({
    ...common,
    ...steps,
    findPosted: withMoments(findPosted),
    undeliverable: withMoments(undeliverable),
    runtime: {
      log,
      now: () => clock,
      slackNow: () => null,
      dataLossSinceMs: () => (forgotten === undefined ? null : 0),
      restoredFromMs: () => null,
      sleep: steps.sleep,
      watchForCopies: steps.watchForCopies,
      measureWait: () => {},
    },
  });
  const deps = {
    ...common,
    postEntries,
    hasPlaceForTeam: async () => true,
    editing: { next: async () => null, edit: async () => 0 },
    setAside: async () => {},
    wakeIn: async () => {},
    now: () => clock,
  };

  /** Like BullMQ: runs again after the requested delay or a crash, until nothing is waiting. */
  async function drain(): Promise<void> {
    for (let run = 0; run < 500; run += 1) {
      const again = await flushOutbox('C1', deps).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
        return 10_000;
      });
      if (again === null) return;
      clock += again;
    }
    throw new Error('the outbox never drains');
  }

  /** Deletes late copies like the job, after all messages are visible. */
  async function deleteCopies(): Promise<void> {
    clock += 60_000;
    const remove = createDeleteLateCopies({
      outbox,
      findPosted: { find: async ({ ref }) => (await history()).filter((message) => message.ref === ref) },
      slack: {
        findMessages: async () => [],
        delete: async ({ ts }) => void posts.splice(0, posts.length, ...posts.filter((one) => one.ts !== ts)),
      },
      batchMessages: { get: async () => null, delete: async () => {} },
      trackedMessages: { forget: async () => {} },
      slackNow: () => null,
      log,
    });
    for (const late of copies) await remove(late, 1);
  }

  /** The same functions, each reporting the moments before and after its effect. */
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
    /** Messages now shown in the channel, oldest first. */
    shown,
    noted,
    drain,
    deleteCopies,
    /** Lets time pass while no worker runs. */
    pass: (ms: number) => {
      clock += ms;
    },
  };
}
