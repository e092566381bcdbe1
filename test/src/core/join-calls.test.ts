import { expect, test, vi } from 'vitest';
import { joinCalls, sharedFor, shareRunning } from '../../../src/core/join-calls.ts';

/** Work that ends on demand. */
function startWork(restMs = 0) {
  const runs: { readonly key: string; readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const call = joinCalls(
    (key: string) => new Promise<void>((resolve, reject) => void runs.push({ key, end: resolve, fail: reject })),
    restMs,
  );
  return { call, runs };
}

test('callers during a run share one run that starts afterwards', async () => {
  const { call, runs } = startWork();
  const first = call('C1');
  const others = [call('C1'), call('C1'), call('C1')];
  expect(runs, 'the next run starts only after the current one has ended').toHaveLength(1);
  runs[0]?.end();
  await first;
  await expect.poll(() => runs.length, { message: 'the three waiting callers share one run' }).toBe(2);
  runs[1]?.end();
  await Promise.all(others);
  const later = call('C1');
  expect(runs, 'a caller without a current run is served at once').toHaveLength(3);
  runs[2]?.end();
  await later;
});

test('keys do not wait for each other', async () => {
  const { call, runs } = startWork();
  const calls = [call('C1'), call('C2')];
  expect(runs.map(({ key }) => key)).toEqual(['C1', 'C2']);
  for (const { end } of runs) end();
  await Promise.all(calls);
});

test('a failed run fails only for its own callers, and the next run still happens', async () => {
  const { call, runs } = startWork();
  const first = call('C1');
  const second = call('C1');
  runs[0]?.fail(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => runs.length, { message: 'the next run starts after the failure' }).toBe(2);
  runs[1]?.end();
  await second;
});

test('callers soon after a run share one run that starts after a rest', async () => {
  const { call, runs } = startWork(50);
  const first = call('C1');
  runs[0]?.end();
  await first;
  const others = [call('C1'), call('C1')];
  expect(runs, 'nothing runs before the rest is over').toHaveLength(1);
  await expect.poll(() => runs.length, { message: 'the next run starts after the rest' }).toBe(2);
  runs[1]?.end();
  await Promise.all(others);
});

test('callers with the same arguments share a call while it runs, also one that fails', async () => {
  const asked: string[] = [];
  const ask = shareRunning(async (id: string, version: number | null) => {
    asked.push(`${id} ${version}`);
    if (id === 'away') throw new Error('away');
    return asked.length;
  });

  expect(await Promise.all([ask('a', 1), ask('a', 1), ask('a', 2), ask('b', null)])).toEqual([1, 1, 2, 3]);
  expect(asked).toEqual(['a 1', 'a 2', 'b null']);
  expect(await ask('a', 1), 'nothing is kept of a call that has ended').toBe(4);

  const failing = [ask('away', 1), ask('away', 1)];
  for (const call of failing) await expect(call).rejects.toThrow('away');
  expect(asked.filter((call) => call === 'away 1')).toHaveLength(1);
});

test('an answer is shared, also while it is awaited, until it is too old', async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const ask = sharedFor(1000, async () => {
      asked += 1;
      return asked;
    });

    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(999);
    expect(await ask()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ask()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
