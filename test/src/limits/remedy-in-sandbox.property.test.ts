import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { purchase } from '../../../sandbox/engine/purchase.ts';
import { remainingCategoryLimits, remainingLimits } from '../../../sandbox/engine/remaining-limit.ts';
import { SpendRulesWrite, writtenRules } from '../../../sandbox/engine/write-spend-rules.ts';
import { ServiceError } from '../../../sandbox/service-error.ts';
import { WINDOWS } from '../../../sandbox/service-time.ts';
import { limitField } from '../../../sandbox/state/spend-rules.ts';
import { categoryCodes, parseAssumptions } from '../../../src/card-api/assumptions.ts';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import { type LimitGoal, limitGoals, limitOf } from '../../../src/card-api/rule-change.ts';
import { applyChanges, readSpendRules } from '../../../src/card-api/spend-rules.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { createFitsMerchant } from '../../../src/limits/merchant-fit.ts';
import { createRemedies } from '../../../src/limits/remedy.ts';
import { goalsOfRemedy } from '../../../src/limits/remedy-change.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount } from '../../sandbox/bare-world.ts';
import { examples } from '../../support/examples.ts';

const RESTAURANT = '5812';

/** Steps from one window's limit to the next, in dollars. Null: no limit. */
const steps = fc.tuple(...WINDOWS.map(() => fc.option(fc.integer({ min: 0, max: 60 }), { nil: null })));

/** Limits that contradict neither one another nor those of the card. */
function limitsFrom(by: readonly (number | null)[], most: Record<string, number | null> = {}) {
  let last = 0;
  const limits: Record<string, number | null> = {};
  for (const [index, window] of WINDOWS.entries()) {
    const step = by[index] ?? null;
    const above = WINDOWS.slice(index).map((one) => most[limitField(one)] ?? Number.POSITIVE_INFINITY);
    if (step !== null) last = Math.min(last + step, ...above);
    limits[limitField(window)] = step === null ? null : last;
  }
  return limits;
}

const spending = fc.array(
  fc.record({ amount: fc.integer({ min: 1, max: 40 }), isMeal: fc.boolean(), days: fc.integer({ min: 0, max: 40 }) }),
  { maxLength: 8 },
);

const buy = (bare: BareWorld, Amount: number, MCCCode = RESTAURANT) =>
  purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount, MCCCode });

function remainingOf({ world }: BareWorld, account: ReturnType<typeof onlyAccount>) {
  const row = ({ window, ...left }: ReturnType<typeof remainingLimits>[number]) => ({
    ...left,
    period: window.toLowerCase() as LimitPeriod,
  });
  const at = world.now();
  return {
    overall: remainingLimits(world, account, at).map(row),
    categories: remainingCategoryLimits(world, account, at).map((left) => ({
      ...row(left),
      id: left.categoryId,
      name: left.categoryName,
    })),
  };
}

/** The counted amount of the last reported decline in whole cents, as the bot reads it. */
function countedOf({ emitted, world }: BareWorld): number {
  const { TransactionAmount, PaddingAmount } = emitted.at(-1)?.data ?? {};
  const counted = world.assume.paddingCountsAgainstLimits ? PaddingAmount : 0;
  return Math.round((Math.abs(TransactionAmount) + counted) * 100);
}

