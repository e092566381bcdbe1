import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Largest number of test files per mutant, nearest by imports first: fast ones, then slow ones. */
const FAST_MAX = 12;
const SLOW_MAX = 8;

/** Signs of a slow test: a separate Redis or other processes, or killing workers at every step. */
const servers = ['local/redis.ts', 'test/support/child-process.ts', 'test/sandbox/running-sandbox.ts'];
const killing = ['test/support/kill-everywhere.ts', 'test/support/crash-at.ts'];

/** Every TypeScript file below a folder, or the file itself, as paths relative to `root`. */
export function filesBelow(root: string, path: string): string[] {
  if (!existsSync(join(root, path))) throw new Error(`${path} no longer exists: update test/mutation/targets.ts`);
  if (!statSync(join(root, path)).isDirectory()) return path.endsWith('.ts') ? [path] : [];
  return readdirSync(join(root, path))
    .toSorted()
    .flatMap((name) => filesBelow(root, `${path}/${name}`));
}

/**
 * The part tests that load a file: the one at its mirrored path, then the nearest by imports. Excludes flows and chaos,
 * which start processes of the built code, and tests that kill workers at every step, except the mirrored one.
 */
export function createRelatedTests(root: string): (file: string) => string[] {
  const importers = new Map<string, string[]>();
  for (const folder of ['src', 'templates', 'handlers', 'sandbox', 'workspace', 'local', 'bin', 'test']) {
    for (const file of filesBelow(root, folder)) {
      for (const imported of importsOf(root, file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }

  const slow = new Set(servers.flatMap((file) => [...distancesFrom(file).keys()]));
  const slowest = new Set(killing.flatMap((file) => [...distancesFrom(file).keys()]));

  return function relatedTests(file) {
    const mirrored = `test/${file.replace(/\.(?:ts|lua)$/, '.test.ts')}`;
    // Tests of the same capability come first, even if they load the file indirectly.
    const nearness = ([path, distance]: readonly [string, number]): number =>
      dirname(path) === dirname(mirrored) ? distance - 2 : distance;
    const tests = [...distancesFrom(file)]
      .filter(([path]) => path.endsWith('.test.ts') && !/^test\/(flow|chaos|demo|mutation)\//.test(path))
      .toSorted((one, other) => nearness(one) - nearness(other))
      .map(([path]) => path);
    const own = tests.filter((path) => path === mirrored);
    const others = tests.filter((path) => path !== mirrored && !slowest.has(path));
    const isSlow = (path: string): boolean => slow.has(path) || /\.property\.|^test\/fuzz\//.test(path);
    return [
      ...own.filter((path) => !slowest.has(path)),
      ...others.filter((path) => !isSlow(path)).slice(0, FAST_MAX),
      ...others.filter(isSlow).slice(0, SLOW_MAX),
      ...own.filter((path) => slowest.has(path)),
    ];
  };

  /** Every file that loads `file`, with its distance in imports. */
  function distancesFrom(file: string): Map<string, number> {
    const distances = new Map([[file, 0]]);
    for (const [reached, distance] of distances) {
      for (const importer of importers.get(reached) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    return distances;
  }
}

function importsOf(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/(?:from|import|import\(|new URL\()\s*'(\.[^']*\.(?:ts|lua))'/g)].map(([, path]) =>
    join(dirname(file), path ?? ''),
  );
}
