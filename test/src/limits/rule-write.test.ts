import { describe, expect, it } from 'vitest';
import { mayComeLater, overwrittenBy, type RuleWrite } from '../../../src/limits/rule-write.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { rulesOf } from '../../support/temporary-changes.ts';

const write = (id: string, changes: RuleWrite['changes'], isPending = false): RuleWrite => ({
  id,
  by: 'U0ANA',
  changes,
  sentAt: '2026-11-20T15:00:00.000Z',
  isPending,
});

const late = write('late', [limitChange('monthly', 200_000, 300_000)], true);
const lowered = write('lowered', [limitChange('daily', 40_000, 10_000)]);

describe('which rules a late write has overwritten', () => {
  const found = (writes: readonly RuleWrite[], limits: Parameters<typeof rulesOf>[0], of = late) =>
    overwrittenBy(of, writes, rulesOf(limits)).map(({ id, from, to }) => ({ id, from, to }));

  it('finds a limit that was lowered since, and is as high again as the late write set it', () => {
    const both = { daily: 40_000, monthly: 300_000 };
    expect(found([late, lowered], both)).toEqual([{ id: 'lowered', from: 40_000, to: 10_000 }]);
    expect(found([lowered, late], both)).toEqual([]);
  });

  it('finds nothing while the late write does not show, or somebody has set another value', () => {
    expect(found([late, lowered], { daily: 40_000, monthly: 200_000 })).toEqual([]);
    expect(found([late, lowered], { daily: 10_000, monthly: 300_000 })).toEqual([]);
    expect(found([late, lowered], { daily: 50_000, monthly: 300_000 })).toEqual([]);
  });

  it('compares with the last of several later writes, and with the value before the first', () => {
    const raised = write('raised', [limitChange('daily', 10_000, 20_000)]);
    const both = { daily: 40_000, monthly: 300_000 };
    expect(found([late, lowered, raised], both)).toEqual([{ id: 'raised', from: 40_000, to: 20_000 }]);
    expect(found([late, lowered, raised], { ...both, daily: 10_000 })).toEqual([]);
  });

  it('finds the rule of the late write itself if a later one set it to another value', () => {
    const raise = write('late', [limitChange('daily', 40_000, 50_000)], true);
    expect(found([raise, lowered], { daily: 50_000 }, raise)).toEqual([{ id: 'lowered', from: 50_000, to: 10_000 }]);
  });

  it('finds nothing where a later write without an answer wants the value of now', () => {
    const back = write('back', [limitChange('daily', 10_000, 40_000)], true);
    expect(found([late, lowered, back], { daily: 40_000, monthly: 300_000 })).toEqual([]);
  });

  it('does not take a later write without an answer for made', () => {
    const unknown = write('unknown', [limitChange('daily', 40_000, 10_000)], true);
    expect(found([late, unknown], { daily: 40_000, monthly: 300_000 })).toEqual([]);
  });
});

describe('whether a write may be made after the next one', () => {
  it('may not if it was answered, or the card shows it before the next one is sent', () => {
    expect(mayComeLater(lowered, [lowered], rulesOf({ daily: 40_000 }))).toBe(false);
    expect(mayComeLater(late, [late], rulesOf({ monthly: 300_000 }))).toBe(false);
    expect(mayComeLater(late, [late], rulesOf({ monthly: 200_000 }))).toBe(true);
  });

  it('may if the card shows only what a later write has set, too', () => {
    const again = write('again', [limitChange('monthly', 200_000, 300_000)]);
    expect(mayComeLater(late, [late, again], rulesOf({ monthly: 300_000 }))).toBe(true);
  });

  it('is remembered until what it has overwritten is set again', () => {
    const writes = [late, lowered];
    expect(mayComeLater(late, writes, rulesOf({ daily: 40_000, monthly: 300_000 }))).toBe(true);
    expect(mayComeLater(late, writes, rulesOf({ daily: 10_000, monthly: 300_000 }))).toBe(false);
  });
});
