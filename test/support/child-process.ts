import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One of Cardbell's processes, started like in the Procfile. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** All lines of its standard output and error. */
  readonly lines: readonly string[];
  /** Exit code and signal, once it has exited. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
  isRunning(): boolean;
  /** Waits for a log line with this `msg`. */
  said(msg: string, deadlineMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
}

const running = new Set<ChildProcess>();
// A test run leaves no process behind, however it ends.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts `dist/src/NAME.js` with only this environment.
 *
 * With `TEST_PACE`, the worker calls Slack at that pace (paced-worker.ts, paced-start.ts). `TEST_BUILD` is the folder of
 * another build.
 */
export function startChild(name: 'web' | 'worker' | 'start', env: Record<string, string>): Child {
  const isPaced = name !== 'web' && env['TEST_PACE'] !== undefined;
  const build = env['TEST_BUILD'] ?? 'dist';
  const program = isPaced ? `test/support/paced-${name}.js` : `src/${name}.js`;
  const child = spawn(process.execPath, [`${build}/${program}`], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    stream.on('end', () => {
      if (rest !== '') lines.push(rest);
    });
  }
  let stoppedAt = performance.now();
  const exit = new Promise<Awaited<Child['exit']>>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ms: performance.now() - stoppedAt });
    });
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = (signal: NodeJS.Signals): void => {
    stoppedAt = performance.now();
    child.kill(signal);
  };
  return {
    name,
    pid: child.pid ?? 0,
    lines,
    exit,
    isRunning,
    said: (msg, deadlineMs = 120_000) =>
      until(
        () => {
          if (lines.some((line) => line.includes(`"msg":"${msg}"`))) return true;
          if (!isRunning()) throw new Error(`${name} ended before it said "${msg}":\n${lines.slice(-20).join('\n')}`);
          return false;
        },
        `${name} says "${msg}"`,
        deadlineMs,
      ),
    kill,
    async stop() {
      if (isRunning()) kill('SIGTERM');
      return await exit;
    },
  };
}
