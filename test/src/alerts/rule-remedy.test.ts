import { expect, it } from 'vitest';
import { ruleRemedy } from '../../../src/alerts/rule-remedy.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';

it.each<[string, string, Remedy | null]>([
  ['decline.rule.location', '', { kind: 'allow_international' }],
  ['decline.rule.cardnotpresent', '', { kind: 'allow_card_not_present' }],
  [
    'decline.rule.mcc',
    'Unauthorized merchant category: Bars',
    { kind: 'allow_category', category: { id: null, name: 'Bars' } },
  ],
  ['decline.rule.mcc', 'Unauthorized merchant category', null],
  ['decline.rule.velocity', '', null],
  ['decline.card.status', '', null],
  ['decline.card.status', 'Card Status Blocked', { kind: 'unblock' }],
  ['decline', '', null],
])('%s with %j asks for this by itself: %j', (code, message, remedy) => {
  expect(ruleRemedy({ code, message })).toEqual(remedy);
});
