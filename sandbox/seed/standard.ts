import { otherStates, plain, virtual, withRules } from './holders.ts';
import type { SeedData } from './seed-data.ts';

/** A realistic business: about thirty holders, five groups, three rulesets, cards of every kind and state. */
export const STANDARD_SEED: SeedData = {
  business: { name: 'Juniper & Oak Builders', balance: 48_250 },
  groups: [
    { id: 1, name: 'Field crews' },
    { id: 2, name: 'Office' },
    { id: 3, name: 'Sales' },
    { id: 4, name: 'Management' },
    { id: 5, name: 'Subscriptions' },
  ],
  rulesets: [
    {
      id: 1,
      name: 'Field crew',
      rules: {
        DailySpendLimit: 400,
        WeeklySpendLimit: 1500,
        categories: [{ id: 5 }, { id: 9, DailySpendLimit: 40 }, { id: 12 }, { id: 13 }],
      },
    },
    { id: 2, name: 'Travel', rules: { international: true, MonthlySpendLimit: 6000, YearlySpendLimit: 40_000 } },
    { id: 3, name: 'Subscriptions', rules: { MonthlySpendLimit: 1200, categories: [{ id: 8 }, { id: 10 }] } },
  ],
  accounts: [...plain, ...otherStates, ...withRules, ...virtual],
};

/** Enough for a quick test: one plain holder, and one card in each other state. */
export const SMALL_SEED: SeedData = {
  business: { name: 'Juniper & Oak Builders', balance: 10_000 },
  groups: [{ id: 1, name: 'Everyone' }],
  rulesets: [{ id: 1, name: 'Lunch only', rules: { DailySpendLimit: 50, categories: [{ id: 9 }] } }],
  accounts: [
    ...plain.slice(0, 3).map((account) => ({ ...account, group: 1 })),
    ...otherStates.filter((_, index) => index % 3 === 0).map((account) => ({ ...account, group: 1 })),
  ],
};
