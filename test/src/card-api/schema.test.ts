import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { AnyCardStatus, Cents, Ruleset, remainingLimitsSchema, rowsOf } from '../../../src/card-api/schema.ts';

describe('remaining limits', () => {
  const RemainingLimits = remainingLimitsSchema(parseAssumptions());
  const singular = {
    CardId: 71,
    GlobalLimit: [
      { Type: 'Annual', Limit: 1000, Remaining: 10.5 },
      { Type: 'Fortnightly', Limit: 1, Remaining: 1 },
    ],
    CategoryLimit: [{ Type: 'Daily', Category: 'Fuel', Limit: 50, Remaining: 0 }],
  };
  const plural = {
    AccountId: 7,
    GlobalLimits: [{ Type: 'PerYear', EnforcedLimit: 1000, RemainingSpend: 10.5 }],
    MerchantCategoryLimits: [
      { MerchantCategoryId: 5, Category: 'Fuel', Type: 'PerDay', EnforcedLimit: 50, RemainingSpend: 0 },
    ],
  };
  const overall = [{ period: 'yearly', limitCents: 100_000, remainingCents: 1_050 }];

  it('are read in both shapes', () => {
    expect(RemainingLimits.parse(singular)).toEqual({
      overall,
      categories: [{ id: null, name: 'Fuel', period: 'daily', limitCents: 5_000, remainingCents: 0 }],
    });
    expect(RemainingLimits.parse(plural)).toEqual({
      overall,
      categories: [{ id: 5, name: 'Fuel', period: 'daily', limitCents: 5_000, remainingCents: 0 }],
    });
  });

  it.each(['PerDay', 'Daily', 'daily', 'Per Day', 'DAY'])('read %s as a day', (word) => {
    const answer = { GlobalLimits: [{ Type: word, EnforcedLimit: 1, RemainingSpend: 1 }] };

    expect(RemainingLimits.parse(answer).overall).toMatchObject([{ period: 'daily' }]);
  });

  it('leave out a window without any amount, and keep a limit of $0', () => {
    const row = { Type: 'PerDay', EnforcedLimit: null, RemainingSpend: null };
    const year = { ...row, Type: 'PerYear', EnforcedLimit: 1000, RemainingSpend: 10.5 };
    const nothing = { ...row, EnforcedLimit: 0, RemainingSpend: 0 };

    expect(RemainingLimits.parse({ GlobalLimits: [row, year] }).overall).toEqual(overall);
    expect(RemainingLimits.parse({ MerchantCategoryLimits: [{ ...row, Category: 'Fuel' }] }).categories).toEqual([]);
    expect(RemainingLimits.parse({ GlobalLimits: [nothing] }).overall).toEqual([
      { period: 'daily', limitCents: 0, remainingCents: 0 },
    ]);
  });

  it('keep what is left of a limit without its amount', () => {
    const answer = { GlobalLimits: [{ Type: 'PerYear', RemainingSpend: 0 }] };

    expect(RemainingLimits.parse(answer).overall).toEqual([{ period: 'yearly', limitCents: null, remainingCents: 0 }]);
  });

  it('are a bad answer if neither shape is present', () => {
    expect(RemainingLimits.safeParse({ Surprise: [] }).success).toBe(false);
  });
});

it.each([
  ['Active', 'ACTIVE'],
  [' BLOCKED ', 'BLOCKED'],
  ['Removed', 'CLOSED'],
  [0, 'ACTIVE'],
  [1, 'INACTIVE'],
  [2, 'BLOCKED'],
  [5, 'CLOSED'],
  [11, 'CLOSED'],
  [3, null],
  ['Melted', null],
  ['', null],
  [null, null],
])('the card status %j is read as %s, and an unknown one never as active', (sent, status) => {
  expect(AnyCardStatus.parse(sent)).toBe(status);
});

it('dollars become whole cents, and no amount stays no amount', () => {
  expect([20.1, 1.005, 0, -0.29, null, undefined].map((sent) => Cents.parse(sent))).toEqual([
    2010,
    101,
    0,
    -29,
    null,
    null,
  ]);
});

it('reads amounts that are written as text, and refuses any other text', () => {
  expect(['400.00', '-84.1', ' 1.005 ', '0'].map((sent) => Cents.parse(sent))).toEqual([40_000, -8410, 101, 0]);
  for (const text of ['', 'much', '1,000.00', '$5', '1e3', '12345678901', '4111111111111111'])
    expect(Cents.safeParse(text).success, text).toBe(false);
});

it('a list leaves out rows that do not fit, and is refused if none fits, without a value of it', () => {
  const Rows = rowsOf(z.object({ Id: z.int() }));

  expect(Rows.parse([{ Id: 1 }, { Id: 'two' }, null, { Id: 3 }])).toEqual([{ Id: 1 }, { Id: 3 }]);
  expect(Rows.parse([])).toEqual([]);
  const refused = Rows.safeParse([{ Id: 'Jane Doe' }]);
  expect(refused.success).toBe(false);
  expect(JSON.stringify(refused.error?.issues)).not.toContain('Jane');
});

it('a ruleset has its id under either name', () => {
  expect(Ruleset.parse({ RulesetId: '4', Name: ' Field ' })).toEqual({ rulesetId: 4, name: 'Field' });
  expect(Ruleset.parse({ Id: 4 })).toEqual({ rulesetId: 4, name: null });
  expect(Ruleset.safeParse({ Name: 'Field' }).success).toBe(false);
});
