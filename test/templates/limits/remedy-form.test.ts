import { expect, it } from 'vitest';
import { formRemedy } from '../../../src/alerts/rule-remedy.ts';
import { remedyForm } from '../../../templates/limits/remedy-form.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined, raise } from '../fixtures.ts';

const formOf = (code: string, state: 'checking' | 'passes') => {
  const message = 'Unauthorized merchant category: Bars';
  const alert = declined(code, message);
  const remedy = code === 'decline.rule.velocity' ? raise : formRemedy(alert);
  return remedyForm({ privateMetadata: 'p', alert, remedy, state, today: '2026-11-20' });
};

it.each([
  ['decline.rule.location', 'Allow purchases abroad'],
  ['decline.rule.cardnotpresent', 'Allow online purchases'],
  ['decline.rule.mcc', 'Allow a category'],
])('the form of a decline with %s is about its rule, and only says that it is allowed by now', (code, title) => {
  const [open, allowed] = [formOf(code, 'checking'), formOf(code, 'passes')];

  expect([open.title.text, open.submit?.text]).toEqual([title, 'Allow']);
  expect(JSON.stringify(open.blocks)).not.toMatch(/imit/);
  expect([allowed.title.text, allowed.submit, allowed.close?.text]).toEqual([title, undefined, 'Close']);
  expect(allowed.blocks.map(({ type }) => type)).toEqual(['section', 'context']);
  expect(JSON.stringify(allowed)).toContain('No limit or rule stops this purchase any more. Have it tried again.');
});

it('of a subscription suggests the time until after its next charge, and says why', () => {
  const alert = declined('decline.rule.velocity', '');
  const shown = (form: Partial<Parameters<typeof remedyForm>[0]>) =>
    JSON.stringify(
      remedyForm({ privateMetadata: 'p', alert, remedy: raise, state: 'checked', today: '2026-11-20', ...form }),
    );
  const why = 'A subscription is charged again on another day: choose until when.';

  for (const remedy of [raise, { kind: 'allow_card_not_present' } as const]) {
    const form = shown({ remedy, isSubscription: true });
    expect(form).toContain(why);
    expect(form).toContain('"initial_date":"2026-12-21"');
    expect(shown({ remedy })).not.toMatch(/subscription|initial_date/);
  }
  // It has no end.
  expect(shown({ remedy: { kind: 'unblock' }, isSubscription: true })).not.toContain(why);
  // Nothing can be chosen.
  expect(shown({ state: 'closed', isSubscription: true })).not.toContain(why);
});

it('a block may be lifted although nothing tells whether the card has it: the decline says so', () => {
  const alert = declined('decline.card.status', 'Card Status Blocked');
  const remedy = { kind: 'unblock' } as const;
  const form = remedyForm({ privateMetadata: 'p', alert, remedy, state: 'unread', today: '2026-11-20' });

  expect([form.title.text, form.submit?.text]).toEqual(['Unblock the card', 'Unblock card']);
  expect(JSON.stringify(form)).not.toContain('limits');
});

it('says that the card’s balance was too low as well', () => {
  const alert = declined('decline.rule.location', '');
  const remedy = { kind: 'allow_international', alsoNeeds: ['balance'] } as const;
  const low = { ...alert, event: { ...alert.event, availableCents: -500 } };
  const formWhen = (state: 'checking' | 'checked') =>
    remedyForm({ privateMetadata: 'p', alert: low, remedy, state, today: '2026-11-20' });

  expect(formWhen('checked').submit?.text).toBe('Allow');
  expect(JSON.stringify(formWhen('checking'))).toContain(
    'The card’s balance ($5.00 overdrawn) did not cover this purchase either.',
  );
  // That was the balance of then.
  expect(JSON.stringify(formWhen('checked'))).toContain('The card’s balance does not cover this purchase either.');
});

it.each([
  ['checked', true],
  ['unread', false],
  ['passes', false],
] as const)('says that a limit is too small as well: %s, %s', (state, isSaid) => {
  const alert = declined('decline.rule.location', '');
  const remedy = { kind: 'allow_international', alsoNeeds: ['raise_limit'] } as const;
  const form = remedyForm({ privateMetadata: 'p', alert, remedy, state, today: '2026-11-20' });

  expect(JSON.stringify(form).includes('A limit is too small, too.')).toBe(isSaid);
});

it.each(['ruleset', 'balance', 'status', 'closed'] as const)(
  'gives no numbers of when the alert was sent once something else stops the purchase: %s',
  (state) => {
    const alert = declined('decline.rule.velocity', '');
    for (const limits of [raise.limits, [...raise.limits, ...raise.limits]] as const) {
      const remedy = { ...raise, limits, alsoNeeds: ['balance'] } as const;
      const form = remedyForm({ privateMetadata: 'p', alert, remedy, state, today: '2026-11-20' });

      expect(form.submit).toBeUndefined();
      expect(JSON.stringify(form)).not.toMatch(/left|lowest|stopped by|Current daily/);
      expect(JSON.stringify(form).includes('did not cover this purchase either')).toBe(
        !['balance', 'closed'].includes(state),
      );
    }
  },
);

