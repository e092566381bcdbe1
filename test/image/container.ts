import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BuiltImage } from './build.ts';

/** A container of the image: user 10001, a read-only root with a separate /tmp, and its init as process 1. */
export interface Container {
  /** All lines of its output. */
  readonly lines: readonly string[];
  /** Its exit code, once it has exited. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM to process 1, like `docker stop`. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Mounts are made in the container's own namespace, so none are left behind. */
const SCRIPT = `set -e
mount --bind "$ROOT" "$ROOT"
mount -o remount,bind,ro "$ROOT"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
mount --bind /dev "$ROOT/dev"
exec chroot --userspec=10001:10001 "$ROOT" env -i "$@"`;

/** Starts the image's entry point with these arguments, in the host's network. */
export function startContainer(
  { root, config }: Pick<BuiltImage, 'root' | 'config'>,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Container {
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const command = ['sh', '-c', 'cd /app && exec "$@"', 'sh', ...config.Entrypoint, ...args];
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh', ...variables, ...command],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', ROOT: root } },
  );
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void lines.push(...text.trimEnd().split('\n')));
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const killWithUs = (): void => void process.kill(processOne(child.pid), 'SIGKILL');
  process.once('exit', killWithUs);
  void ended.then(() => process.removeListener('exit', killWithUs));
  return {
    lines,
    ended,
    async stop() {
      const startedAt = performance.now();
      if (child.exitCode === null) process.kill(processOne(child.pid), 'SIGTERM');
      return { code: await ended, ms: performance.now() - startedAt };
    },
  };
}

/** The first process in the namespace created by `unshare`. */
function processOne(unshare: number | undefined): number {
  const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8').trim();
  return Number(children.split(' ')[0]);
}
