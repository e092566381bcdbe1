import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrderSheet } from './orders.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Workers that are each killed at a step of their own. No other worker may run meanwhile. */
export interface CrashingWorkers {
  /**
   * Has somebody do something while nobody works, then starts a worker that dies of it (SIGKILL) just before or just
   * after it writes what `pattern` describes to a socket. The next worker finds what that one left.
   *
   * @returns the id of the action.
   */
  killAt(
    what: string,
    act: () => Promise<unknown>,
    step: { readonly pattern: (actionId: string) => string; readonly when: 'before' | 'after' },
  ): Promise<string>;
  stop(): Promise<void>;
}

export async function createCrashingWorkers({ store, startWorker }: RunningCardbell): Promise<CrashingWorkers> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-crash-'));
  const orders = await createOrderSheet(join(folder, 'orders.json'));

  /** What was done last lies in the inbox. */
  async function lastAsked(): Promise<string> {
    const [entry] = await store.xrevrange('{cardbell:in}:actions', '+', '-', 'COUNT', 1);
    const { action } = JSON.parse(entry?.[1][1] ?? '{}') as { action?: { id: string } };
    if (action === undefined) throw new Error('nobody asked for anything');
    return action.id;
  }

  return {
    async killAt(what, act, { pattern, when }) {
      await act();
      const actionId = await lastAsked();
      await orders.write({ killAt: { pattern: pattern(actionId), when } });
      const worker = await startWorker(orders.env);
      await until(() => !worker.isRunning(), `the worker of “${what}” dies`);
      return actionId;
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
