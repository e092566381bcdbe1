import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One of Cardbell's own processes, started as the Procfile does. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Everything it wrote, standard output and error, in lines. */
  readonly lines: readonly string[];
  /** Exit code and signal, once it has ended. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
  isRunning(): boolean;
  /** Waits for a log line with this `msg`. */
  said(msg: string, deadlineMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null; ms: number }>;
}

const running = new Set<ChildProcess>();
// Whatever becomes of a test run, it leaves no process behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts `dist/src/NAME.js` with this environment and nothing else of ours.
 *
 * A worker whose environment has `TEST_PACE` talks to Slack at that pace; see paced-worker.ts. `TEST_BUILD` is the folder of
 * another build.
 */
export function startChild(name: 'web' | 'worker' | 'start', env: Record<string, string>): Child {
  const isPaced = name === 'worker' && env['TEST_PACE'] !== undefined;
  const build = env['TEST_BUILD'] ?? 'dist';
  const program = isPaced ? 'test/support/paced-worker.js' : `src/${name}.js`;
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
    said: (msg, deadlineMs = 60_000) =>
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
