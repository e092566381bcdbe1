import { describe, expect, it } from 'vitest';
import { isShownAlone, overwrittenBy, type RuleWrite } from '../../../src/limits/rule-write.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { rulesOf } from '../../support/temporary-changes.ts';

const write = (id: string, changes: RuleWrite['changes'], over: Partial<RuleWrite> = {}): RuleWrite => ({
  id,
  by: 'U0ANA',
  changes,
  sentAt: '2026-11-20T15:00:00.000Z',
  isMade: true,
  isPending: false,
  ...over,
});
const unanswered = { isMade: false, isPending: true } as const;
const late = write('late', [limitChange('monthly', 200_000, 300_000)], unanswered);
const lowered = write('lowered', [limitChange('daily', 40_000, 10_000)]);

describe('which rules a late write has overwritten', () => {
  const found = (writes: readonly RuleWrite[], limits: Parameters<typeof rulesOf>[0], of = late) => {
    const { changes, isCertain } = overwrittenBy(of, writes, rulesOf(limits));
    return changes.map(({ id, from, to }) => `${id}: ${from} → ${to}${isCertain ? '' : ', perhaps'}`);
  };
  const both = { daily: 40_000, monthly: 300_000 };

  it('finds a limit that was lowered since, and is as high again as the late write set it', () => {
    expect(found([late, lowered], both)).toEqual(['lowered: 40000 → 10000']);
    expect(found([lowered, late], both)).toEqual([]);
  });

  it('finds nothing while the late write does not show, or somebody has set another value', () => {
    expect(found([late, lowered], { daily: 40_000, monthly: 200_000 })).toEqual([]);
    expect(found([late, lowered], { daily: 10_000, monthly: 300_000 })).toEqual([]);
    expect(found([late, lowered], { daily: 50_000, monthly: 300_000 })).toEqual([]);
  });

  it('finds nothing if only some of the rules that were set since are back: a call sets all of them', () => {
    const weekly = write('weekly', [limitChange('weekly', 90_000, 80_000)]);
    expect(found([late, lowered, weekly], { ...both, weekly: 80_000 })).toEqual([]);
    expect(found([late, lowered, weekly], { ...both, weekly: 90_000 })).toEqual([
      'lowered: 40000 → 10000',
      'weekly: 90000 → 80000',
    ]);
  });

  it('compares with the last of several later writes, and with the value before the first', () => {
    const raised = write('raised', [limitChange('daily', 10_000, 20_000)]);
    expect(found([late, lowered, raised], both)).toEqual(['raised: 40000 → 20000']);
    expect(found([late, lowered, raised], { ...both, daily: 10_000 })).toEqual([]);
  });

  it('finds the rule of the late write itself if a later one set it to another value', () => {
    const raise = write('late', [limitChange('daily', 40_000, 50_000)], unanswered);
    expect(found([raise, lowered], { daily: 50_000 }, raise)).toEqual(['lowered: 50000 → 10000']);
  });

  it('is not certain if another try of the same change was made: somebody may have set the earlier value', () => {
    const again = { ...late, isMade: true, isPending: false };
    expect(found([late, again, lowered], both)).toEqual(['lowered: 40000 → 10000, perhaps']);
  });

  it('finds nothing where a later write without an answer wants the value of now', () => {
    const back = write('back', [limitChange('daily', 10_000, 40_000)], unanswered);
    expect(found([late, lowered, back], both)).toEqual([]);
  });

  it('does not take a later write without an answer for made', () => {
    expect(found([late, { ...lowered, ...unanswered }], both)).toEqual([]);
  });

  it('leaves out limits of a category that the card has lost', () => {
    const dining = write('dining', [limitChange('daily', null, 10_000, { id: 5, name: 'Dining' })]);
    expect(found([late, dining], both)).toEqual([]);
    expect(found([late, dining, lowered], both)).toEqual(['lowered: 40000 → 10000']);
  });
});

it('a card shows a write that has its values, unless a later one has set the same rules or was overwritten', () => {
  const again = write('again', [limitChange('monthly', 200_000, 300_000)]);
  expect(isShownAlone(late, [late], rulesOf({ monthly: 300_000 }))).toBe(true);
  expect(isShownAlone(late, [late, lowered], rulesOf({ monthly: 300_000, daily: 10_000 }))).toBe(true);
  expect(isShownAlone(late, [late, lowered], rulesOf({ monthly: 300_000, daily: 40_000 }))).toBe(false);
  expect(isShownAlone(late, [late, again], rulesOf({ monthly: 300_000 }))).toBe(false);
  expect(isShownAlone(late, [late], rulesOf({ monthly: 200_000 }))).toBe(false);
});
