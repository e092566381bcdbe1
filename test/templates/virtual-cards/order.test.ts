import { expect, it } from 'vitest';
import { cardOfOrder } from '../../../src/virtual-cards/order-virtual.ts';
import { virtualCard } from '../../../templates/alerts/virtual-card.ts';
import { cardOfHolder } from '../../../templates/core/card-words.ts';
import { orderAnswer, orderWaits, resendAnswer } from '../../../templates/virtual-cards/order.ts';
import { virtualOrderForm } from '../../../templates/virtual-cards/order-form.ts';
import { card, virtualAlert } from '../fixtures.ts';
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

it('says once where to get the number of a virtual card: in the form of an order, and in the answer to a resend', () => {
  const sent = { state: 'done', apiWords: null, note: null, ref: 'abcd' } as const;
  const where = 'I don’t keep the card’s number: get it from your card program.';
  const form = virtualOrderForm({ privateMetadata: '', firstName: '', lastName: '', bands: [] });

  expect(JSON.stringify(form)).toContain(where);
  expect(orderAnswer({ ...sent, name: 'Vera Nova', summary: 'not funded', orderId: 1 }).text).not.toContain('number');
  expect(resendAnswer({ ...sent, card }).text).toContain(where);
  for (const outcome of ['created', 'resend'] as const)
    expect(virtualCard(virtualAlert({ outcome }), { place: 'private' }).text).not.toContain('number');
});

it('an unknown outcome does not claim that no answer came: it may have been an error, or unreadable', () => {
  const sent = { state: 'unknown', apiWords: null, note: null, ref: 'abcd' } as const;
  const unclear = 'I got no clear answer from the card service';

  expect(orderAnswer({ ...sent, name: 'Vera Nova', summary: 'not funded', orderId: null }).text).toContain(
    `${unclear}, so it may or may not be ordered.`,
  );
  expect(resendAnswer({ ...sent, card }).text).toContain(`${unclear}. If you hear nothing within minutes`);
});
