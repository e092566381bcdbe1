import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findOrInstall, ProgramMissingError } from '../../local/system-package.ts';

const before = { ...process.env };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardbell-program-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  for (const name of ['PATH', 'REDIS_SERVER', 'CHROMIUM']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

/** Creates an executable program. */
function program(name: string, script = 'exit 0'): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

it.each([
  ['REDIS_SERVER', ['redis-server'], 'redis-server'],
  ['CHROMIUM', ['chromium'], 'chromium'],
])('%s takes precedence over the program found', (variable, names, debianPackage) => {
  const own = program('my-own');
  process.env[variable] = own;

  expect(findOrInstall(names, debianPackage)).toBe(own);
});

it('refuses a variable that names no program, and installs nothing in its place', () => {
  process.env['REDIS_SERVER'] = join(folder, 'nowhere');

  expect(() => findOrInstall(['redis-server'], 'redis-server')).toThrow(ProgramMissingError);
  expect(() => findOrInstall(['redis-server'], 'redis-server')).toThrow('REDIS_SERVER');
});

it('says what it installs, and waits for other users of the package manager', () => {
  const calls = join(folder, 'calls');
  const wanted = join(folder, 'cardbell-nothing');
  program('apt-get', `echo "$@" >> ${calls}\ncase "$*" in *install*) cp "$0" ${wanted};; esac`);
  program('sudo', 'shift; exec "$@"');
  process.env['PATH'] = `${folder}:${before['PATH'] ?? ''}`;
  const lines: string[] = [];

  expect(findOrInstall(['cardbell-nothing'], 'cardbell-package', (line) => void lines.push(line))).toBe(wanted);

  expect(lines.join()).toContain('cardbell-package');
  expect(readFileSync(calls, 'utf8')).toMatch(/install .*DPkg::Lock::Timeout=\d+ cardbell-package/);
});

it('retries the update of the package lists while another process holds their lock', () => {
  const calls = join(folder, 'calls');
  const wanted = join(folder, 'cardbell-nothing');
  program(
    'apt-get',
    `echo "$1" >> ${calls}
case "$*" in
  update*) [ "$(grep -c update ${calls})" = 3 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; } ;;
  *install*) cp "$0" ${wanted} ;;
esac`,
  );
  program('sudo', 'shift; exec "$@"');
  process.env['PATH'] = `${folder}:${before['PATH'] ?? ''}`;

  expect(findOrInstall(['cardbell-nothing'], 'cardbell-package', () => {})).toBe(wanted);

  expect(readFileSync(calls, 'utf8')).toBe('update\nupdate\nupdate\ninstall\n');
});
