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
  it('inserts an included file once, at its first mention', () => {
    write('core/base.lua', 'local base = 1');
    write('core/now.lua', '--- @include "base"', 'local now = 2');
    const file = write('store/put.lua', '--- @keys queue', '--- @include "../core/now"', '--- @include "../core/base"');

    expect(readScript(file).lua.split('\n').filter(Boolean)).toEqual([
      '--- @keys queue',
      'local base = 1',
      'local now = 2',
    ]);
  });

  it('names it after its folder and file', () => {
    expect(readScript(write('store/take.lua', '--- @keys queue')).name).toBe('store/take');
  });

  it('fails if the keys are not declared', () => {
    expect(() => readScript(write('store/bare.lua', 'return 1'))).toThrow('store/bare.lua does not declare its keys');
  });

  it('fails if a file is missing', () => {
    expect(() => readScript(write('store/x.lua', '--- @keys a', '--- @include "gone"'))).toThrow('gone.lua');
  });
});

describe('running a script', () => {
  const redis = useRedis();

  it('returns the result of the script', async () => {
    const file = write('store/echo.lua', '--- @keys first, second', 'return {KEYS[2], ARGV[1]}');

    expect(await defineScript(redis(), readScript(file)).run(['a', 'b'], [7])).toEqual(['b', '7']);
  });

  it('rejects a call with a different number of keys than declared', async () => {
    const script = defineScript(redis(), readScript(write('store/two.lua', '--- @keys first, second', 'return 1')));

    await expect(script.run(['a'], [])).rejects.toThrow('takes the keys first, second, but was given 1');
  });

  it('accepts any number of the last key if the script declares it', async () => {
    const file = write('store/count.lua', '--- @keys inbox, seen...', 'return #KEYS');
    const script = defineScript(redis(), readScript(file));

    expect(await Promise.all([script.run(['a'], []), script.run(['a', 'b', 'c'], [])])).toEqual([1, 3]);
  });
});

describe('the scripts of src and bin', () => {
  const files = ['src', 'bin']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.lua'));
  const declaring = files.filter((file) => readFileSync(file, 'utf8').includes('--- @keys'));

  it.each(declaring)('%s uses only declared key positions', (file) => {
    const { lua, keys } = readScript(pathToFileURL(file));
    const used = [...lua.matchAll(/KEYS\[(\d+)\]/g)].map(([, number]) => Number(number));

    expect(Math.max(...used), `${file} declares ${keys.join(', ')}`).toBeLessThanOrEqual(keys.length);
  });

  /** Reads all keys of a hash tag on the node that holds them, which cannot be declared. */
  const undeclared = ['bin/backup/dump.lua'];
  it.each(declaring.filter((file) => !undeclared.includes(file)))('%s accesses only declared keys', (file) => {
    const { lua } = readScript(pathToFileURL(file));
    const calls = lua.matchAll(/redis\.p?call\('(\w+)'(?:,\s*([^,)]+))?/g);
    const keys = [...calls].filter(([, command]) => command !== 'TIME').map(([, , key]) => key?.trim() ?? '');

    // The table and these locals were filled from KEYS.
    const declared = /^(?:KEYS\[\w+\]|alerts\[\w+\])$/;
    const locals = [...lua.matchAll(/local ([\w, ]+) = KEYS\[/g)].flatMap(([, names]) => names?.split(', '));
    expect(keys.filter((key) => !declared.test(key) && !locals.includes(key))).toEqual([]);
    expect(keys.length).toBeGreaterThan(0);
  });

  it.each(files)('%s is loaded by a module in its folder or included by a script', (file) => {
    const name = file.split('/').at(-1)?.replace('.lua', '') ?? '';
    const modules = readdirSync(dirname(file)).filter((sibling) => sibling.endsWith('.ts'));
    const isLoaded = modules.some((module) =>
      readFileSync(join(dirname(file), module), 'utf8').includes(`./${name}.lua`),
    );
    const isIncluded = files.some((other) => new RegExp(`@include ".*\\b${name}"`).test(readFileSync(other, 'utf8')));

    expect(isLoaded || isIncluded, `${file} is used`).toBe(true);
  });
});

describe('a script that only reads', () => {
  const redis = useRedis();

  it('returns bytes, even if the server does not have the script yet or any more', async () => {
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
