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

it('says that there may be more declines if the card service did not list them', () => {
  const list = (unreadable: number | null, some = declines) =>
    declineList({ card, since: '7 days', unreadable, page: 1, again: '4242', declines: some });
  const text = (...args: Parameters<typeof list>) => list(...args).text;

  expect(text(null)).toContain(': at least 300 declines in 7 days.');
  expect(text(null)).toContain('these are only the declines that came as alerts');
  const none = /No declines among my alerts in 7 days/;
  expect(text(null, [])).toMatch(none);
  expect(text(null, [])).toMatch(/7 days\. The card service did not answer, or its list could not be read\.$/);
  expect(JSON.stringify(list(null, []).blocks)).toMatch(none);
  expect(text(3, [])).toContain('3 transactions of this card could not be read.');
  expect(text(0)).toContain(': 300 declines in 7 days.');
});

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
