import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ASSUMPTIONS, assumptionsWith } from '../../sandbox/assumptions.ts';
import { ship } from '../../sandbox/engine/card-order.ts';
import { sandboxAccount } from '../../sandbox/sandbox-account.ts';
import { buildState } from '../../sandbox/seed/build-state.ts';
import { STANDARD_SEED } from '../../sandbox/seed/standard.ts';
import { CARD_STATUSES, isOpen, last4 } from '../../sandbox/state/account.ts';
import { lastFourOf, passesLuhn, testCardNumber } from '../../sandbox/state/card-number.ts';
import { entryOf, sampleData } from '../../sandbox/trigger/catalogue.ts';
import { bareWorld } from './bare-world.ts';

const { world } = bareWorld();
const accounts = world.state.accounts;
const shown = accounts.map((account) => sandboxAccount(world, account));
const plain = shown.filter(
  ({ CardList, AvailableBalance }) =>
    CardList[0]?.CardStatus === 'ACTIVE' && AvailableBalance >= 600 && AvailableBalance <= 4500,
);

describe('the seed', () => {
  it('is the same on every run', () => {
    const start = new Date('2026-05-01T12:00:00Z');

    expect(buildState(STANDARD_SEED, assumptionsWith(), start)).toEqual(
      buildState(STANDARD_SEED, assumptionsWith(), start),
    );
  });

  it.each(['card-status', 'card-shipping', 'virtual-card'] as const)(
    'has the card that the %s sample is about, so that the directory learns no other one',
    (name) => {
      const Sample = z.looseObject({
        AcctId: z.int().optional(),
        AccountId: z.int().optional(),
        CardNumber: z.string().optional(),
        Last4CardNumber: z.string().optional(),
        CardList: z.array(z.object({ Last4CardNumber: z.string() })).optional(),
      });
      const entry = entryOf(name);
      if (entry === undefined) throw new Error('no sample');
      const { AcctId, AccountId, ...sample } = Sample.parse(sampleData(entry));
      const { accounts } = buildState(STANDARD_SEED, assumptionsWith(), new Date());

      const account = accounts.find(({ acctId }) => acctId === (AcctId ?? AccountId));
      const last4 = sample.Last4CardNumber ?? sample.CardList?.[0]?.Last4CardNumber ?? sample.CardNumber?.slice(-4);
      expect(account?.cards.map(({ cardNumber }) => cardNumber.slice(-4))).toContain(last4);
      if (sample.CardNumber !== undefined) expect(passesLuhn(sample.CardNumber)).toBe(true);
    },
  );

  it('has the same ids and numbers on any day', () => {
    const ids = (day: string) =>
      buildState(STANDARD_SEED, assumptionsWith(), new Date(day)).accounts.map(({ acctId, cards }) => [
        acctId,
        cards.map(({ cardNumber }) => cardNumber),
      ]);

    expect(ids('2026-03-08T07:00:00Z')).toEqual(ids('2027-11-07T06:00:00Z'));
  });

  it('has a few dozen holders with groups, rulesets, orders and transactions', () => {
    expect(accounts.length).toBeGreaterThanOrEqual(24);
    expect(world.state.groups.length).toBeGreaterThan(2);
    expect(world.state.rulesets.length).toBeGreaterThan(2);
    expect(world.state.rows.length).toBeGreaterThan(20);
  });

  it.each(CARD_STATUSES)('has several accounts whose only card is %s', (status) => {
    expect(
      shown.filter(({ CardList }) => CardList.length === 1 && CardList[0]?.CardStatus === status).length,
    ).toBeGreaterThan(1);
  });

  it('has physical and virtual cards', () => {
    expect(new Set(shown.map(({ IsVirtual }) => IsVirtual)).size).toBe(2);
  });

  it('does not restrict holders with a balance between 600 and 4,500 dollars', () => {
    expect(plain.length).toBeGreaterThanOrEqual(8);
    for (const { CardList, SpendRules, SpendingRulesetId, AcctId } of plain) {
      expect(CardList).toHaveLength(1);
      expect(SpendingRulesetId).toBeNull();
      expect(SpendRules).toMatchObject({
        DailySpendLimit: null,
        WeeklySpendLimit: null,
        MonthlySpendLimit: null,
        CardNotPresentUse: true,
        UseCustomerAuthDecision: false,
      });
      expect(SpendRules.MerchantCategories).toHaveLength(13);
      expect(world.purchasesOf.get(AcctId)).toBeUndefined();
    }
  });

  it('has the awkward cases: shared last four, shared last name, an old card alongside its replacement', () => {
    const fours = accounts.flatMap(({ cards }) => cards.map(last4));
    const names = accounts.map(({ lastName }) => lastName);

    expect(fours.length - new Set(fours).size).toBe(1);
    expect(names.length - new Set(names).size).toBe(1);
    expect(accounts.filter(({ cards }) => cards.filter(isOpen).length === 2)).toHaveLength(1);
    expect(accounts.filter(({ customId }) => customId !== null).length).toBeGreaterThan(5);
  });

  it('has an order for each card, so that shipping a replacement ships its plastic', () => {
    const { world: own, emitted } = bareWorld();
    const ordered = own.state.accounts.flatMap(({ cards }) => cards.map((card) => [card.cardOrderId, card.cardId]));
    expect(own.state.orders.map(({ orderId, cards }) => [orderId, cards[0]?.cardId])).toEqual(ordered);

    const replaced = own.state.accounts.find(({ cards }) => cards.filter(isOpen).length === 2);
    const replacement = replaced!.cards[1]!;
    ship(own, { CardOrderId: replacement.cardOrderId });

    expect(emitted[0]?.data.Last4CardNumber).toBe(last4(replacement));
    expect(replaced?.cards.map(({ shippedAt }) => shippedAt !== null)).toEqual([false, true]);
  });

  it('has rules of every kind somewhere', () => {
    const rules = shown.map(({ SpendRules }) => SpendRules);

    expect(rules.some(({ DailySpendLimit }) => DailySpendLimit !== null)).toBe(true);
    expect(
      rules.some(({ MerchantCategories }) =>
        MerchantCategories.some(({ DailySpendLimit }) => DailySpendLimit !== null),
      ),
    ).toBe(true);
    expect(rules.some(({ InternationalSpendEnabled }) => InternationalSpendEnabled)).toBe(true);
    expect(rules.some(({ InternationalSpendEnabled }) => !InternationalSpendEnabled)).toBe(true);
    expect(rules.some(({ CardNotPresentUse }) => !CardNotPresentUse)).toBe(true);
  });

  it('leaves the promised balances', () => {
    expect(shown.map(({ AvailableBalance }) => AvailableBalance)).toEqual(
      STANDARD_SEED.accounts.map(({ balance }) => balance),
    );
  });

  it('has inactive cards old enough to be activated', () => {
    const old = 25 * 3_600_000;
    for (const card of accounts.flatMap(({ cards }) => cards).filter(({ status }) => status === 'INACTIVE')) {
      expect(world.now().getTime() - Date.parse(card.issuedAt)).toBeGreaterThan(old);
    }
  });
});

describe('card numbers', () => {
  it('are valid test numbers for any serial, with the requested last four', () => {
    for (let serial = 0; serial < 2000; serial += 1) {
      const number = testCardNumber(serial * 37, lastFourOf(serial));
      expect(number).toMatch(new RegExp(`^411111\\d{6}${lastFourOf(serial)}$`));
      expect(passesLuhn(number)).toBe(true);
    }
  });

  it('pass the check, unlike wrong ones', () => {
    expect(passesLuhn('4111111111111111')).toBe(true);
    expect(passesLuhn('4111111111111112')).toBe(false);
  });
});

describe('assumptions', () => {
  it('each name their source', () => {
    for (const { source } of Object.values(ASSUMPTIONS)) expect(source).toMatch(/^(spec|facts|contract|of our own)/);
  });

  it('can be overridden one by one', () => {
    expect(assumptionsWith({ holdDays: 7 })).toEqual({ ...assumptionsWith(), holdDays: 7 });
  });
});
