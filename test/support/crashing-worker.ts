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
    step: {
      readonly pattern: (actionId: string) => string;
      readonly when: 'before' | 'after';
      /** No worker gets its job until `release`: the next one would be killed in the middle of it as well. */
      readonly isHeld?: boolean;
    },
  ): Promise<string>;
  /** Workers get the jobs that were held. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** BullMQ's lock of a job: nobody takes the job of a worker that died while it has one. */
const lockOf = (actionId: string): string => `{cardbell:queue}:actions:${actionId}:lock`;

export async function createCrashingWorkers({ store, startWorker }: RunningCardbell): Promise<CrashingWorkers> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-crash-'));
  const orders = await createOrderSheet(join(folder, 'orders.json'));
  const held: string[] = [];

  /** What was done last lies in the inbox. */
  async function lastAsked(): Promise<string | null> {
    const [entry] = await store.xrevrange('{cardbell:in}:actions', '+', '-', 'COUNT', 1);
    const { action } = JSON.parse(entry?.[1][1] ?? '{}') as { action?: { id: string } };
    return action?.id ?? null;
  }

  return {
    async killAt(what, act, { pattern, when, isHeld = false }) {
      const before = await lastAsked();
      let actionId = before ?? '';
      await act();
      // A form is closed before what it asks for is stored.
      await until(async () => {
        actionId = (await lastAsked()) ?? before ?? '';
        return actionId !== (before ?? '');
      }, `what is asked for in “${what}” is stored`);
      await orders.write({ killAt: { pattern: pattern(actionId), when } });
      const worker = await startWorker(orders.env);
      await until(() => !worker.isRunning(), `the worker of “${what}” dies`);
      if (isHeld) held.push(lockOf(actionId));
      if (isHeld) await store.set(lockOf(actionId), 'held');
      return actionId;
    },
    async release() {
      for (const lock of held.splice(0)) await store.del(lock);
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
