import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlackError } from '../../src/errors.ts';
import { flushOutbox } from '../../src/flush-outbox.ts';
import { createLog } from '../../src/log.ts';
import type { Message } from '../../src/slack/message.ts';
import type { Claim, Outbox, OutboxEntry, Sending } from '../../src/store/outbox.ts';

const log = createLog({ level: 'silent', process: 'test' });

/** What comes of one post. `lost…`: the answer never arrives. */
type Outcome = 'ok' | 'lost_after' | 'lost_before' | 'rate_limited' | 'token_dead' | 'crash_before' | 'crash_after';
const outcomes: readonly Outcome[] = [
  'ok',
  'lost_after',
  'lost_before',
  'rate_limited',
  'token_dead',
  'crash_before',
  'crash_after',
];

class Crash extends Error {}

/** An outbox in memory, a channel that tells the truth in its history, and a clock that jumps instead of waiting. */
function createWorld(entries: readonly OutboxEntry[], script: readonly Outcome[], lostLookUps: number) {
  let clock = 1_000_000;
  let sending: Sending | null = null;
  let pausedUntil = 0;
  let serial = 0;
  let lookUpsToLose = lostLookUps;
  const queue = [...entries];
  const plan = [...script];
  const channel: { ref: string; text: string; at: number }[] = [];
  const noted = new Map<string, number>();
  const settle = (ref: string, remove: boolean): void => {
    if (sending?.ref !== ref) return;
    const [id] = sending.entryIds;
    if (remove)
      queue.splice(
        queue.findIndex((entry) => entry.id === id),
        1,
      );
    sending = null;
  };
  const outbox: Outbox = {
    put: async () => true,
    async claim(): Promise<Claim> {
      const entry = queue.find(({ id }) => (sending === null ? true : id === sending.entryIds[0]));
      if (sending !== null) return { state: 'unsettled', sending, entries: entry === undefined ? [] : [entry] };
      if (entry === undefined) return { state: 'empty' };
      serial += 1;
      sending = { ref: `m_${serial}`, entryIds: [entry.id], startedAt: clock };
      return { state: 'claimed', sending, entries: [entry] };
    },
    settleSent: async (_channel, ref) => settle(ref, true),
    settleUnsent: async (_channel, ref) => settle(ref, false),
    settleDropped: async (_channel, ref) => settle(ref, true),
    pausedUntil: async () => pausedUntil,
    pauseUntil: async (_channel, ms) => {
      pausedUntil = ms;
    },
    channels: async () => [],
    waiting: async () => queue.length,
  };
  const deps = {
    outbox,
    log,
    now: () => clock,
    sleep: async (ms: number) => {
      clock += ms;
    },
    render: async ([entry]: readonly OutboxEntry[]): Promise<Message> => ({ text: entry?.id ?? '', blocks: [] }),
    async post(_channel: string, { text }: Message, ref: string) {
      const outcome = plan.shift() ?? 'ok';
      if (outcome === 'crash_before') throw new Crash();
      if (outcome === 'rate_limited')
        throw new SlackError('post', 'rate_limited', 'ratelimited', { retryAfterMs: 3000 });
      if (outcome === 'token_dead') throw new SlackError('post', 'token_dead', 'token_revoked');
      if (outcome !== 'lost_before') channel.push({ ref, text, at: clock });
      if (outcome === 'crash_after') throw new Crash();
      if (outcome !== 'ok') throw new SlackError('post', 'unknown', 'no_answer');
      return { channel: 'C1', ts: String(channel.length) };
    },
    async findByRef(_channel: string, ref: string) {
      lookUpsToLose -= 1;
      if (lookUpsToLose >= 0) throw new SlackError('history', 'unknown', 'no_answer');
      const place = channel.findIndex((message) => message.ref === ref);
      return place === -1 ? null : String(place + 1);
    },
    async posted(posted: readonly OutboxEntry[]) {
      for (const { id } of posted) noted.set(id, (noted.get(id) ?? 0) + 1);
    },
    redirect: async () => false,
    refused: async () => {},
    tokenDead: async () => {},
  };
  return {
    channel,
    noted,
    /** Runs as BullMQ does: again after the time asked for, or after a crash. */
    async drain(): Promise<void> {
      for (let run = 0; run < 500; run += 1) {
        const again = await flushOutbox('C1', deps).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          return 10_000;
        });
        if (again === null) return;
        clock += again;
      }
      throw new Error('it never ends');
    },
  };
}

const alert = (id: string): OutboxEntry => ({ kind: 'alert', id, alertId: id, audience: 'team', threadId: null });

describe('a channel’s messages', () => {
  it('each stand there exactly once and in order, whatever happens on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom(...outcomes), { maxLength: 15 }),
        fc.integer({ min: 0, max: 4 }),
        async (count, script, lostLookUps) => {
          const ids = Array.from({ length: count }, (_, index) => `e${index}`);
          const world = createWorld(ids.map(alert), script, lostLookUps);

          await world.drain();

          expect(world.channel.map(({ text }) => text)).toEqual(ids);
          expect([...world.noted.keys()].toSorted()).toEqual(ids);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('are more than a second apart', async () => {
    const world = createWorld(['a', 'b', 'c'].map(alert), [], 0);

    await world.drain();

    const [first = 0, second = 0, third = 0] = world.channel.map(({ at }) => at);
    expect(second - first).toBeGreaterThan(1000);
    expect(third - second).toBeGreaterThan(1000);
  });
});
