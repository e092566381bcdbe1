import { describe, expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { withReplacement } from '../../support/with-replacement.ts';
import { declined } from '../../templates/fixtures.ts';

const redis = useRedis();

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

it('asks again before it closes a card that was blocked when the person saw it, and is active by now', async () => {
  const world = await createActionWorld(redis());
  const inputs: object[] = [];
  const old = { CardId: 7, Last4CardNumber: '0007', CardStatus: 'BLOCKED' };
  const wanted = { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' };
  const deps: WorldDeps = {
    ...world.deps,
    pending: {
      ...world.deps.pending,
      put: async (content) => {
        if (content.kind === 'choice') inputs.push(content.choice.input);
        return await world.deps.pending.put(content);
      },
    },
    card: {
      ...world.deps.card,
      getAccount: async () =>
        AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList: [old, wanted] }),
    },
  };
  const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;
  const pressed = (id: string) => performAction(ask('activate', { ...inputs.at(-1), id, target }), deps);

  await performAction(ask('activate', { id: 'act_1', target, closes: undefined }), deps);
  expect(world.answers.at(-1)?.text).toContain('Closing: Card 0007 (blocked).');
  old.CardStatus = 'ACTIVE';
  await pressed('act_2');
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('Closing: Card 0007 (active).');

  await pressed('act_3');
  expect(world.writes).toEqual(['activate']);
});

it('is not sent again if it got no answer and a card that it would close is active by now', async () => {
  const world = await createActionWorld(redis());
  const old = { CardId: 7, Last4CardNumber: '0007', CardStatus: 'BLOCKED' };
  const wanted = { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' };
  const deps: WorldDeps = {
    ...world.deps,
    card: {
      ...world.deps.card,
      getAccount: async () =>
        AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList: [old, wanted] }),
      async activateCard() {
        world.writes.push('activate');
        throw unanswered();
      },
    },
  };
  const confirmed = ask('activate', { target: { kind: 'card', acctId, cardId: 8, alertId: null }, closes: [7] });
  await expect(performAction(confirmed, deps)).rejects.toThrow('unavailable');
  old.CardStatus = 'ACTIVE';
  world.advance(5000);
  await performAction(confirmed, deps);

  expect(world.writes).toEqual(['activate']);
  expect(world.answers.at(-1)?.text).toContain(
    'A card that it would close is active by now, so I did not send it again',
  );
});

it('asks before it closes a card whose status the card service does not say', async () => {
  const world = await createActionWorld(redis());
  const account = withReplacement(null);
  const deps = { ...world.deps, card: { ...world.deps.card, getAccount: async () => account } };
  const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;

  await performAction(ask('activate', { id: 'act_1', target, closes: undefined }), deps);
  expect(world.writes).toEqual([]);
  expect(world.answers.at(-1)?.text).toContain('Closing: Card 0007 (status not known).');

  await performAction(ask('activate', { id: 'act_2', target, closes: [7] }), deps);
  expect(world.writes).toEqual(['activate']);
});

