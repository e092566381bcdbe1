import { expect, it } from 'vitest';
import { formRemedy } from '../../../src/alerts/rule-remedy.ts';
import { limitRule } from '../../../src/card-api/rule-change.ts';
import type { AlsoNeeds } from '../../../src/core/also-needs.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { declined, outcome, raise } from '../../templates/fixtures.ts';

/** Which amount is needed is read while the form is open. */
const unread = (period: 'daily' | 'monthly'): Remedy => ({
  kind: 'raise_limit',
  limits: [{ rule: limitRule(period, null), from: null, to: null, remainingCents: null, isAdjustedToo: false }],
});

it.each<[string, string, Remedy | null]>([
  ['decline.rule.location', '', { kind: 'allow_international' }],
  ['decline.rule.cardnotpresent', '', { kind: 'allow_card_not_present' }],
  [
    'decline.rule.mcc',
    'Unauthorized merchant category: Bars',
    { kind: 'allow_category', category: { id: null, name: 'Bars' } },
  ],
  ['decline.rule.mcc', 'Unauthorized merchant category', null],
  ['decline.rule.velocity', '', unread('daily')],
  ['decline.rule.velocity', 'Exceeds monthly limit', unread('monthly')],
  ['decline.rule.velocity.mcc', '', null],
  ['decline.card.status', '', null],
  ['decline.card.status', 'Card Status Blocked', { kind: 'unblock' }],
  ['decline', '', null],
])('the form of a decline with %s and %j is about this by itself: %j', (code, message, remedy) => {
  expect(formRemedy(declined(code, message))).toEqual(remedy);
  // It may have changed that nothing stopped the purchase any more.
  for (const none of [{ kind: 'retry' }, { kind: 'portal', why: 'balance' }] as const)
    expect(formRemedy(declined(code, message, { remedy: none }))).toEqual(remedy);
  expect(formRemedy(declined(code, message, { remedy: raise }))).toEqual(raise);
});

it.each<[AlsoNeeds[number], Remedy]>([
  ['raise_limit', unread('daily')],
  ['allow_card_not_present', { kind: 'allow_card_not_present' }],
])('the form is about what is still needed after a change that was not enough: %s', (kind, next) => {
  const remedy = { kind: 'allow_international' } as const;
  const after = (state: 'done' | 'failed') =>
    formRemedy(
      declined('decline.rule.location', '', {
        remedy,
        outcomes: [outcome({ verb: 'allow', state, alsoNeeds: [kind] })],
      }),
    );

  const both = { ...remedy, alsoNeeds: ['balance'] } as const;
  const allowed = outcome({
    verb: 'allow',
    state: 'done',
    alsoNeeds: [kind, 'balance'],
  });
  expect(formRemedy(declined('decline.rule.location', '', { remedy: both, outcomes: [allowed] }))).toEqual({
    ...next,
    alsoNeeds: ['balance'],
  });
  expect(after('done')).toEqual(next);
  expect(after('failed')).toEqual(remedy);
});
