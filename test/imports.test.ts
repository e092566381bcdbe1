import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Who may import whom at run time. `import type` is free: types cross borders, values do not. Each area may import
 * itself and what stands here, and everything in `forAll`.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'src/alert': [],
  'src/authority': ['src/alert', 'src/card/time.ts'],
  'src/card': ['src/alert'],
  // Bolt's server carries our routes as well: their settings are the door's.
  'src/slack': ['src/alert', 'src/door.ts'],
  'src/queue': ['src/alert'],
  'src/routing': ['src/alert', 'src/authority', 'src/card/time.ts'],
  'src/store': ['src/alert', 'src/authority', 'src/digest'],
  'src/digest': ['src/card/time.ts'],
  'src/home': ['src/alert', 'src/perform/show-card.ts', 'src/store/directory-account.ts', 'templates'],
  'src/perform': [
    'src/alert',
    'src/authority',
    'src/digest',
    'src/store/digests.ts',
    'src/routing',
    'src/permissions.ts',
    'src/trouble.ts',
    'templates',
  ],
  templates: ['src/alert', 'src/authority', 'src/slack'],
  handlers: ['src/alert', 'src/authority', 'src/slack', 'templates', 'src/permissions.ts'],
  // Two worlds that the bot must not know. The sandbox is the service's side, the workspace is Slack's.
  sandbox: ['local'],
  workspace: [],
  local: ['sandbox', 'workspace', 'src/alert'],
};

/** One noun each, no imports beyond this list: usable everywhere. */
const forAll = [
  'src/card-number.ts',
  'src/content-id.ts',
  'src/errors.ts',
  'src/keys.ts',
  'src/log.ts',
  'src/redis-script.ts',
];

/** The pipelines get their adapters handed in; what they import are words of ours and their own steps. */
const pipelines: Readonly<Record<string, readonly string[]>> = {
  'src/receive-webhook.ts': ['src/alert/'],
  'src/request-action.ts': ['src/alert/', 'src/authority/', 'src/permissions.ts'],
  'src/deliver-alert.ts': ['src/alert/', 'src/announce.ts'],
  'src/announce.ts': ['src/alert/'],
  'src/flush-outbox.ts': ['src/alert/', 'src/next-message.ts'],
  'src/update-message.ts': ['src/alert/'],
  'src/perform-action.ts': ['src/alert/', 'src/authority/', 'src/perform/', 'templates/'],
};

/** The product never reaches into the worlds made for demo and tests. */
const product = ['src', 'handlers', 'templates'];
const notForProduct = ['sandbox/', 'workspace/', 'local/', 'bin/', 'test/'];

const importLine = /^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;

function runtimeImports(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(importLine)]
    .filter(([, type]) => type === undefined)
    .map(([, , specifier]) => join(dirname(file), specifier ?? ''));
}

function filesOf(area: string): string[] {
  return readdirSync(area, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(area, name));
}

describe('import rules', () => {
  it.each(Object.entries(mayImport))('%s imports itself, what all may use, and only %j besides', (area, allowed) => {
    const wrong = filesOf(area).flatMap((file) =>
      runtimeImports(file)
        .filter((target) => !forAll.includes(target))
        .filter((target) => ![area, ...allowed].some((one) => target === one || target.startsWith(`${one}/`)))
        .map((target) => `${file} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(pipelines))('%s gets its adapters handed in', (file, allowed) => {
    const wrong = runtimeImports(file).filter(
      (target) => !forAll.includes(target) && !allowed.some((one) => target.startsWith(one)),
    );

    expect(wrong).toEqual([]);
  });

  it.each(product)('%s knows nothing of the worlds made for demo and tests', (area) => {
    const wrong = filesOf(area).filter((file) =>
      runtimeImports(file).some((target) => notForProduct.some((one) => target.startsWith(one))),
    );

    expect(wrong).toEqual([]);
  });

  it('reads the environment in one file only', () => {
    const readers = product.flatMap(filesOf).filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));

    expect(readers).toEqual(['src/config.ts']);
  });

  it('keeps the card API and its token out of the web process', () => {
    const reached = new Set<string>();
    const follow = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const target of runtimeImports(file)) follow(target);
    };

    follow('src/web-process.ts');

    expect([...reached].filter((file) => /card\/(client|call|send)/.test(file))).toEqual([]);
    expect(reached.size).toBeGreaterThan(30);
  });
});
