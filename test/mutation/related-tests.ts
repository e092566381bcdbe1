import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** At most so many test files are run for one mutant, those that are nearest by imports: fast ones, then slow ones. */
const FAST_MAX = 12;
const SLOW_MAX = 8;

/** What makes a test slow: a Redis or other processes of its own; and the killing of workers at every step. */
const servers = ['local/redis.ts', 'test/support/child-process.ts', 'test/sandbox/running-sandbox.ts'];
const killing = ['test/support/kill-everywhere.ts', 'test/support/crash-at.ts'];

/** Every TypeScript file below a folder, or the file itself; paths relative to `root`. */
export function filesBelow(root: string, path: string): string[] {
  if (!existsSync(join(root, path))) throw new Error(`${path} is not there any more: correct test/mutation/targets.ts`);
  if (!statSync(join(root, path)).isDirectory()) return path.endsWith('.ts') ? [path] : [];
  return readdirSync(join(root, path))
    .toSorted()
    .flatMap((name) => filesBelow(root, `${path}/${name}`));
}

/**
 * The part tests that load a file: the one at its mirrored path, then the nearest by imports. Flows and chaos, which start
 * processes of the built code, are not among them; of those that kill workers at every step only the mirrored one is.
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
    const mirrored = `test/${file.replace(/\.ts$/, '.test.ts')}`;
    // Those of the same capability know it best, also where they load it by way of others.
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

  /** Every file that loads `file`, with the number of imports in between. */
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
  return [...source.matchAll(/(?:from|import|import\()\s*'(\.[^']*\.ts)'/g)].map(([, path]) =>
    join(dirname(file), path ?? ''),
  );
}
