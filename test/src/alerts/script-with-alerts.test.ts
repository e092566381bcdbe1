import { expect, it } from 'vitest';
import { defineScriptWithAlerts } from '../../../src/alerts/script-with-alerts.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const alertKey = (id: string): string => `{cardbell:state}:alert:${id}`;

/** A script that answers with the ids of all alerts among its keys, or '' if it was not given as many as asked for. */
const lua = `
local answers = {}
local ids = {}
for index = 1, #KEYS do ids[index] = string.match(KEYS[index], ARGV[1]) end
for index = 1, tonumber(ARGV[2]) do
  answers[index] = #KEYS >= tonumber(ARGV[3 + index]) and table.concat(ids, ' ') or ''
end
redis.call('RPUSH', '{cardbell:state}:runs', table.concat(ids, ' '))
return answers`;

function define(nextAlerts: readonly string[] = []) {
  const added = [...nextAlerts];
  return defineScriptWithAlerts<{ id: string; keys: number }>(redis(), {
    source: { name: 'test/script-with-alerts', lua, keys: ['alerts'], takesMoreKeys: true },
    settings: ['a setting'],
    keysOf: ({ id }) => [alertKey(id)],
    argsOf: ({ keys }) => [keys],
    ownersOf: () => {
      const id = added.shift();
      if (id !== undefined) void redis().append('{cardbell:state}:owners', `${id} 1 2\n`);
      return '{cardbell:state}:owners';
    },
  });
}
const runs = (): Promise<string[]> => redis().lrange('{cardbell:state}:runs', 0, -1);

it('runs once for all items of a turn, each with its own answer', async () => {
  const run = define();

  const answers = await Promise.all([run({ id: 'x', keys: 1 }), run({ id: 'y', keys: 2 })]);

  expect(answers).toEqual(['x y', 'x y']);
  expect(await runs()).toEqual(['x y']);
});

it('declares the other alerts only if the script asks for more, and again if one was added meanwhile', async () => {
  const run = define(['a', 'b']);

  expect(await run({ id: 'x', keys: 3 })).toBe('x a b');

  expect(await runs()).toEqual(['x', 'x a', 'x a b']);
});

it('returns null if the script returns nothing', async () => {
  const run = defineScriptWithAlerts<string>(redis(), {
    source: { name: 'test/nothing', lua: 'return { false }', keys: ['alerts'], takesMoreKeys: true },
    settings: [],
    keysOf: (id) => [alertKey(id)],
    argsOf: () => [],
    ownersOf: () => 'owners',
  });

  expect(await run('x')).toBeNull();
});
