import { describe, expect, it } from 'vitest';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import { limitedCategories, remainingAt, stoppingCategory } from '../../../src/limits/stopping-category.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const category = (id: number, name: string, transactionLimitCents: number | null, daily: number | null = null) => ({
  id,
  name,
  transactionLimitCents,
  limits: { ...none, daily },
});
const left = (id: number, name: string, remainingCents: number | null, period: LimitPeriod = 'daily') => ({
  id,
  name,
  period,
  limitCents: 6_000,
  remainingCents,
});

describe('the category whose limit declined a purchase of $300', () => {
  const rules = { limits: none, categories: [category(9, 'Restaurants', null, 6_000), category(10, 'Retail', 25_000)] };
  const remaining = { overall: [], categories: [left(9, 'Restaurants', 6_000)] };
  const found = (fitting: readonly string[], cents = 30_000, limits: typeof rules | null = rules) =>
    stoppingCategory(cents, (name) => fitting.includes(name), limitedCategories(remaining, limits))?.name ?? null;

  it.each<[string, string[], number, string | null]>([
    ['is the one that fits the merchant', ['Retail'], 30_000, 'Retail'],
    ['is unknown if none fits and several had too little left', [], 30_000, null],
    ['is unknown if several fit and had too little left', ['Restaurants', 'Retail'], 30_000, null],
    ['is the only one that had too little left', [], 20_000, 'Restaurants'],
    ['is the only one of those that fit which had too little left', ['Restaurants', 'Retail'], 20_000, 'Restaurants'],
    ['is unknown if every one had enough left', [], 6_000, null],
    ['is unknown if the only one that fits the merchant had enough left', ['Retail'], 20_000, null],
  ])('%s', (_what, fitting, cents, name) => {
    expect(found(fitting, cents)).toBe(name);
  });

  it('may be one whose rest is not known', () => {
    const unread = limitedCategories(null, rules);

    expect(stoppingCategory(1_000, () => false, unread)?.name).toBe('Restaurants');
    expect(stoppingCategory(30_000, () => false, unread)).toBeNull();
  });

  it('is never one without a number, which cannot be changed', () => {
    const unnumbered = { overall: [], categories: [{ ...left(1, 'Travel', 0), id: null }] };

    expect(stoppingCategory(1, () => true, limitedCategories(unnumbered, null))).toBeNull();
  });
});

it('knows what remained earlier only of the windows that still run', () => {
  const windows = [left(9, 'Restaurants', 100), left(9, 'Restaurants', 200, 'weekly')];
  const then = remainingAt(
    '2026-11-20T04:58:00Z',
    { overall: windows, categories: windows },
    new Date('2026-11-20T05:01:00Z'),
  );

  for (const some of [then.overall, then.categories])
    expect(some.map(({ remainingCents, sinceReset }) => [remainingCents, sinceReset?.leftCents])).toEqual([
      [null, 100],
      [200, undefined],
    ]);
});
