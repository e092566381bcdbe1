import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Composition, which connects parts and decides nothing, and the programs. The flows test them. */
const composition =
  /^(?:src\/(?:[a-z]+|(?:.*\/)?compose[^/]*|app\/.*)|bin\/(?:[^/]+|doctor\/.*|backup\/removed-at-end))$/;

/** Signs that a module makes decisions. Modules of types, constants and schemas make none. */
const branch = /\bif \(|\bfor \(|\bwhile \(|\bswitch \(| \? | && | \|\| | \?\? /;

function hasLogic(module: string): boolean {
  if (composition.test(module) || module.endsWith('.d')) return false;
  const code = readFileSync(`${module}.ts`, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return branch.test(code);
}

it('every module with logic has a test at its mirrored path', () => {
  const modules = ['src', 'bin']
    .flatMap((area) => readdirSync(area, { recursive: true, encoding: 'utf8' }).map((name) => `${area}/${name}`))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/\.ts$/, ''));
  const without = modules.filter((name) => hasLogic(name) && !existsSync(`test/${name}.test.ts`)).sort();

  expect(modules.length, 'modules of src and bin').toBeGreaterThan(100);
  expect(without, 'modules with logic that need a test at test/…').toEqual([]);
});
