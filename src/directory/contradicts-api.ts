import type { CardStatusEvent } from '../core/event.ts';
import type { DirectoryAccount } from './account.ts';
import { isLater } from './newest-status.ts';

/**
 * Whether a webhook gives a card other digits, or its account another CustomId, than the API did. Whoever knows the webhook's
 * secret may have made it up, so that people's words mean another card. A change of name is left to the list.
 *
 * @param at when the webhook was sent.
 */
export function contradictsApi(
  { customId, cards }: Pick<CardStatusEvent, 'customId' | 'cards'>,
  account: Pick<DirectoryAccount, 'customId' | 'cards' | 'detailsAt'>,
  at: string,
): boolean {
  if (account.detailsAt === null) return false;
  const isOther = customId !== null && customId !== account.customId && !isLater(account.detailsAt, at);
  return (
    isOther ||
    cards.some(({ cardId, last4 }) => {
      const known = account.cards.find((card) => card.cardId === cardId);
      return last4 !== '' && known?.last4 != null && known.last4 !== last4;
    })
  );
}
