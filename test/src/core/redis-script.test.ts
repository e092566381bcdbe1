import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineReadingScript, defineScript, readScript } from '../../../src/core/redis-script.ts';
import { useRedis } from '../../support/on-redis.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lua-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, ...lines: string[]): URL {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return pathToFileURL(path);
}

describe('reading a script', () => {
  it('puts an included file where it is mentioned, once, however often it is mentioned', () => {
    write('core/base.lua', 'local base = 1');
    write('core/now.lua', '--- @include "base"', 'local now = 2');
    const file = write('store/put.lua', '--- @keys queue', '--- @include "../core/now"', '--- @include "../core/base"');

    expect(readScript(file).lua.split('\n').filter(Boolean)).toEqual([
      '--- @keys queue',
      'local base = 1',
      'local now = 2',
    ]);
  });

  it('is named after its folder and file', () => {
    expect(readScript(write('store/take.lua', '--- @keys queue')).name).toBe('store/take');
  });

  it('fails when the keys are not declared', () => {
    expect(() => readScript(write('store/bare.lua', 'return 1'))).toThrow('store/bare.lua does not declare its keys');
  });

  it('fails when a file is missing', () => {
    expect(() => readScript(write('store/x.lua', '--- @keys a', '--- @include "gone"'))).toThrow('gone.lua');
  });
});

describe('running a script', () => {
  const redis = useRedis();

  it('answers what the script answers', async () => {
    const file = write('store/echo.lua', '--- @keys first, second', 'return {KEYS[2], ARGV[1]}');

    expect(await defineScript(redis(), readScript(file)).run(['a', 'b'], [7])).toEqual(['b', '7']);
  });

  it('refuses a call with another number of keys than declared', async () => {
    const script = defineScript(redis(), readScript(write('store/two.lua', '--- @keys first, second', 'return 1')));

    await expect(script.run(['a'], [])).rejects.toThrow('takes the keys first, second, but was given 1 keys');
  });

  it('takes any number of the last key where the script says so', async () => {
    const file = write('store/count.lua', '--- @keys inbox, seen...', 'return #KEYS');
    const script = defineScript(redis(), readScript(file));

    expect(await Promise.all([script.run(['a'], []), script.run(['a', 'b', 'c'], [])])).toEqual([1, 3]);
  });
});

describe('the scripts of src', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.lua'))
    .map((name) => join('src', name));
  const declaring = files.filter((file) => readFileSync(file, 'utf8').includes('--- @keys'));

  it.each(declaring)('%s uses the keys that it declares', (file) => {
    const { lua, keys } = readScript(pathToFileURL(file));
    const used = [...lua.matchAll(/KEYS\[(\d+)\]/g)].map(([, number]) => Number(number));

    expect(Math.max(...used), `${file} declares ${keys.join(', ')}`).toBeLessThanOrEqual(keys.length);
  });

  /** Reads all keys of a hash tag on the node that has them: nobody can declare these. */
  const undeclared = ['src/app/dump.lua'];
  it.each(declaring.filter((file) => !undeclared.includes(file)))(
    '%s touches no key that it does not declare',
    (file) => {
      const calls = readScript(pathToFileURL(file)).lua.matchAll(/redis\.p?call\('(\w+)'(?:,\s*([^,)]+))?/g);
      const keys = [...calls].filter(([, command]) => command !== 'TIME').map(([, , key]) => key?.trim() ?? '');

      // Those of a table were put there from KEYS.
      const declared = /^(?:KEYS\[\w+\]|alerts\[\w+\])$/;
      expect(keys.filter((key) => !declared.test(key))).toEqual([]);
      expect(keys.length).toBeGreaterThan(0);
    },
  );

  it.each(files)('%s is loaded by a module beside it, or included by a script', (file) => {
    const name = file.split('/').at(-1)?.replace('.lua', '') ?? '';
    const modules = readdirSync(dirname(file)).filter((sibling) => sibling.endsWith('.ts'));
    const isLoaded = modules.some((module) =>
      readFileSync(join(dirname(file), module), 'utf8').includes(`./${name}.lua`),
    );
    const isIncluded = files.some((other) => new RegExp(`@include ".*\\b${name}"`).test(readFileSync(other, 'utf8')));

    expect(isLoaded || isIncluded, `nobody uses ${file}`).toBe(true);
  });
});

describe('a script that only reads', () => {
  const redis = useRedis();

  it('answers with bytes, also where the server does not know it yet or any more', async () => {
    const source = readScript(
      write('store/look.lua', '--- @keys texts...', "return { redis.call('GET', KEYS[1]), ARGV[1] }"),
    );
    const look = defineReadingScript(redis(), source);
    await redis().set('one', Buffer.from([0xff, 0x00]));
    const answer = [Buffer.from([0xff, 0x00]), Buffer.from('given')];

    expect(await look(['one'], ['given'])).toEqual(answer);
    await redis().script('FLUSH');
    expect(await look(['one'], ['given'])).toEqual(answer);
  });

  it('cannot write', async () => {
    const source = readScript(write('store/sneak.lua', '--- @keys text', "return redis.call('SET', KEYS[1], 'x')"));

    await expect(defineReadingScript(redis(), source)(['one'], [])).rejects.toThrow('Write commands are not allowed');
  });
});
