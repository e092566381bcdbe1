import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { endOfTurn } from '../../../src/webhooks/end-of-turn.ts';

it('lets all who wait in one turn go on after it, in their order', async () => {
  const seen: string[] = [];
  const wait = async (name: string): Promise<void> => {
    await endOfTurn();
    seen.push(name);
  };

  const all = Promise.all([wait('first'), wait('second')]);
  await Promise.resolve();
  seen.push('the turn itself');
  await all;

  expect(seen).toEqual(['the turn itself', 'first', 'second']);
});

it('ends every turn', async () => {
  await endOfTurn();
  const next = endOfTurn();

  await expect(next).resolves.toBeUndefined();
  expect(endOfTurn()).not.toBe(next);
});

it('keeps what belongs to each request apart', async () => {
  const program = new AsyncLocalStorage<string>();
  const wait = async (): Promise<string | undefined> => {
    await endOfTurn();
    return program.getStore();
  };

  expect(await Promise.all([program.run('us', wait), program.run('eu', wait)])).toEqual(['us', 'eu']);
});
