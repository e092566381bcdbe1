import { describe, expect, it } from 'vitest';
import type { CountedRaise } from '../../../src/policy/approval-policy.ts';
import { countedText, countedWords, whyOthers } from '../../../templates/limits/counted-words.ts';

const raise = { by: 'U0ANA', at: '2026-11-20T14:12:00.000Z', cents: 70_000 };
const counted: CountedRaise = {
  rule: { kind: 'limit', period: 'daily', category: null },
  ownCents: 40_000,
  earlier: [raise, { ...raise, at: '2026-11-20T16:40:00.000Z', cents: 15_000 }],
  aboveCents: 100_000,
  cap: null,
};

it('names each earlier raise with its person, amount and time, and the sum', () => {
  expect(countedWords(counted)).toBe(
    'This raises the daily limit by $400.00. <@U0ANA> raised it by $700.00 at <!date^1795183920^{time}|9:12 AM ET> and by $150.00 at <!date^1795192800^{time}|11:40 AM ET>: $1,250.00 in 24 hours.',
  );
});

it('uses ids and UTC times in the audit log', () => {
  expect(countedText(counted)).toBe(
    'This raises the daily limit by $400.00. U0ANA raised it by $700.00 at 2026-11-20T14:12:00.000Z and by $150.00 at 2026-11-20T16:40:00.000Z: $1,250.00 in 24 hours.',
  );
});

describe.each<[string, Partial<CountedRaise>, string]>([
  ['a single raise', { earlier: [] }, 'This raises the daily limit by $400.00.'],
  ['a removed limit', { ownCents: null }, 'This removes the daily limit.'],
  [
    'a rule that is opened for a purchase',
    { rule: { kind: 'international' }, earlier: [raise] },
    'This allows purchases abroad for $400.00. U0ANA allowed them for $700.00 at 2026-11-20T14:12:00.000Z: $1,100.00 in 24 hours.',
  ],
  [
    'a rule that is opened without a purchase',
    { rule: { kind: 'card_not_present' }, ownCents: null, earlier: [] },
    'This allows online purchases, without an amount.',
  ],
  [
    'an earlier raise to no limit',
    { earlier: [raise, { ...raise, cents: null }] },
    'This raises the daily limit by $400.00. U0ANA raised it by $700.00 at 2026-11-20T14:12:00.000Z and to no limit at 2026-11-20T14:12:00.000Z within 24 hours.',
  ],
  [
    'two people',
    { earlier: [raise, { ...raise, by: 'U0BEN', cents: 100 }] },
    'This raises the daily limit by $400.00. U0ANA raised it by $700.00 at 2026-11-20T14:12:00.000Z and U0BEN raised it by $1.00 at 2026-11-20T14:12:00.000Z: $1,101.00 in 24 hours.',
  ],
  [
    'an earlier raise that got no answer',
    { earlier: [raise, { ...raise, cents: 1000, isUnsure: true }] },
    'This raises the daily limit by $400.00. U0ANA raised it by $700.00 at 2026-11-20T14:12:00.000Z and U0ANA may have raised it by $10.00 at 2026-11-20T14:12:00.000Z: up to $1,110.00 in 24 hours.',
  ],
])('%s', (_what, over, expected) => {
  it('reads as a sentence', () => {
    expect(countedText({ ...counted, ...over })).toBe(expected);
  });
});

it('adds up the raises beyond the first ten', () => {
  const earlier = Array.from({ length: 12 }, () => ({ ...raise, cents: 100 }));

  expect(countedText({ ...counted, earlier })).toMatch(
    / and 2 raises before these added \$2\.00: \$412\.00 in 24 hours\.$/,
  );
});

it('uses the singular for one raise beyond the first ten', () => {
  const earlier = Array.from({ length: 11 }, () => ({ ...raise, cents: 100 }));

  expect(countedText({ ...counted, earlier })).toContain(' and 1 raise before these added $1.00');
});

it('names no amount if one person may allow any', () => {
  expect(whyOthers({ ...counted, aboveCents: null }, 2)).toBe('A change without an amount needs a second approver.');
});

it('says why others have to approve: the amount, or the cap that it exceeds', () => {
  const cap = { scope: 'person', days: 30, earlierCents: 480_000, capCents: 500_000 } as const;

  const removed = { ...counted, ownCents: null };
  expect(whyOthers(removed, 2)).toBe('Removing a limit needs a second approver.');
  expect(whyOthers({ ...removed, rule: { kind: 'international' } }, 2)).toBe(
    'A change without an amount needs a second approver.',
  );
  expect(whyOthers(counted, 2)).toBe('A raise of more than $1,000.00 within 24 hours needs a second approver.');
  expect(whyOthers(counted, 3)).toBe('A raise of more than $1,000.00 within 24 hours needs 3 approvers.');
  expect(whyOthers({ ...counted, aboveCents: 120_000, cap }, 3), 'a cap needs only a second one').toBe(
    'A raise of more than $1,200.00 within 24 hours needs 3 approvers.',
  );
  expect(whyOthers({ ...counted, cap }, 2)).toBe(
    'This goes over the cap for one approver alone: $4,800.00 of $5,000.00 used within 30 days. It needs a second approver.',
  );
});
