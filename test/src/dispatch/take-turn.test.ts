import { expect, it } from 'vitest';
import { BusyError } from '../../../src/core/errors.ts';
import { createTakeTurn } from '../../../src/dispatch/take-turn.ts';
import { ask } from '../../support/perform-world.ts';

/** How many of these actions begin, while none of them ends. */
function setUp() {
  const takeTurn = createTakeTurn();
  const ends: (() => void)[] = [];
  const hang = () => new Promise<void>((resolve) => ends.push(resolve));
  const begin = (verb: 'show' | 'block', userId: string, count: number) =>
    Array.from({ length: count }, () =>
      takeTurn({ ...ask(verb), actor: { ...ask(verb).actor, userId } }, hang).catch(refusalOf),
    );
  return { takeTurn, begin, ends };
}
const refusalOf = (error: unknown): unknown => error;

it('lets one person’s requests wait, so that there is room for others', async () => {
  const { begin, ends } = setUp();

  const shown = begin('show', 'U0HUGO', 60);
  void begin('show', 'U0ANA', 1);

  expect(ends).toHaveLength(5);
  expect(await shown[4]).toBeInstanceOf(BusyError);
});

it('makes room for a person’s blocks beside their other requests, but not for any number of them', () => {
  const { begin, ends } = setUp();

  void begin('show', 'U0HUGO', 60);
  void begin('block', 'U0HUGO', 60);

  expect(ends).toHaveLength(8);
});

it('goes on with the next request once one is over, also if it failed', async () => {
  const { takeTurn, begin, ends } = setUp();
  const shown = begin('show', 'U0HUGO', 4);
  for (const end of ends.splice(0)) end();
  expect(await Promise.all(shown)).toEqual(Array(4).fill(undefined));
  const fails = async () => {
    throw new Error('it failed');
  };
  const action = { ...ask('show'), actor: { ...ask('show').actor, userId: 'U0HUGO' } };
  for (let count = 0; count < 4; count += 1) await expect(takeTurn(action, fails)).rejects.toThrow('it failed');

  void begin('show', 'U0HUGO', 1);

  expect(ends).toHaveLength(1);
});
