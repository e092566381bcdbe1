import { expect, it } from 'vitest';
import { cardOfOrder } from '../../../src/virtual-cards/order-virtual.ts';
import { cardOfHolder } from '../../../templates/core/card-words.ts';
import { orderAnswer, orderWaits, resendAnswer } from '../../../templates/virtual-cards/order.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

it('the answer to a resend that failed gives the reason in its fallback text, too', () => {
  const note = 'Too many requests: try again in a minute.';
  const { text, blocks } = resendAnswer({ state: 'failed', card, apiWords: null, note, ref: 'abcd' });

  expect(shown(blocks)).toContain(note);
  expect(text).toBe(`Could not ask for the details of Jane Doe · card 1212. ${note} Nothing was sent.`);
});

it('an order that waits says why, and speaks of earlier orders only if they matter', () => {
  const waits = { card: { ...cardOfOrder(null), holder: 'Vera Nova' }, cents: 500_000, others: 1, isOwn: false };

  expect(orderWaits({ ...waits, isLarge: true }).text).toMatch(
    /with \$5,000\.00\. It is more than one person may order alone, so it needs another approver\./,
  );
  expect(orderWaits({ ...waits, isLarge: false }).text).toContain(
    'With the orders and raises of the last 24 hours, it needs another approver.',
  );
  expect(orderWaits({ ...waits, isLarge: null }).text, 'the reason is not known any more').toContain(
    '. It needs another approver.',
  );
});

it('an order without money that waits is not one of $0.00', () => {
  const waits = {
    card: { ...cardOfOrder(null), holder: 'Vera Nova' },
    cents: 0,
    others: 1,
    isOwn: true,
    isLarge: false,
  };

  expect(orderWaits(waits).text).toMatch(/^Not ordered yet: a virtual card for Vera Nova, not funded\. /);
});

it('a card that does not exist yet is named after its holder alone', () => {
  expect(cardOfHolder({ ...cardOfOrder(null), holder: 'Vera Nova' })).toBe('Vera Nova');
});

it('says that Cardbell does not keep the number of a virtual card, and where to get it', () => {
  const sent = { state: 'done', apiWords: null, note: null, ref: 'abcd' } as const;
  const answers = [
    orderAnswer({ ...sent, name: 'Vera Nova', summary: 'not funded', orderId: 1 }),
    resendAnswer({ ...sent, card }),
  ];

  for (const { text } of answers)
    expect(text).toContain('Cardbell does not keep its number: get it from your card program.');
});
