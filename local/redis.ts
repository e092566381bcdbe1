import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './port.ts';
import { findOrInstall } from './system-package.ts';

/** Our own Redis server: started by us, on loopback, with its own folder. */
export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  /** Path of its Unix socket: a call takes half as long as over TCP. */
  readonly socket: string;
  /** Folder with the append-only file and the dump. */
  readonly folder: string;
  readonly pid: number;
  /** SIGKILL, like a crash. Its folder stays. Resolves when the process is gone and its port is free again. */
  kill(): Promise<void>;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis server with the settings we recommend to operators: append-only file, no eviction.
 *
 * Never touches a Redis that it did not start. Uses `redis-server` or `valkey-server` from the PATH, and installs the
 * Debian package if it is missing.
 */
export async function startRedis(
  options: {
    port?: number;
    folder?: string;
    extraArgs?: readonly string[];
    /** Additional environment variables for the server. */
    env?: Readonly<Record<string, string>>;
  } = {},
): Promise<LocalRedis> {
  const program = findOrInstall(['redis-server', 'valkey-server'], 'redis-server');
  const port = options.port ?? (await freePort());
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'cardbell-redis-')));
  const socket = join(folder, 'redis.sock');
  const child = spawn(
    program,
    [
      ['--unixsocket', socket],
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
      ['--maxmemory-policy', 'noeviction', '--daemonize', 'no'],
      options.extraArgs ?? [],
    ].flat(),
    // A separate process group: Ctrl-C in the terminal reaches only us, and we stop Redis last.
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, ...options.env } },
  );
  // Redis reports on its standard output why it does not start.
  let said = '';
  const ready = new Promise<void>((resolve) => {
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', (chunk: Buffer) => {
        said = `${said}${chunk.toString()}`.slice(-2000);
        if (said.includes('Ready to accept connections')) resolve();
      });
    }
  });
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);

  try {
    await answersPing(port, child, ready);
  } catch (error) {
    killWithUs();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    throw new Error(`redis-server did not start on port ${port}: ${String(error)}\n${said.trim()}`);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    socket,
    folder,
    pid: child.pid as number,
    async kill() {
      process.removeListener('exit', killWithUs);
      await gone(child, 'SIGKILL');
    },
    async stop() {
      process.removeListener('exit', killWithUs);
      await stopChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answersPing(port: number, child: ChildProcess, ready: Promise<void>): Promise<void> {
  const client = new Redis(port, '127.0.0.1', {
    retryStrategy: () => 25,
    maxRetriesPerRequest: null,
    maxLoadingRetryTime: 25,
    lazyConnect: true,
  });
  client.on('error', () => {
    // Refused until the server listens. The retry strategy tries again.
  });
  const exited = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
    child.once('error', reject);
  });
  const timer = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('no answer within 10 s')), 10_000).unref();
  });
  try {
    void client.connect().catch(() => {});
    // Another server that has the port answers too. Ours then exits without getting ready.
    await Promise.race([Promise.all([client.ping(), ready]), exited, timer]);
  } finally {
    client.disconnect();
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  // A frozen server (SIGSTOP in a test) does not react to SIGTERM.
  const deadline = setTimeout(() => child.kill('SIGKILL'), 3000);
  await gone(child, 'SIGTERM');
  clearTimeout(deadline);
}

async function gone(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await exited;
}
