import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of the first of `names` on the PATH, or undefined. */
export function findProgram(names: readonly string[], path = process.env['PATH'] ?? ''): string | undefined {
  // Debian keeps servers in sbin folders that are not in an ordinary user's PATH.
  const folders = [...path.split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'];
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // Not here: try the next folder.
      }
    }
  }
  return undefined;
}

/** A program that is missing and could not be installed. The message says what to type. */
export class ProgramMissingError extends Error {}

/** The variable that overrides a program, by Debian package. */
const givenBy: Readonly<Record<string, string>> = { 'redis-server': 'REDIS_SERVER', chromium: 'CHROMIUM' };

/** How long to wait for another run of the package manager. */
const LOCK_SECONDS = 300;
const LOCK_LOOK_EVERY_MS = 500;

/**
 * Finds a program, or installs its Debian package first (as root, or with a sudo that needs no password).
 *
 * A program named by a variable (`REDIS_SERVER`, `CHROMIUM`) is used as it is. Reports on standard error what it
 * installs. On an interactive terminal it asks first; otherwise it proceeds. Waits for other runs of the package
 * manager. Prevents the package from starting services: what we need runs under our own process id, and nothing is left
 * behind.
 *
 * @throws ProgramMissingError when the program is neither present nor installable.
 */
export function findOrInstall(
  names: readonly string[],
  debianPackage: string,
  say: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): string {
  const variable = givenBy[debianPackage];
  const given = variable === undefined ? undefined : process.env[variable];
  if (variable !== undefined && given !== undefined && given !== '') {
    const program = findProgram([given], '/') ?? findProgram([given]);
    if (program === undefined) throw new ProgramMissingError(`${variable}: expected the path of a program`);
    return program;
  }
  const found = findProgram(names);
  if (found !== undefined) return found;

  const aptGet = findProgram(['apt-get']);
  const hint = `Install it yourself (on Debian: apt-get install ${debianPackage}) and run the command again.`;
  if (aptGet === undefined) {
    throw new ProgramMissingError(`${names[0]} is not on the PATH and this system has no apt-get. ${hint}`);
  }

  const isRoot = process.getuid?.() === 0;
  const sudo = findProgram(['sudo']);
  if (!isRoot && sudo === undefined) {
    throw new ProgramMissingError(`${names[0]} is not on the PATH, and installing it needs root or sudo. ${hint}`);
  }
  if (!confirm(`${names[0]} is not installed. Install Debian's package "${debianPackage}" with apt-get? [Y/n] `))
    throw new ProgramMissingError(`${names[0]} is not on the PATH. ${hint}`);
  say(`${names[0]} is not installed: installing Debian's package "${debianPackage}" …`);
  const asRoot = isRoot ? [] : [sudo as string, '-n'];
  const [program, ...before] = [
    ...asRoot,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    // Its messages are parsed below.
    'LC_ALL=C',
    // Debian's invoke-rc.d checks this runlevel and starts no service when it is a shutdown level.
    'RUNLEVEL=1',
    aptGet,
  ];
  const run = (...args: string[]) => spawnSync(program as string, [...before, ...args], { encoding: 'utf8' });
  // `update` takes a lock without a timeout of its own, so wait for it here. Other failures of `update` are no reason
  // to give up.
  const patience = Date.now() + LOCK_SECONDS * 1000;
  while (/Could not get lock/.test(run('update', '-qq').stderr) && Date.now() < patience) sleep(LOCK_LOOK_EVERY_MS);
  const lock = ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
  const install = run('install', '-y', '-qq', '--no-install-recommends', ...lock, debianPackage);
  if (install.status !== 0) {
    const why = (install.stderr || String(install.error ?? '')).trim().split('\n').at(-1);
    throw new ProgramMissingError(`installing "${debianPackage}" failed: ${why}. ${hint}`);
  }
  const installed = findProgram(names);
  if (installed === undefined) {
    throw new ProgramMissingError(`"${debianPackage}" is installed, but ${names[0]} is still not on the PATH. ${hint}`);
  }
  return installed;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Asks on the terminal. Assumes yes when there is none. */
function confirm(question: string): boolean {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return true;
  process.stderr.write(question);
  const terminal = openSync('/dev/tty', 'r');
  const answer = Buffer.alloc(16);
  const length = readSync(terminal, answer);
  closeSync(terminal);
  return !/^\s*n/i.test(answer.toString('utf8', 0, length));
}
