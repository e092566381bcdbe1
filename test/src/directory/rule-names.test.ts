import { expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { createCategoryId, createNameRuleset } from '../../../src/directory/rule-names.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { card } from '../../templates/fixtures.ts';

const ruleset = { id: 2, name: null, mayOverrule: true };
const follows = { ...card, ruleset };

function world(mayOverrule = true) {
  const service = { isAway: false, asked: 0 };
  let nowMs = 0;
  const nameRuleset = createNameRuleset({
    card: {
      async listRulesets() {
        service.asked += 1;
        if (service.isAway) throw unanswered();
        return [{ rulesetId: 2, name: 'Travel', cardCount: 1, raw: {} }];
      },
    },
    mayOverrule,
    now: () => new Date(nowMs),
  });
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { service, nameRuleset, advance };
}

it('reads a name once for many cards, and again after an hour', async () => {
  const { service, nameRuleset, advance } = world();

  const named = await Promise.all([nameRuleset(follows), nameRuleset(follows)]);
  advance(3_599_999);
  await nameRuleset(follows);
  expect(service.asked).toBe(1);
  advance(1);
  await nameRuleset(follows);

  expect(named[0]?.ruleset).toEqual({ ...ruleset, name: 'Travel' });
  expect(service.asked).toBe(2);
});

it('makes no call for a card without a ruleset', async () => {
  const { service, nameRuleset } = world();

  expect(await nameRuleset(card)).toEqual(card);
  expect(service.asked).toBe(0);
});

it('keeps the number or the last known name while the card service is down, and retries rarely', async () => {
  const { service, nameRuleset, advance } = world();
  service.isAway = true;
  expect((await nameRuleset(follows)).ruleset).toEqual(ruleset);
  await nameRuleset(follows);
  expect(service.asked).toBe(1);

  service.isAway = false;
  advance(300_000);
  expect((await nameRuleset(follows)).ruleset?.name).toBe('Travel');
  service.isAway = true;
  advance(3_600_000);
  expect((await nameRuleset(follows)).ruleset?.name).toBe('Travel');
});

it('keeps the number of an unknown ruleset, and takes its effect from the assumption', async () => {
  const { nameRuleset } = world(false);

  const { ruleset: seen } = await nameRuleset({ ...card, ruleset: { ...ruleset, id: 9 } });

  expect(seen).toEqual({ id: 9, name: null, mayOverrule: false });
});

it.each<[string, readonly number[], number | null | 'away']>([
  ['is that of another card', [1, 2], 13],
  ['is not known if no card has it', [1], null],
  ['may be that of a card that cannot be read', [3, 1], 'away'],
  ['is known although another card cannot be read', [3, 2], 13],
  ['is not known if no card has it, and the card service refuses to show one', [4, 1], null],
  ['may be that of a card while the token is dead', [5], 'away'],
])('the number of a merchant category %s', async (_what, accounts, id) => {
  const categoryId = createCategoryId({
    card: {
      async getSpendRules(acctId) {
        if (acctId === 3) throw unanswered();
        if (acctId === 4) throw refusal();
        if (acctId === 5) throw refusal(null, { code: 'token_dead' });
        return { rules: { categories: acctId === 2 ? [{ id: 13, name: 'Fuel' }] : [] }, raw: {} } as never;
      },
    },
    accounts: async () => accounts,
    log: createLog({ level: 'silent', process: 'test' }),
  });

  expect(await categoryId('Fuel')).toBe(id);
});
