import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrderSheet } from './orders.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Workers that are each killed at a given step. No other worker may run meanwhile. */
export interface CrashingWorkers {
  /**
   * Performs `act` while no worker runs, then starts a worker that is killed (SIGKILL) just before or just after it writes
   * data matching `pattern` to a socket. The next worker continues from that state.
   *
   * @returns the id of the action.
   */
  killAt(
    what: string,
    act: () => Promise<unknown>,
    step: {
      readonly pattern: (actionId: string) => string;
      readonly when: 'before' | 'after';
      /** Holds the job back until `release`, because the next worker would be killed while performing it too. */
      readonly isHeld?: boolean;
    },
  ): Promise<string>;
  /** Releases the held jobs to workers. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** BullMQ's lock of a job. While it exists, no other worker takes over the job. */
const lockOf = (actionId: string): string => `{cardbell:queue}:actions:${actionId}:lock`;

export async function createCrashingWorkers({ store, startWorker }: RunningCardbell): Promise<CrashingWorkers> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-crash-'));
  const orders = await createOrderSheet(join(folder, 'orders.json'));
  const held: string[] = [];

  /** The id of the latest action in the inbox. */
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
      // A form closes before its action is stored.
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
