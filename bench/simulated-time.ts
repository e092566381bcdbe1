import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOrInstall } from '../local/system-package.ts';

/** How long a running program may use the time that it read before. */
const READ_EVERY_SECONDS = 1;

/**
 * A wall clock that can be moved forward for entire programs: data that lives for 30 days in Redis is really gone after
 * 30 days.
 */
interface SimulatedTime {
  /** With these variables a program uses and follows the simulated time. Monotonic clocks are not affected. */
  readonly env: Readonly<Record<string, string>>;
  now(): number;
  /** Resolves when all of these programs have noticed. */
  forward(ms: number): Promise<void>;
  end(): void;
}

/** Uses libfaketime. Installs its Debian package if missing. */
export function startSimulatedTime(): SimulatedTime {
  const program = findOrInstall(['faketime'], 'faketime');
  const preload = execFileSync(program, ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'cardbell-time-'));
  const file = join(folder, 'ahead');
  let aheadSeconds = 0;
  const write = (): void => writeFileSync(file, `+${aheadSeconds}\n`);
  write();
  return {
    env: {
      // Redis' own allocator asks for the time before libfaketime is ready.
      LD_PRELOAD: `${preload} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: String(READ_EVERY_SECONDS),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    now: () => Date.now() + aheadSeconds * 1000,
    async forward(ms) {
      aheadSeconds += Math.round(ms / 1000);
      write();
      await sleep(2 * READ_EVERY_SECONDS * 1000);
    },
    end: () => rmSync(folder, { recursive: true }),
  };
}
