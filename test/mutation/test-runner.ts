import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { RunAnswer, RunRequest } from './test-process.ts';

/** The result of a run that timed out. */
export const TIME_IS_UP = 'no end within the time limit';

export interface TestRunner {
  /**
   * Runs the test files in the given order, until one fails.
   *
   * @returns the failed test, or null.
   */
  run(request: { readonly changed: string | null; readonly tests: readonly string[] }): Promise<string | null>;
  /** Makes the next run reload this file. */
  forget(file: string): void;
  /** Last duration of a test file in milliseconds, or 0 if it has not run yet. */
  durationOf(test: string): number;
  stop(): void;
}

/** Runs tests in a separate process, which is killed when it does not answer, because some mutants never terminate. */
export function createTestRunner(copy: string, timeoutMs: number): TestRunner {
  const durations = new Map<string, number>();
  let changedSince: string[] = [];
  let running: ChildProcess | null = null;

  function stop(): void {
    // Kills the process group, which includes the workers of Vitest and their Redis.
    if (running?.pid !== undefined && running.exitCode === null) process.kill(-running.pid, 'SIGKILL');
    running = null;
  }

  async function start(): Promise<ChildProcess> {
    const child = fork(join(copy, 'test/mutation/test-process.ts'), {
      cwd: copy,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running = child;
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error('the test process exited before it started')));
    });
    return child;
  }

  return {
    durationOf: (test) => durations.get(test) ?? 0,
    stop,
    forget: (file) => void changedSince.push(file),
    async run({ changed, tests }) {
      const child = running ?? (await start());
      const request: RunRequest = { changed: [...changedSince, ...(changed === null ? [] : [changed])], tests };
      changedSince = [];
      return new Promise<string | null>((resolve) => {
        const end = (failed: string | null): void => {
          clearTimeout(timer);
          child.removeAllListeners();
          resolve(failed);
        };
        const timer = setTimeout(() => {
          stop();
          end(TIME_IS_UP);
        }, timeoutMs);
        child.once('message', (answer: RunAnswer) => {
          for (const [test, ms] of Object.entries(answer.durations)) durations.set(test, ms);
          end(answer.failed);
        });
        child.once('exit', () => {
          running = null;
          end('the process of the tests ended');
        });
        child.send(request);
      });
    },
  };
}
