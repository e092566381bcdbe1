import { describe, expect, it } from 'vitest';
import { batched, batchedBy } from '../../../src/core/batched.ts';

describe('calls in one turn', () => {
  it('share one run, and each gets its own result', async () => {
    const runs: (readonly number[])[] = [];
    const double = batched(async (calls: readonly number[]) => {
      runs.push(calls);
      return calls.map((call) => call * 2);
    });

    expect(await Promise.all([double(1), double(2), double(1)])).toEqual([2, 4, 2]);
    expect(runs).toEqual([[1, 2, 1]]);
  });

  it('are not answered with the result of an earlier turn', async () => {
    let value = 'before';
    const read = batched(async (calls: readonly string[]) => calls.map(() => value));
    expect(await read('key')).toBe('before');
    value = 'after';

    expect(await read('key')).toBe('after');
  });

  it('are split into runs of at most 200', async () => {
    const lengths: number[] = [];
    const same = batched(async (calls: readonly number[]) => {
      lengths.push(calls.length);
      return calls;
    });

    const all = Array.from({ length: 450 }, (_, index) => index);

    expect(await Promise.all(all.map(same))).toEqual(all);
    expect(lengths).toEqual([200, 200, 50]);
  });

  it('all fail if Redis is down', async () => {
    let runs = 0;
    const failing = batched(async (): Promise<never> => {
      runs += 1;
      throw new Error('Connection is closed.');
    });

    expect(await Promise.allSettled([failing(1), failing(2)])).toEqual([
      { status: 'rejected', reason: new Error('Connection is closed.') },
      { status: 'rejected', reason: new Error('Connection is closed.') },
    ]);
    expect(runs).toBe(1);
  });

  it('do not fail because of one call that Redis rejects', async () => {
    const same = batched(async (calls: readonly number[]) => {
      if (calls.includes(2)) throw new Error('WRONGTYPE');
      return calls;
    });

    expect(await Promise.allSettled([same(1), same(2), same(3)])).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('WRONGTYPE') },
      { status: 'fulfilled', value: 3 },
    ]);
  });
});

describe('calls in one turn with different keys', () => {
  const upper = batchedBy(
    (word: string) => word.charAt(0),
    async (words) => {
      if (words[0].startsWith('x')) throw new Error(`no ${words.join()}`);
      return words.map((word) => `${word} of ${words.length}`);
    },
  );

  it('have one run per key, in order of arrival', async () => {
    expect(await Promise.all(['ab', 'ba', 'ac'].map(upper))).toEqual(['ab of 2', 'ba of 1', 'ac of 2']);
  });

  it('fail only if the run of their own key fails', async () => {
    expect(await Promise.allSettled(['ab', 'xa', 'xb'].map(upper))).toEqual([
      { status: 'fulfilled', value: 'ab of 1' },
      { status: 'rejected', reason: new Error('no xa') },
      { status: 'rejected', reason: new Error('no xb') },
    ]);
  });

  it('do not wait for the run of another key', async () => {
    const same = batchedBy(
      (word: string) => word.charAt(0),
      (words) => (words[0].startsWith('x') ? new Promise<string[]>(() => {}) : Promise.resolve([...words])),
    );

    const hanging = same('xa');

    expect(await Promise.race([hanging, same('ab')])).toBe('ab');
    expect(await same('ac')).toBe('ac');
  });

  it('are split into several runs if there are too many for one', async () => {
    const lengths: number[] = [];
    const same = batchedBy(
      (word: string) => word.charAt(0),
      async (words) => {
        lengths.push(words.length);
        return words;
      },
    );

    const words = Array.from({ length: 450 }, (_, index) => `a${index}`);

    expect(await Promise.all([...words, 'b'].map(same))).toEqual([...words, 'b']);
    expect(lengths).toEqual([200, 200, 50, 1]);
  });
});
