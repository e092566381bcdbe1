import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The product never imports the code for demo and tests. */
const product = ['src', 'handlers', 'templates'];
const notForProduct = ['sandbox/', 'workspace/', 'local/', 'bin/', 'test/'];

const importLine = /^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

interface Import {
  readonly target: string;
  readonly isType: boolean;
}

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(importLine)].map(([, type, specifier, whenNeeded]) => ({
    target: join(dirname(file), specifier ?? whenNeeded ?? ''),
    isType: type !== undefined,
  }));
}

function filesOf(area: string): string[] {
  return readdirSync(area, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(area, name));
}

/** The folder of `src/limits/rule.ts` is `limits`. The entry points have none. */
function folderOf(path: string): string | null {
  const [, folder, name] = path.split('/');
  return path.startsWith('src/') && name !== undefined && folder !== undefined ? folder : null;
}

/** The folders of `src` from low to high: the table in CONTRIBUTING, so that page and test cannot differ. */
function foldersFromLowToHigh(): string[] {
  const section = readFileSync('CONTRIBUTING.md', 'utf8').split('## Folders')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(.+?)`/g)].map(([, name]) => name ?? ''));
}

/** The files that these import, directly or through others, and these themselves. */
function reachedFrom(files: readonly string[], counts: (one: Import) => boolean): Set<string> {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of importsOf(file)) if (one.target.endsWith('.ts') && counts(one)) follow(one.target);
  };
  for (const file of files) follow(file);
  return reached;
}

describe('boundaries between folders', () => {
  it('keeps only the entry points in the root of src', () => {
    const files = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isFile());

    expect(files.map(({ name }) => name).toSorted()).toEqual(['start.ts', 'web.ts', 'worker.ts']);
  });

  it('keeps in src only what a process runs: the parts of commands are in bin', () => {
    const reached = reachedFrom(['src/start.ts', 'src/web.ts', 'src/worker.ts'], () => true);

    expect(filesOf('src').filter((file) => !reached.has(file))).toEqual([]);
  });

  it('lets core import none of our other folders', () => {
    const wrong = filesOf('src/core').flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => !target.startsWith('src/core/') && target !== 'package.json')
        .map(({ target }) => `${file} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });

  it('lists each folder of src once in the table of folders', () => {
    const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());

    expect(foldersFromLowToHigh().toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  });

  it('lets no folder import one that is higher in the table', () => {
    const order = foldersFromLowToHigh();
    const rankOf = (path: string): number => order.indexOf(folderOf(path) ?? '');
    const wrong = filesOf('src')
      .filter((file) => folderOf(file) !== null)
      .flatMap((file) =>
        importsOf(file)
          .filter(({ target }) => rankOf(target) > rankOf(file))
          .map(({ target }) => `${file} imports ${target}`),
      );

    expect(wrong).toEqual([]);
  });

  it('keeps templates away from stores, processes and the network', () => {
    const wrong = filesOf('templates').flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => target.startsWith('src/'))
        .filter(
          ({ target, isType }) => !isType && /-store\.ts$|src\/(app|dispatch|intake|card-api)\/(?!rule)/.test(target),
        )
        .map(({ target }) => `${file} imports ${target}`),
    );

    expect(wrong).toEqual([]);
  });

  it.each(product)('keeps code for demo and tests out of %s', (area) => {
    const wrong = filesOf(area).filter((file) =>
      importsOf(file).some(({ target }) => notForProduct.some((other) => target.startsWith(other))),
    );

    expect(wrong).toEqual([]);
  });

  it('keeps the product out of the sandbox and the workspace', () => {
    const wrong = ['sandbox', 'workspace'].flatMap((area) =>
      filesOf(area).flatMap((file) =>
        importsOf(file)
          .filter(({ target }) => product.some((one) => target.startsWith(`${one}/`)))
          .map(({ target }) => `${file} imports ${target}`),
      ),
    );

    expect(wrong).toEqual([]);
  });

  it("reads the machine's clock in only these files: it may be wrong, so all others are given the time of Redis", () => {
    const readers = ['src', 'handlers']
      .flatMap(filesOf)
      .filter((file) => /Date\.now|new Date\(\)/.test(readFileSync(file, 'utf8')));

    expect(readers.toSorted()).toEqual([
      'src/app/action-context.ts',
      'src/app/consumer.ts',
      'src/app/maintenance.ts',
      'src/audit/archive.ts',
      'src/card-api/client.ts',
      'src/core/clock.ts',
      'src/ops/stuck.ts',
      'src/slack/guard.ts',
    ]);
  });

  it('reads the environment in only one file', () => {
    const readers = product.flatMap(filesOf).filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));

    expect(readers).toEqual(['src/app/config.ts']);
  });

  it('keeps the card API and its token out of the web process', () => {
    const reached = reachedFrom(['src/app/web-process.ts'], ({ isType }) => !isType);

    expect([...reached].filter((file) => /card-api\/(client|call|send|endpoints)/.test(file))).toEqual([]);
    expect(reached.size).toBeGreaterThan(30);
  });
});
