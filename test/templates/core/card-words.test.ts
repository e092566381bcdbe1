import { expect, it } from 'vitest';
import { cardOf } from '../../../templates/core/card-words.ts';
import { change, declined, nobody, shippingAlert, statusAlert } from '../fixtures.ts';

const decline = declined('decline.card.status', 'New Card Pending Activation');

it.each([
  ['the card of its facts', decline, { cardId: 6231, last4: '1212' }],
  ['no card if none is known', { ...decline, card: nobody }, { cardId: null, last4: null }],
  ['the card that was shipped', shippingAlert({ last4: '4242' }, { card: nobody }), { cardId: null, last4: '4242' }],
  ['the card that changed', statusAlert([change({ cardId: 8, last4: '0008' })]), { cardId: 8, last4: '0008' }],
  [
    'no card if several changed',
    statusAlert([change({ cardId: 8 }), change({ cardId: 9 })]),
    { cardId: null, last4: null },
  ],
])('an alert names %s', (_what, alert, named) => {
  expect(cardOf(alert)).toMatchObject(named);
});
