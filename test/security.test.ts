import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keptKeys } from './support/kept-keys.ts';

const rows = keptKeys();
const families: Readonly<Record<string, string>> = {
  stateKey: '{cardbell:state}:',
  intakeKey: '{cardbell:in}:',
  auditKey: '{cardbell:audit}:',
  directoryKey: '{cardbell:dir}:',
};

/** Names of keys as the sources write them; what stands in `${…}` may be anything. */
const names = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== 'keys.ts')
  .flatMap((file) => {
    const text = readFileSync(`src/${file}`, 'utf8');
    return [...text.matchAll(/\b(stateKey|intakeKey|auditKey|directoryKey)\(\s*([`'])(.*?)\2/g)]
      .filter(([, , , name = '']) => !name.startsWith('${'))
      .map(([, family = '', , name = '']) => `${families[family]}${name.replaceAll(/\$\{.*?\}/g, 'x')}`);
  });

it('every key that the sources name is in SECURITY.md, with what it holds and for how long', () => {
  expect(names.length).toBeGreaterThan(30);
  // "alert:" alone is the beginning of a key that a script completes.
  const missing = names.filter((name) => !rows.some(({ fits }) => fits(name) || fits(`${name}x`)));

  expect(missing).toEqual([]);
});

/** A key whose middle is made when the program runs, such as `messages:KIND:ID`, may have a row for one kind. */
function asPattern(name: string): RegExp {
  const parts = name.split(':').map((part) => (part === 'x' ? '[^:]+' : part.replaceAll(/[{}]/g, '\\$&')));
  return new RegExp(`^${parts.join(':')}$`);
}

it('every key of SECURITY.md is one of the sources’', () => {
  const stale = rows
    .filter(({ key }) => /^\{cardbell:(state|audit)\}/.test(key))
    .filter(({ key, fits }) => !names.some(fits) && !names.some((name) => asPattern(name).test(key)))
    .filter(({ key }) => !/:(declines|shipments):/.test(key));

  expect(stale.map(({ key }) => key)).toEqual([]);
});
