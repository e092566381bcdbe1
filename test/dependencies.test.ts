import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MOST = 8;

const declaration = /^(?:export )?interface (\w+)(?:\s+extends\s+([^{]+?))?\s*\{(?:\n([\s\S]*?)^)?\}/gm;
const member = /^ {2}(?:readonly )?(\w+)\??[:(]/gm;
const picked = /\bPick<\s*\w+\s*,([^>]*)>/g;
const name = /'(\w+)'/g;

interface Declared {
  readonly own: ReadonlySet<string>;
  readonly bases: readonly string[];
}

/** Interfaces by name. Types that are not interfaces are not counted. */
function interfacesOf(file: string): Map<string, Declared> {
  return new Map(
    [...readFileSync(file, 'utf8').matchAll(declaration)].map(([, title = '', bases = '', body = '']) => {
      const fromPicks = [...bases.matchAll(picked)].flatMap(([, names = '']) =>
        [...names.matchAll(name)].map(([, one = '']) => one),
      );
      const own = new Set([...fromPicks, ...[...body.matchAll(member)].map(([, one = '']) => one)]);
      return [title, { own, bases: bases.replace(picked, '').match(/\w+/g) ?? [] }];
    }),
  );
}

function membersOf(title: string, declared: ReadonlyMap<string, Declared>): string[] {
  const { own, bases } = declared.get(title) ?? { own: [], bases: [] };
  return [...new Set([...own, ...bases.flatMap((base) => membersOf(base, declared))])];
}

it('hands a function at most eight dependencies', () => {
  const files = ['src', 'handlers'].flatMap((area) =>
    readdirSync(area, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(area, path)),
  );

  const everywhere = files.map((file) => ({ file, declared: interfacesOf(file) }));
  const others = everywhere.flatMap(({ declared }) => [...declared]);
  const counted = everywhere.flatMap(({ file, declared }) => {
    const inReach = new Map([...others, ...declared]);
    const titles = [...declared.keys()].filter((title) => title.endsWith('Deps'));
    return titles.map((title) => ({ at: `${file} ${title}`, count: membersOf(title, inReach).length }));
  });

  expect(counted.length).toBeGreaterThan(150);
  const tooMany = counted.filter(({ count }) => count > MOST).map(({ at, count }) => `${at}: ${count}`);
  expect(tooMany).toEqual([]);
});
