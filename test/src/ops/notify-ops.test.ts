import { describe, expect, it } from 'vitest';
import { CardApiError, SlackError } from '../../../src/core/errors.ts';
import { isCardTokenDead, isSlackTokenDead, watchToken } from '../../../src/ops/notify-ops.ts';

const dead = new Error('token dead');
const world = () => {
  const told: string[] = [];
  let fails: Error | null = null;
  const client = watchToken(
    {
      async read(id: number): Promise<string> {
        if (fails !== null) throw fails;
        return `card ${id}`;
      },
    },
    {
      isDead: (error) => error === dead,
      dead: async () => void told.push('dead'),
      alive: async () => void told.push('alive'),
    },
  );
  return { client, told, fail: (error: Error | null) => (fails = error) };
};

describe('a watched client', () => {
  it('answers as before, and says once that the token works', async () => {
    const { client, told } = world();

    expect(await client.read(7)).toBe('card 7');
    await client.read(8);

    expect(told).toEqual(['alive']);
  });

  it('throws as before; says that the token is dead, and later that it works again', async () => {
    const { client, told, fail } = world();
    await client.read(7);
    fail(dead);
    await expect(client.read(7)).rejects.toBe(dead);
    fail(null);
    await client.read(7);

    expect(told).toEqual(['alive', 'dead', 'alive']);
  });

  it('says nothing of other failures', async () => {
    const { client, told, fail } = world();
    fail(new Error('timeout'));

    await expect(client.read(7)).rejects.toThrow('timeout');

    expect(told).toEqual([]);
  });
});

it('knows a dead token of the card API by its code, and of Slack by its words', () => {
  const cardApi = (code: 'token_dead' | 'unavailable') =>
    new CardApiError('x', { operation: 'getAccount', status: 401, outcome: 'refused', code, apiMessage: null });

  expect([isCardTokenDead(cardApi('token_dead')), isCardTokenDead(cardApi('unavailable'))]).toEqual([true, false]);
  expect([isSlackTokenDead(dead), isCardTokenDead(dead)]).toEqual([false, false]);
  for (const [word, expected] of [
    ['token_revoked', true],
    ['invalid_auth', true],
    ['channel_not_found', false],
  ] as const) {
    expect(isSlackTokenDead(new SlackError('chat.postMessage', 'refused', word)), word).toBe(expected);
  }
});
