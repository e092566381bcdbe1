import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../local/system-package.ts';
import { secretNames } from '../../src/app/read-variables.ts';

const analyze = findProgram(['systemd-analyze']);
const units = ['cardbell-web', 'cardbell-worker'] as const;
const path = (unit: string): string => `deploy/systemd/${unit}.service`;
/** Exposure as rated by systemd, from 0 (fully confined) to 10 (unrestricted root). V8 needs writable code, so not 0. */
const EXPOSURE_MAX = 1.5;

describe.skipIf(analyze === undefined)('systemd units (skipped if systemd-analyze is missing)', () => {
  it.each(units)('%s is valid', (unit) => {
    const folder = mkdtempSync(join(tmpdir(), 'cardbell-units-'));
    const copy = join(folder, `${unit}.service`);
    // The unit uses the path of Node in Debian, which may be different here.
    const text = readFileSync(path(unit), 'utf8').replace('/usr/bin/node', process.execPath);
    writeFileSync(copy, text);

    const { status, stderr } = spawnSync(analyze as string, ['verify', '--man=no', copy], { encoding: 'utf8' });

    rmSync(folder, { recursive: true });
    expect([status, stderr.trim()]).toEqual([0, '']);
  });

  it.each(units)('%s grants the process minimal privileges', (unit) => {
    const text = execFileSync(analyze as string, ['security', '--offline=true', path(unit)], { encoding: 'utf8' });

    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
    expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
  });
});

describe('each unit', () => {
  it.each(units)('%s starts an existing verb, and does not restart after an invalid variable', (unit) => {
    const text = readFileSync(path(unit), 'utf8');
    const verb = /^ExecStart=\S+ \/opt\/cardbell\/dist\/bin\/cardbell\.js (\w+)$/m.exec(text)?.[1];

    expect(`cardbell-${verb}`).toBe(unit);
    expect(existsSync('bin/cardbell.ts')).toBe(true);
    expect(text).toMatch(/^RestartPreventExitStatus=78$/m);
    expect(text).toContain(`EnvironmentFile=/etc/cardbell/${verb}.env`);
  });

  it('of the worker may write to one folder, which is kept, and that of web to none', () => {
    const [web = '', worker = ''] = units.map((unit) => readFileSync(path(unit), 'utf8'));

    expect(worker).toMatch(/^StateDirectory=cardbell\nStateDirectoryMode=0700$/m);
    expect(web).not.toContain('Directory=cardbell');
  });

  it('finds the secret in a file, which the page has systemd pass on, where systemd puts it', () => {
    const page = readFileSync('docs/install/systemd.md', 'utf8');
    const [, name = ''] = /`LoadCredential=([\w-]+):\/etc\/cardbell\/\S+`/.exec(page) ?? [];
    const [, variable = '', unit = '', file] =
      /`(\w+)_FILE=\/run\/credentials\/([\w-]+)\.service\/(\S+)`/.exec(page) ?? [];

    expect(secretNames).toContain(variable);
    expect(units).toContain(unit);
    expect(file).toBe(name);
  });

  it('has a separate admin port, so that both run on one machine', () => {
    const ports = units.map((unit) => /ADMIN_PORT=(\d+)/.exec(readFileSync(path(unit), 'utf8'))?.[1]);

    expect(new Set(ports).size).toBe(2);
    expect(ports).not.toContain(undefined);
  });
});
