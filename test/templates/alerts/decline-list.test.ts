import { expect, it } from 'vitest';
import { declineList } from '../../../templates/alerts/decline-list.ts';
import { card, transactionAlert } from '../fixtures.ts';

const declines = Array.from({ length: 300 }, (_, index) => ({
  id: `evt_${String(index).padStart(16, '0')}`,
  occurredAt: '2026-11-20T14:14:00Z',
  amountCents: 100 + index,
  merchant: { ...transactionAlert().event.merchant, name: `Coffee ${index}` },
  decline: { code: 'decline.rule.limit', message: '' },
}));
const page = (number: number): string =>
  JSON.stringify(declineList({ card, since: '30 days', unreadable: 0, page: number, again: '4242 30d', declines }));

it('shows every decline on one of its pages, and how to get the next one', () => {
  const all: string[] = [];
  for (let number = 1; ; number += 1) {
    const text = page(number);
    all.push(...(text.match(/evt_\d{16}/g) ?? []));
    if (!text.includes('Next:')) break;
    expect(text).toContain(`Next: \`/card declines 4242 30d page ${number + 1}\``);
  }
  expect(all).toEqual(declines.map(({ id }) => id));
});

it('says that there are none', () => {
  const none = declineList({ card, since: '30 days', unreadable: 0, page: 1, again: '4242 30d', declines: [] });

  expect(none.text).toMatch(/: No declines in 30 days\.$/);
});
