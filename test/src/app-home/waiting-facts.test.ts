import { expect, it } from 'vitest';
import { createWaitingFacts } from '../../../src/app-home/waiting-facts.ts';
import { homeOwnRequests } from '../../../templates/app-home/home-waiting.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';
import { buttons } from '../../templates/shown.ts';

const nothing: Parameters<typeof createWaitingFacts>[0] = {
  cardsFor: async (_userId, _permission, cards) => [...cards],
  requests: { open: async () => [] },
  claims: { open: async () => [] },
  temporaryChanges: { all: async () => [] },
  links: { ofAccount: async () => null },
  factsOf: async () => card,
  now: () => new Date(),
};

it('shows a claim to approvers who decide about its card, and to others who see that', async () => {
  const claim = {
    id: 'clm_1',
    action: ask('claim', { actor: { userId: 'U0HUGO', teamId: 'T1' } }),
    card: { acctId: 7, isSameName: false, isSameEmail: false },
    state: 'open',
    expiresAt: '2026-11-21T15:00:00.000Z',
  } as const;
  const claimsFor = async (userId: string, may: readonly string[]) => {
    const { claims } = await createWaitingFacts({
      ...nothing,
      claims: { open: async () => [claim] },
      factsOf: async (id) => ({ ...card, acctId: id }),
      cardsFor: async (_userId, { role }, cards) => (may.includes(role ?? '') ? [...cards] : []),
    }).ofTeam(userId);
    return claims.map(({ mayDecide }) => mayDecide);
  };

  expect(await claimsFor('U0ANA', ['operator', 'approver'])).toEqual([true]);
  expect(await claimsFor('U0OLGA', ['operator'])).toEqual([false]);
  expect(await claimsFor('U0EVE', [])).toEqual([]);
  expect(await claimsFor('U0HUGO', ['operator', 'approver']), 'nobody confirms their own claim').toEqual([false]);
});

it('lists only the requests that the user made, with their button values', async () => {
  const own = openRequestOf({ revision: 2 });
  const foreign = openRequestOf({ id: 'req_2', action: ask('limit', { actor: { userId: 'U0BEN', teamId: 'T1' } }) });
  const waiting = createWaitingFacts({ ...nothing, requests: { open: async () => [own, foreign] } });

  const ofHolder = await waiting.ownRequests('U0HUGO');
  expect(ofHolder).toMatchObject([{ action: { actor: { userId: 'U0HUGO' } }, mayDecide: false }]);
  expect(buttons(homeOwnRequests(ofHolder, {}))).toMatchObject([{ value: 'req_ask1.2' }]);
  expect(await waiting.ownRequests('U0EVE')).toEqual([]);
  const { requests } = await waiting.ofTeam('U0HUGO');
  expect(requests, 'and no other list has them again').toMatchObject([{ action: { actor: { userId: 'U0BEN' } } }]);
});

it('lets an approver whose own approval has become void approve their request again', async () => {
  const voided = openRequestOf({
    action: ask('limit', { actor: { userId: 'U0ANA', teamId: 'T1' } }),
    voided: [{ by: 'U0ANA', why: 'rights', standsInFor: null }],
  });
  const waiting = createWaitingFacts({ ...nothing, requests: { open: async () => [voided] } });

  const { requests } = await waiting.ofTeam('U0ANA');

  expect(requests).toMatchObject([{ id: 'req_ask1', mayDecide: true }]);
});

it('lists only the limits of a pending decision that have not gone back yet', async () => {
  const changes = [limitChange('daily', 40_000, 45_000), limitChange('weekly', 60_000, 70_000)];
  const meanwhile = [limitChange('daily', 45_000, 50_000), limitChange('weekly', 70_000, 60_000)];
  const asking = temporaryChangeOf({ state: 'asking', changes, meanwhile });

  const { temporaryChanges } = await createWaitingFacts({
    ...nothing,
    temporaryChanges: { all: async () => [asking] },
  }).ofTeam('U0SAL');

  expect(temporaryChanges).toMatchObject([{ changes: [changes[0]] }]);
});

it('offers the earlier end of a temporary reduction, which is a raise, only to approvers, and not for their own card', async () => {
  const raised = temporaryChangeOf({ id: 'act_up' });
  const reduced = temporaryChangeOf({ id: 'act_down', changes: [limitChange('daily', 40_000, 5_000)] });
  const link = { acctId, userId: 'U0OTTO', provedBy: 'email', by: 'U0OTTO', at: '2026-11-20T00:00:00Z' } as const;
  const offered = async (userId: string, may: readonly string[]) => {
    const { temporaryChanges } = await createWaitingFacts({
      ...nothing,
      temporaryChanges: { all: async () => [raised, reduced] },
      factsOf: async (id) => ({ ...card, acctId: id }),
      links: { ofAccount: async () => link },
      cardsFor: async (_userId, { role }, cards) => (may.includes(role ?? '') ? [...cards] : []),
    }).ofTeam(userId);
    return temporaryChanges.flatMap(({ value, mayRevert }) => (mayRevert ? [value] : []));
  };

  expect(await offered('U0ANA', ['operator', 'approver'])).toEqual(['act_up', 'act_down']);
  expect(await offered('U0OLGA', ['operator'])).toEqual(['act_up']);
  expect(await offered('U0OTTO', ['operator', 'approver']), 'whose card it is').toEqual(['act_up']);
});