it('is not sent again, nor asked about, if it got no answer and would close a new card by now', async () => {
  const world = await createActionWorld(redis());
  const cards = [
    { CardId: 7, Last4CardNumber: '0007', CardStatus: 'BLOCKED' },
    { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' },
  ];
  const deps: WorldDeps = {
    ...world.deps,
    card: {
      ...world.deps.card,
      getAccount: async () => AccountDetails.parse({ AccountId: acctId, AccountStatus: 'OPEN', CardList: cards }),
      async activateCard() {
        world.writes.push('activate');
        throw unanswered();
      },
    },
  };
  const confirmed = ask('activate', { target: { kind: 'card', acctId, cardId: 8, alertId: null }, closes: [7] });
  await expect(performAction(confirmed, deps)).rejects.toThrow('unavailable');
  cards.push({ CardId: 9, Last4CardNumber: '0009', CardStatus: 'INACTIVE' });
  world.advance(5000);
  await performAction(confirmed, deps);

  expect(world.writes).toEqual(['activate']);
  expect(world.answers.at(-1)?.text).toMatch(/^Not sure: tried to activate .* it would close another card/);
  expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
});

it.each<[string, string, number, Role[]]>([
  ['it is too late by now', 'It waited longer than 10 minutes.', 11 * 60_000, ['operator', 'approver']],
  ['the person may not do it by now', 'Only approvers may unblock cards.', 0, ['operator']],
])('is not sent again, nor asked about, if it got no answer and %s', async (_what, why, waitsMs, rolesNow) => {
  const world = await createActionWorld(redis());
  world.service.status = 'BLOCKED';
  let isAgain = false;
  let roles: Role[] = ['operator', 'approver'];
  const deps: WorldDeps = {
    ...world.deps,
    rolesOf: async () => ({ roles, isComplete: true }),
    card: {
      ...world.deps.card,
      async getAccount(...args) {
        if (isAgain) {
          world.advance(waitsMs);
          roles = rolesNow;
        }
        return await world.deps.card.getAccount(...args);
      },
      async setCardStatus() {
        world.writes.push('unblock');
        throw unanswered();
      },
    },
  };
  await expect(performAction(ask('unblock', byCommand), deps)).rejects.toThrow('unavailable');
  world.advance(5000);
  isAgain = true;

  await performAction(ask('unblock', byCommand), deps);

  expect(world.writes).toEqual(['unblock']);
  expect(world.answers.at(-1)?.text).toContain(`I did not send it again: ${why}`);
});

it('names those who may do it for the cards of this group if a right ends just before the change', async () => {
  const asked: unknown[] = [];
  const world = await createActionWorld(redis());
  world.service.status = 'BLOCKED';
  let isRead = false;
  const deps: WorldDeps = {
    ...world.deps,
    card: {
      ...world.deps.card,
      getAccount: async (...args) => {
        isRead = true;
        return await world.deps.card.getAccount(...args);
      },
    },
    toFacts: () => ({ ...declined('', '').card, group: 'Field team' }),
    rolesOf: async () => ({ roles: isRead ? ['operator'] : ['operator', 'approver'], isComplete: true }),
    whoMay: async (role, group) => {
      asked.push([role, group]);
      return [];
    },
  };

  await performAction(ask('unblock', byCommand), deps);

  expect(world.writes).toEqual([]);
  expect(asked).toEqual([['approver', 'Field team']]);
});

it('asks the person again if the action becomes too late while the card service is asked', async () => {
  const world = await createActionWorld(redis());
  world.service.status = 'BLOCKED';
  const getAccount: WorldDeps['card']['getAccount'] = async (...args) => {
    world.advance(11 * 60_000);
    return await world.deps.card.getAccount(...args);
  };

  await performAction(ask('unblock', byCommand), { ...world.deps, card: { ...world.deps.card, getAccount } });

  expect(world.writes).toEqual([]);
  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^You asked 11 minutes ago to unblock /),
  ]);
});

describe('an activation that ends the block of the person’s own card', () => {
  async function activated(status: string, holder: string, closes: number[] | undefined) {
    const world = await createActionWorld(redis(), { whoMay: async () => ['U0OLGA', 'U0CEM'] });
    const at = '2026-11-20T15:00:00.000Z';
    await world.deps.links.link({ acctId, userId: holder, provedBy: 'approver', by: 'U0CEM', at });
    const card = { ...world.deps.card, getAccount: async () => withReplacement(status) };
    const target = { kind: 'card', acctId, cardId: 8, alertId: null } as const;
    const seen = { closes, closesActive: closes };
    await performAction(ask('activate', { target, ...seen, roles: ['operator'] }), { ...world.deps, card });
    return world;
  }

  it.each([
    ['before it is asked whether to close the other card', undefined],
    ['after that was confirmed', [7]],
  ])('is refused, %s, and names who may', async (_when, closes) => {
    const { writes, answers, stations } = await activated('Blocked', 'U0OLGA', closes);

    expect(writes).toEqual([]);
    expect(answers.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /You can’t end the block of your own card: somebody else has to activate the new one\. Ask another operator or an approver\. <@U0CEM>\. Nothing changed\.$/,
      ),
    ]);
    expect((await stations()).at(-1)).toBe('refused');
  });

  it.each([
    ['the card is not blocked', 'Active', 'U0OLGA'],
    ['somebody else holds the card', 'Blocked', 'U0HUGO'],
  ])('is made if %s', async (_what, status, holder) => {
    expect((await activated(status, holder, [7])).writes).toEqual(['activate']);
  });
});
