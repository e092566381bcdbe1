import { expect, it } from 'vitest';
import { type CountedRaise, countedCents, tooMuchForOne } from '../../../src/policy/approval-policy.ts';

const counted: CountedRaise = {
  rule: { kind: 'limit', period: 'daily', category: null },
  ownCents: 40_000,
  earlier: [
    { by: 'U0ANA', at: '2026-11-20T14:12:00.000Z', cents: 45_000 },
    { by: 'U0ANA', at: '2026-11-20T16:40:00.000Z', cents: 15_000 },
  ],
  aboveCents: 100_000,
  cap: null,
};

it('adds the earlier raises to the new one', () => {
  expect(countedCents(counted)).toBe(100_000);
  expect(countedCents({ ...counted, ownCents: null })).toBe(Number.POSITIVE_INFINITY);
});

it('exceeds the amount for one person only above it', () => {
  expect(tooMuchForOne(counted)).toBeNull();
  expect(tooMuchForOne({ ...counted, ownCents: 40_001 })).toMatchObject({ ownCents: 40_001 });
  expect(tooMuchForOne({ ...counted, ownCents: null })).toMatchObject({ ownCents: null });
});

it('exceeds no amount if one person may allow any, unless it has none', () => {
  const any = { ...counted, aboveCents: null };

  expect(tooMuchForOne({ ...any, ownCents: Number.MAX_SAFE_INTEGER })).toBeNull();
  expect(tooMuchForOne({ ...any, ownCents: null })).toMatchObject({ ownCents: null });
});