it('calls no limit the lowest that lets the purchase through if nothing tells what stops it', () => {
  const alert = declined('decline.rule.velocity', '');
  const of = (state: 'checked' | 'unclear') =>
    JSON.stringify(remedyForm({ privateMetadata: 'p', alert, remedy: raise, state, today: '2026-11-20' }));

  expect(of('checked')).toContain('is the lowest limit');
  expect(of('unclear')).not.toContain('is the lowest limit');
  expect(of('unclear')).toContain('These numbers are from when the alert was sent.');
});

it('speaks of numbers of when the alert was sent only if it shows some', () => {
  const alert = declined('decline.rule.velocity', '');
  const of = (state: 'unclear' | 'unread', from: number | null) => {
    const remedy = remedyOf(limitRaise('monthly', from, null));
    return JSON.stringify(remedyForm({ privateMetadata: 'p', alert, remedy, state, today: '2026-11-20' }));
  };
  const earlier = 'These numbers are from when the alert was sent.';

  expect([of('unclear', null), of('unread', null)].filter((form) => form.includes(earlier))).toEqual([]);
  expect(of('unread', 50_000)).toContain(`The card’s current limits could not be read. ${earlier}`);
  // It was read just now.
  expect(of('unclear', 50_000)).toContain('Current monthly limit: $500.00');
  expect(of('unclear', 50_000)).not.toContain(earlier);
});

it('a limit may still be raised when nothing stops the purchase any more', () => {
  expect(formOf('decline.rule.velocity', 'passes').submit?.text).toBe('Raise limit');
});

it.each([
  ['decline.rule.velocity', 'checking', null, 'Checking what the card allows right now'],
  [
    'decline.rule.velocity',
    'unread',
    null,
    'The card’s current limits could not be read. Close this form, and open it again in a moment.',
  ],
  ['decline.rule.velocity', 'passes', null, 'No limit or rule stops this purchase any more. Have it tried again.'],
  [
    'decline.rule.velocity.mcc',
    'unclear',
    null,
    'I cannot tell what stops this purchase now. Check the card’s limits and rules in the card program’s portal.',
  ],
  [
    'decline.rule.location',
    'balance',
    { kind: 'allow_international' },
    'No limit or rule stops this purchase any more, but the card’s balance does not cover it.',
  ],
  [
    'decline.rule.velocity',
    'status',
    raise,
    'the card is not active.* If it is closed, use another card. If it is new, activate it.',
  ],
  ['decline.rule.velocity', 'closed', raise, '*The card is closed. That is final: order a new one.*'],
  ['decline.card.status', 'closed', { kind: 'unblock' }, '*The card is closed. That is final: order a new one.*'],
  [
    'decline.rule.location',
    'unclear',
    { kind: 'allow_international' },
    'I cannot tell what stops this purchase now. Check the card’s limits and rules in the card program’s portal.',
  ],
  [
    'decline.rule.location',
    'unread',
    { kind: 'allow_international' },
    'The card’s current limits could not be read. Close this form, and open it again in a moment.',
  ],
  [
    'decline.rule.velocity',
    'checked',
    { kind: 'unblock', hasFraudCase: true },
    'The cardholder reported a purchase as fraud: order a new card.',
  ],
  [
    'decline.card.status',
    'unread',
    { kind: 'unblock', hasFraudCase: true },
    'The cardholder reported a purchase as fraud: order a new card.',
  ],
  [
    'decline.card.status',
    'passes',
    { kind: 'unblock' },
    'No limit or rule stops this purchase any more. Have it tried again.',
  ],
  [
    'decline.rule.mcc',
    'checked',
    { kind: 'allow_category', category: { id: null, name: 'Bars' } },
    'I don’t know the number that the card service gives this category. Allow it in the card program’s portal.',
  ],
] as const)('the form of a decline with %s (%s) cannot be submitted if what stops it is not known', (...row) => {
  const [code, state, remedy, why] = row;
  const alert = declined(code, 'Unauthorized merchant category: Bars');
  const form = remedyForm({ privateMetadata: 'p', alert, remedy, state, today: '2026-11-20' });

  expect([form.submit, form.close?.text]).toEqual([undefined, 'Close']);
  expect(form.blocks.map(({ type }) => type)).toEqual(['section', 'context']);
  expect(JSON.stringify(form)).toContain(why);
});

it('says whose limit is gone: the card’s or its merchant category’s', () => {
  const alert = declined('decline.rule.velocity.mcc', '');
  const text = (category: { id: number; name: string } | null) => {
    const remedy = remedyOf(limitRaise('daily', null, null, { category }));
    return JSON.stringify(remedyForm({ privateMetadata: 'p', alert, remedy, state: 'passes', today: '2026-11-20' }));
  };

  expect(text({ id: 9, name: 'Restaurants' })).toContain('By now the category has no daily limit.');
  expect(text(null)).toContain('By now the card has no daily limit.');
});
