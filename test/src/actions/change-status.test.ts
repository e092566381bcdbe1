import { expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, performAction, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();

it('activates no other card than the one asked for, because that would close it for good', async () => {
  const world = await createActionWorld(redis());
  const account = AccountDetails.parse({
    AccountId: acctId,
    AccountStatus: 'OPEN',
    CardList: [{ CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' }],
  });
  const card = { ...world.deps.card, getAccount: async () => account };
  const activate = (id: string, cardId: number) =>
    ask('activate', { id, target: { kind: 'card', acctId, cardId, alertId: null } });

  await performAction(activate('act_9', 9), { ...world.deps, card });
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('does not list this card');

  await performAction(activate('act_8', 8), { ...world.deps, card });
  expect(world.writes).toEqual(['activate']);
});

it('blocks no active card when its replacement, which is not activated, was meant', async () => {
  const world = await createActionWorld(redis());
  const blockNew = (id: string, before: string) => {
    const account = AccountDetails.parse({
      AccountId: acctId,
      AccountStatus: 'OPEN',
      CardList: [
        { CardId: 7, Last4CardNumber: '0007', CardStatus: before },
        { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' },
      ],
    });
    const card = { ...world.deps.card, getAccount: async () => account };
    const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;
    return performAction(ask('block', { id, target }), { ...world.deps, card });
  };

  await blockNew('act_1', 'Active');
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('A block would stop card 0007 instead.');

  await blockNew('act_2', 'Closed');
  expect(world.writes).toEqual(['status BLOCKED']);
});

it('asks again before it closes a card that the person has not seen', async () => {
  const world = await createActionWorld(redis());
  const [blocked, wanted, since] = [
    { CardId: 7, Last4CardNumber: '0007', CardStatus: 'BLOCKED' },
    { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' },
    { CardId: 9, Last4CardNumber: '0009', CardStatus: 'INACTIVE' },
  ];
  const listing = (...CardList: unknown[]): WorldDeps => {
    const account = AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList });
    return { ...world.deps, card: { ...world.deps.card, getAccount: async () => account } };
  };
  const confirmed = (id: string, closes: number[]) =>
    ask('activate', { id, target: { kind: 'card', acctId, cardId: 8, alertId: null }, closes });

  await performAction(confirmed('act_1', [7]), listing(blocked, wanted, since));
  expect(world.writes).toEqual([]);
  expect(JSON.stringify(world.answers.at(-1))).toContain('0009');

  await performAction(confirmed('act_2', [7, 9]), listing(blocked, wanted, since));
  expect(world.writes).toEqual(['activate']);
});
