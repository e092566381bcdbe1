import { expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, performAction } from '../../support/perform-world.ts';

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
