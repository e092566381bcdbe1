import { expect, it } from 'vitest';
import { contradictsApi } from '../../../src/directory/contradicts-api.ts';
import { accountOf } from '../../support/directories.ts';

const readAt = '2026-11-20T15:00:00.000Z';
const later = '2026-11-20T15:00:01.000Z';
const card = (cardId: number, last4: string | null) => ({ cardId, last4, status: 'ACTIVE' as const, seenAt: readAt });
const account = accountOf({ customId: 'EMP-1', cards: [card(1, '4242'), card(2, null)], detailsAt: readAt });
const event = (cardId: number, last4: string, customId: string | null = null) => ({
  customId,
  cards: [{ cardId, last4, status: 'BLOCKED' as const, cardOrderId: null }],
});

it.each([
  ['other digits of a card', event(1, '9999')],
  ['another CustomId', event(1, '4242', 'EMP-2')],
])('%s', (_what, webhook) => {
  expect(contradictsApi(webhook, account, later)).toBe(true);
  expect(contradictsApi(webhook, { ...account, detailsAt: null }, later), 'the API has said nothing').toBe(false);
});

it('a CustomId that the API has replaced since is no contradiction', () => {
  expect(contradictsApi(event(1, '4242', 'EMP-0'), account, '2026-11-20T14:59:59.000Z')).toBe(false);
});

it.each([
  ['the same', event(1, '4242', 'EMP-1')],
  ['no digits', event(1, '')],
  ['digits that the API does not tell', event(2, '2222')],
  ['a new card', event(3, '3333')],
])('nor is %s', (_what, webhook) => {
  expect(contradictsApi(webhook, account, later)).toBe(false);
});
