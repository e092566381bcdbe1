import { describe, expect, it } from 'vitest';
import {
  aloneCents,
  approvalPolicyOf,
  approvalsFor,
  type Cap,
  ExceededCap,
  exceededCap,
  type Loosened,
  thresholdCents,
} from '../../../src/policy/approval-policy.ts';

const bands = [
  { upToCents: 50_000, approvals: 1 },
  { upToCents: 500_000, approvals: 2 },
  { upToCents: null, approvals: 3 },
];

describe('the bands', () => {
  it.each([
    [0, 1],
    [50_000, 1],
    [50_001, 2],
    [500_001, 3],
    [Number.POSITIVE_INFINITY, 3],
  ])('for %s cents require %s approvals', (cents, approvals) => {
    expect(approvalsFor({ bands }, cents)).toBe(approvals);
  });

  it('never let one person allow a change without an amount', () => {
    expect(approvalsFor({ bands: [{ upToCents: null, approvals: 1 }] }, Number.POSITIVE_INFINITY)).toBe(2);
  });

  it('tell how much one person may allow', () => {
    expect(aloneCents({ bands })).toBe(50_000);
    expect(aloneCents({ bands: [{ upToCents: null, approvals: 2 }] })).toBe(0);
    expect(aloneCents({ bands: [{ upToCents: null, approvals: 1 }] })).toBeNull();
  });

  it.each([
    [10_000, 50_000],
    [50_001, 50_000],
    [500_001, 500_000],
    [Number.POSITIVE_INFINITY, 500_000],
  ])('tell for %s cents above which amount as many approvers are needed: %s', (cents, above) => {
    expect(thresholdCents({ bands }, cents)).toBe(above);
  });

  it('tell no such amount if one person may allow any, and none below which fewer are enough', () => {
    expect(thresholdCents({ bands: [{ upToCents: null, approvals: 1 }] }, 500_001)).toBeNull();
    expect(thresholdCents({ bands: [{ upToCents: null, approvals: 2 }] }, 500_001)).toBe(0);
  });

  it('from the environment variables use its single amount for raises and for orders', () => {
    const policy = approvalPolicyOf({ twoPersonAboveCents: 100_000 });

    expect([approvalsFor(policy, 100_000), approvalsFor(policy, 100_001)]).toEqual([1, 2]);
    expect(aloneCents({ bands: policy.orderBands })).toBe(100_000);
  });
});

describe('a cap', () => {
  const none: Cap = { dayCents: null, monthCents: null };
  const nothing = { dayCents: 0, monthCents: 0 };
  const before: Loosened = { person: nothing, card: { dayCents: 40_000, monthCents: 90_000 }, program: nothing };
  const caps = { person: none, card: { dayCents: 50_000, monthCents: 95_000 }, program: none };

  it('is exceeded only above it', () => {
    expect(exceededCap({ caps }, before, 5000)).toBeNull();
    expect(exceededCap({ caps }, before, 5001)).toEqual({
      scope: 'card',
      days: 30,
      earlierCents: 90_000,
      capCents: 95_000,
    });
    expect(exceededCap({ caps }, before, 10_001)).toMatchObject({ scope: 'card', days: 1 });
  });

  it('is recorded as one for a day or for 30 days, and as nothing else', () => {
    const [month, day] = [5001, 10_001].map((cents) => exceededCap({ caps }, before, cents));

    expect([ExceededCap.parse(month), ExceededCap.parse(day)]).toEqual([month, day]);
    expect(ExceededCap.safeParse({ ...day, days: 7 }).success).toBe(false);
  });

  it('ignores changes that loosen nothing or have no amount, which need two people anyway', () => {
    expect(exceededCap({ caps }, before, 0)).toBeNull();
    expect(exceededCap({ caps }, before, Number.POSITIVE_INFINITY)).toBeNull();
  });
});
