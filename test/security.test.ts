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

/** Names of keys in the sources. A `${…}` matches anything. */
const names = ['src', 'bin']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/\b(stateKey|intakeKey|auditKey|directoryKey)\(\s*([`'])(.*?)\2/g)]
      .filter(([, , , name = '']) => !name.startsWith('${'))
      .map(([, family = '', , name = '']) => `${families[family]}${name.replaceAll(/\$\{.*?\}/g, 'x')}`);
  });

it('SECURITY.md lists every key in the sources, with its content and lifetime', () => {
  expect(names.length).toBeGreaterThan(30);
  // "alert:" alone is a prefix that a script completes.
  const missing = names.filter((name) => !rows.some(({ fits }) => fits(name) || fits(`${name}x`)));

  expect(missing).toEqual([]);
});

/** A key with a variable middle, such as `messages:KIND:ID`, may have a row for one kind. */
function asPattern(name: string): RegExp {
  const parts = name.split(':').map((part) => (part === 'x' ? '[^:]+' : part.replaceAll(/[{}]/g, '\\$&')));
  return new RegExp(`^${parts.join(':')}$`);
}

it('every key in SECURITY.md is in the sources', () => {
  const stale = rows
    .filter(({ key }) => /^\{cardbell:(state|audit)\}/.test(key))
    .filter(({ key, fits }) => !names.some(fits) && !names.some((name) => asPattern(name).test(key)))
    .filter(({ key }) => !/:(declines|payments|shipments):/.test(key));

  expect(stale.map(({ key }) => key)).toEqual([]);
});
