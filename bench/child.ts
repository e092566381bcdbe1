import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../local/port.ts';
import { SHARED_SECRET, SIGNING_SECRET } from './sample.ts';

/** One of our processes under measurement. */
export interface Child {
  readonly port: number;
  readonly startedInMs: number;
  /** Processor time used so far. */
  cpuMs(): number;
  /** Resident memory in bytes. */
  memoryBytes(): number;
  stop(): Promise<void>;
}

/** Variables that only the web process needs. */
export const webOnly = {
  HOST: '127.0.0.1',
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  WEBHOOK_SHARED_SECRET: SHARED_SECRET,
};

const TICKS_PER_SECOND = 100;

/** Processor time of a process, user and system, from `/proc`. */
function cpuMsOf(pid: number): number {
  // After the program's name, which may contain spaces: fields 14 and 15 of proc(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function memoryBytesOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Starts a compiled entry file and waits until `isUp` succeeds. Stopped by its own process id. */
export async function startChild(
  entry: string,
  env: Readonly<Record<string, string>>,
  isUp: () => Promise<boolean>,
  nodeArgs: readonly string[] = [],
): Promise<Child> {
  const path = fileURLToPath(new URL(`../${entry}`, import.meta.url));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, path], {
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isUp().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`${entry} exited with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    port: Number(env.PORT ?? 0),
    startedInMs: performance.now() - startedAt,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    memoryBytes: () => memoryBytesOf(child.pid ?? 0),
    stop: () => stop(child),
  };
}

/** A web process that is ready. */
export async function startWeb(env: Readonly<Record<string, string>>): Promise<Child> {
  const port = await freePort();
  const all = { ...env, ...webOnly, PORT: String(port) };
  return await startChild('src/web.js', all, () => answers(`http://127.0.0.1:${port}/readyz`));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 8000);
  await gone;
  clearTimeout(deadline);
}

export async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(500) });
  await response.body?.cancel();
  return response.status < 500;
}