/** The bot's current view of a declined purchase, and the change that it would offer. */
async function offered(bare: BareWorld, code: string, dollars: number, countedCents: number) {
  const account = onlyAccount(bare);
  const raw = structuredClone(account.spendRules);
  const longerLimitAboveCents = bare.world.assume.longerLimitMayEqual ? 0 : 1;
  const rules = readSpendRules(raw, { ...parseAssumptions(), longerLimitAboveCents });
  if (rules === null) throw new Error('the rules cannot be read');
  const { checkPurchase } = createRemedies({
    card: {
      getAccount: () => Promise.reject(new Error('no balance is looked at')),
      getRemainingLimits: async () => remainingOf(bare, account),
      getSpendRules: async () => ({ rules, raw }),
    },
    accountOf: async () => ({ cards: [], mayBeOverruled: false }),
    hasFraudCase: async () => false,
    namedIn: () => ({ category: null, period: null }),
    fitsMerchant: createFitsMerchant(categoryCodes),
    categoryId: async () => null,
    now: () => new Date(),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const money = { amountCents: dollars * 100, paddingCents: countedCents - dollars * 100, mcc: RESTAURANT };
  const how = { merchant: { country: 'US' }, isCardPresent: true, availableCents: null };
  const purchase = { decline: { code, message: 'over' }, ...how };
  const check = await checkPurchase({ acctId: account.acctId, ...purchase, ...money } as TransactionEvent);
  const goals = check.state === 'stopped' ? goalsOfRemedy(check.remedy, rules, countedCents) : null;
  return { raw, rules, goals: limitGoals(goals ?? []), state: check.state };
}

/** Whether the service would have accepted these rules. */
function isInOrder(bare: BareWorld): boolean {
  try {
    writtenRules(onlyAccount(bare).spendRules, SpendRulesWrite.parse({}), bare.world.assume);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Writes the rules as the API would. @returns the service's objection, or an empty string. */
function written(bare: BareWorld, raw: Record<string, unknown>, goals: readonly LimitGoal[]): string {
  const account = onlyAccount(bare);
  try {
    const body = SpendRulesWrite.parse(applyChanges(raw, goals));
    account.spendRules = writtenRules(account.spendRules, body, bare.world.assume);
    return '';
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

describe('the offered change for a purchase stopped by limits', () => {
  it.each([
    ['may equal', true, false, true],
    ['must be above', false, false, true],
    ['may equal, and more is set aside than the purchase costs: it', true, true, true],
    ['may equal, and what is set aside besides is not counted: it', true, true, false],
  ])(
    'if a longer limit %s a shorter one, is accepted, lets it pass at once, and fails with one cent less anywhere',
    async (_how, longerLimitMayEqual, padAuthorizations, paddingCountsAgainstLimits) => {
      const assumptions = { longerLimitMayEqual, padAuthorizations, paddingCountsAgainstLimits };
      let several = 0;
      await fc.assert(
        fc.asyncProperty(
          steps,
          steps,
          fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
          spending,
          fc.integer({ min: 1, max: 150 }),
          async (overall, own, TransactionLimit, spent, dollars) => {
            const limits = limitsFrom(overall);
            const atOnce = TransactionLimit === null ? {} : { TransactionLimit };
            const categories = [{ id: 9, ...limitsFrom(own, limits), ...atOnce }, { id: 13 }];
            // The first days of a month that begins in the middle of a week.
            const seed = oneHolder(100_000, { rules: { ...limits, categories } });
            const bare = bareWorld({ seed, assumptions });
            fc.pre(isInOrder(bare));
            const start = Date.parse('2026-07-02T17:00:00Z');
            for (const { amount, isMeal, days } of spent.toSorted((one, other) => other.days - one.days)) {
              bare.at(new Date(start - days * 24 * 3_600_000));
              buy(bare, amount, isMeal ? RESTAURANT : '5251');
            }
            bare.at(new Date(start));
            const before = structuredClone(onlyAccount(bare).spendRules);
            const { Approved, MessageCode } = buy(bare, dollars);
            fc.pre(!Approved);
            const counted = countedOf(bare);
            const { raw, rules, goals } = await offered(bare, MessageCode ?? '', dollars, counted);
            if (goals.length === 0) throw new Error(`nothing is offered for ${MessageCode}`);
            if (goals.length > 1) several += 1;

            for (const [index, goal] of goals.entries()) {
              const lower = goals.with(index, { ...goal, to: (goal.to ?? 0) - 1 });
              onlyAccount(bare).spendRules = structuredClone(before);
              // Every offered limit rises.
              expect(goal.to).toBeGreaterThan(limitOf(rules, goal.rule) ?? Number.POSITIVE_INFINITY);
              const refusal = written(bare, raw, lower);
              expect(refusal !== '' || !buy(bare, dollars).Approved).toBe(true);
            }

            onlyAccount(bare).spendRules = structuredClone(before);
            expect(written(bare, raw, goals)).toBe('');
            expect((await offered(bare, MessageCode ?? '', dollars, counted)).state).toBe('passes');
            expect(buy(bare, dollars)).toMatchObject({ Approved: true, MessageCode: null });
          },
        ),
        { numRuns: examples(150) },
      );
      expect(several).toBeGreaterThan(examples(25));
    },
  );
});
