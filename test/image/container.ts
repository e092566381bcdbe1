import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BuiltImage } from './build.ts';

/** A process of the image: as user 10001, on a read-only root with a /tmp of its own, its init as process 1. */
export interface Container {
  /** Everything it wrote, in lines. */
  readonly lines: readonly string[];
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** SIGTERM to process 1, as `docker stop` does. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Mounts are made in a namespace of the container's own, so nothing of them is left behind. */
const SCRIPT = `set -e
mount --bind "$ROOT" "$ROOT"
mount -o remount,bind,ro "$ROOT"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
mount --bind /dev "$ROOT/dev"
exec chroot --userspec=10001:10001 "$ROOT" env -i "$@"`;

/** Starts the image's entry point with these arguments. Its network is ours. */
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

/** The first process in the namespace that `unshare` made. */
function processOne(unshare: number | undefined): number {
  const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8').trim();
  return Number(children.split(' ')[0]);
}
