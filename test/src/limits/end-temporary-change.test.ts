import { describe, expect, it } from 'vitest';
import { createEndTemporaryChange } from '../../../src/limits/end-temporary-change.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { refusal } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { acctId } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const now = (): Date => new Date('2026-11-20T16:00:00.000Z');

describe('when a temporary change is due to end', () => {
  type Found = TemporaryChange | null;
  interface Time {
    /** Null: unknown. */
    readonly leftMs?: number | null;
    readonly isEarly?: boolean;
  }
  async function end(temporaryChange: Found | (() => Found), error: Error | null = null, time: Time = {}) {
    const steps: string[] = [];
    const again = await createEndTemporaryChange({
      temporaryChanges: {
        get: async () => (typeof temporaryChange === 'function' ? temporaryChange() : temporaryChange),
        save: async ({ refusals }) => void steps.push(`refused ${refusals} times`),
        forget: async () => void steps.push('forgotten'),
      },
      withLock: async (name, work) => {
        steps.push(`locked ${name}`);
        return await work(held);
      },
      timeLeft: async () => (time.leftMs === undefined ? -1 : time.leftMs),
      progress: { read: async () => null },
      now,
      confirmIfMade: async (given) => given,
      restore: async (given) => {
        if (error !== null) throw error;
        return { kind: 'over', after: { ...given, state: 'ended' } };
      },
      notifyEnd: {
        conclude: async ({ state }, _action, note) =>
          void steps.push([`told ${state}`, note].filter(Boolean).join(' ')),
        giveUp: async ({ refusals }, { apiMessage }) => void steps.push(`given up ${refusals}: ${apiMessage}`),
        show: async ({ state }) => void steps.push(`shown ${state}`),
      },
    })('act_1', time.isEarly);
    return { again, locks: steps.slice(0, 1), steps: steps.slice(1) };
  }
  const failed = (code: 'refused' | 'unavailable' | 'token_dead' | 'bad_answer') => refusal('No.', { code });

  it('restores the rules and sends notifications', async () => {
    expect(await end(temporaryChangeOf())).toEqual({
      again: null,
      locks: [`locked account:${acctId}`],
      steps: ['told ended'],
    });
  });

  it('waits if it is not due yet, because the clock that woke it is fast', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: 5_000 })).toMatchObject({ again: 5_000, steps: [] });
  });

  it('reverts nothing while the time left is unknown, and checks again', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: null })).toMatchObject({ again: 60_000, steps: [] });
  });

  it('ends early once its purchase has happened', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: 5_000, isEarly: true })).toMatchObject({
      steps: ['told ended'],
    });
  });

  it.each(['unavailable', 'token_dead', 'bad_answer'] as const)(
    'comes back in a minute when the card API is %s',
    async (code) => {
      expect(await end(temporaryChangeOf(), failed(code))).toMatchObject({ again: 60_000, steps: [] });
    },
  );

  it('comes back in a minute after a refusal, which may pass', async () => {
    const refusals = 3;

    expect(await end(temporaryChangeOf(), failed('refused'))).toMatchObject({
      again: 60_000,
      steps: ['refused 1 times'],
    });
    expect(await end(temporaryChangeOf({ refusals }), failed('refused'))).toMatchObject({ again: 60_000 });
  });

  it('gives up after the fifth refusal', async () => {
    expect(await end(temporaryChangeOf({ refusals: 4 }), failed('refused'))).toMatchObject({
      again: null,
      steps: ['given up 5: No.'],
    });
  });

  it('updates the messages of a change that ended before', async () => {
    expect((await end(temporaryChangeOf({ state: 'kept' }))).steps).toEqual(['shown kept']);
  });

  it('ignores a change that was never made', async () => {
    expect(await end(null)).toEqual({ again: null, locks: [], steps: [] });
  });

  it('ignores a change that was dropped while the job was queued', async () => {
    const found = [temporaryChangeOf(), null];

    expect(await end(() => found.shift() ?? null)).toMatchObject({ again: null, steps: [] });
  });

  it('does not hide a bug of ours', async () => {
    await expect(end(temporaryChangeOf(), new TypeError('a bug'))).rejects.toThrow('a bug');
  });
});
