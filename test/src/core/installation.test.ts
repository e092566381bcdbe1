import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import {
  commandCode,
  DEFAULT_COMMAND,
  DEFAULT_ZONE,
  isSameServiceDay,
  serviceClock,
  serviceDay,
  serviceTime,
  serviceZone,
  slashCommand,
  useInstallation,
} from '../../../src/core/installation.ts';

afterEach(() => useInstallation({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE }));

describe('times on the card service’s clock', () => {
  it.each([
    ['America/New_York', 'Nov 20, 2026, 6:44 PM ET', '6:44 PM', 'Eastern time'],
    ['America/Los_Angeles', 'Nov 20, 2026, 3:44 PM PT', '3:44 PM', 'Pacific time'],
    ['Asia/Tokyo', 'Nov 21, 2026, 8:44 AM Japan Time', '8:44 AM', 'Japan Standard Time'],
    ['Asia/Kolkata', 'Nov 21, 2026, 5:14 AM India Time', '5:14 AM', 'India Standard Time'],
    ['Asia/Kathmandu', 'Nov 21, 2026, 5:29 AM Nepal Time', '5:29 AM', 'Nepal time'],
    ['UTC', 'Nov 20, 2026, 11:44 PM GMT', '11:44 PM', 'GMT'],
  ])('in %s name its zone', (zone, full, clock, name) => {
    useInstallation({ command: DEFAULT_COMMAND, serviceZone: zone });
    expect(serviceTime('2026-11-20T23:44:00Z')).toBe(full);
    expect(serviceClock('2026-11-20T23:44:00Z')).toBe(clock);
    expect(serviceDay('2026-11-20T23:44:00Z', '2026-11-21T10:00:00Z')).toMatch(/^Nov 2[01], /);
    expect(isSameServiceDay('2026-11-20T13:00:00Z', '2026-11-20T14:30:00Z')).toBe(true);
    expect(isSameServiceDay('2025-11-20T14:00:00Z', '2026-11-20T14:00:00Z')).toBe(false);
    expect(serviceDay('2026-11-20T23:44:00Z', '2027-02-01T10:00:00Z')).toMatch(/^Nov 2[01], 2026, /);
    expect(serviceZone()).toMatchObject({ name: zone, long: name });
  });

  it.each([
    ['2026-11-20T14:14:00Z', 'Nov 20, 2026, 9:14 AM ET'],
    ['2026-07-04T16:00:00.1234567Z', 'Jul 4, 2026, 12:00 PM ET'],
    ['2026-11-01T05:30:00Z', 'Nov 1, 2026, 1:30 AM ET'],
    ['2026-11-01T06:30:00Z', 'Nov 1, 2026, 1:30 AM ET'],
    ['2026-03-08T07:00:00Z', 'Mar 8, 2026, 3:00 AM ET'],
    ['no time', 'no time'],
  ])('show %s as %s if nothing is configured', (instant, expected) => {
    expect(serviceTime(instant)).toBe(expected);
  });

  it('are the unchanged text if it is not a time', () => {
    expect(serviceTime('soon')).toBe('soon');
    expect(serviceClock('soon')).toBe('soon');
  });
});

it('prefixes commands with the configured name', () => {
  expect(slashCommand()).toBe('/card');
  useInstallation({ command: '/pay', serviceZone: DEFAULT_ZONE });
  expect([slashCommand(), slashCommand('show 4242'), commandCode('help')]).toEqual([
    '/pay',
    '/pay show 4242',
    '`/pay help`',
  ]);
});

describe('no text hard-codes the name of the command or the zone', () => {
  const sources = ['src', 'templates', 'handlers', 'bin/policy']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.ts') && path !== 'src/core/installation.ts');
  const codeOf = (path: string): string =>
    readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '');

  it.each(sources)('%s', (path) => {
    // Excludes zone names that people may type, and the card service's own words `card creation`.
    const code = codeOf(path).replaceAll(
      /^ {2}e[sd]?t: 'America\/New_York',$|\/card creation\/i|such as America\/\w+/gm,
      '',
    );
    expect(code).not.toMatch(/['"`( ]\/card(?![-\w/])|America\/New_York|\bET\b|Eastern/);
  });
});
