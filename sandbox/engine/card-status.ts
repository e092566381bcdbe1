import { ServiceError } from '../service-error.ts';
import { midnight, serviceDay } from '../service-time.ts';
import { type Account, type Card, type CardStatus, currentCard, isOpen, last4 } from '../state/account.ts';
import type { World } from '../state/world.ts';
import { returnBalance } from './transfer.ts';

const REFUSED = 'Cannot change status';

/** Changes a card and announces it: one webhook per change, whatever the channel. CLOSED is final. */
export function setCardStatus(world: World, account: Account, card: Card, status: CardStatus): void {
  if (card.status === 'CLOSED') throw new ServiceError(403, REFUSED);
  card.status = status;
  announceCardStatus(world, account, card);
}

/** Sends the Card Status Change webhook for a card's current status. */
export function announceCardStatus(world: World, account: Account, card: Card): void {
  const cards = world.assume.statusCardList === 'all' ? account.cards : [card];
  const data = {
    AcctId: account.acctId,
    TransactionType: 'CARD',
    Description: 'Status Change',
    FirstName: account.firstName,
    LastName: account.lastName,
    CustomId: account.customId ?? '',
    CardList: cards.map((each) => ({
      CardId: each.cardId,
      IssueDate: midnight(serviceDay(new Date(each.issuedAt))),
      ExpirationDate: midnight(each.expiresOn),
      Last4CardNumber: last4(each),
      CardStatus: each.status,
      CardOrderId: each.cardOrderId,
    })),
  };
  world.emit('card-status', data, `account-${account.acctId}`);
}

/** Blocks a card. An inactive card is activated first: two changes, two webhooks. */
export function block(world: World, account: Account, card = currentCard(account)): void {
  if (card === undefined || card.status === 'CLOSED') throw new ServiceError(403, REFUSED);
  if (card.status === 'BLOCKED' && world.assume.sameStatusIsNoChange) return;
  if (card.status === 'INACTIVE') setCardStatus(world, account, card, 'ACTIVE');
  setCardStatus(world, account, card, 'BLOCKED');
}

/** Makes a blocked card active again. An inactive card has to be activated instead. */
export function unblock(world: World, account: Account, card = currentCard(account)): void {
  if (card === undefined || card.status === 'CLOSED') throw new ServiceError(403, REFUSED);
  if (card.status === 'ACTIVE' && world.assume.sameStatusIsNoChange) return;
  if (card.status === 'INACTIVE' && !world.assume.statusOfInactiveMayBeSetActive) throw new ServiceError(403, REFUSED);
  card.wrongPins = 0;
  setCardStatus(world, account, card, 'ACTIVE');
}

/**
 * Activates an inactive card and permanently closes all other cards of the account.
 *
 * `byHolder`: activated by the holder (telephone, mobile), without a waiting period.
 */
export function activate(world: World, account: Account, cardId?: number, byHolder = false): Card {
  const inactive = (card: Card): boolean => card.status === 'INACTIVE';
  const card =
    cardId === undefined
      ? [...account.cards].reverse().find(inactive)
      : account.cards.find((each) => each.cardId === cardId);
  if (card === undefined) throw new ServiceError(403, cardId === undefined ? REFUSED : 'Invalid card ID');
  if (!inactive(card) || (!byHolder && isTooNew(world, card))) throw new ServiceError(403, REFUSED);

  if (world.assume.activationEndsOtherCards) {
    for (const other of account.cards) {
      if (other !== card && isOpen(other)) setCardStatus(world, account, other, 'CLOSED');
    }
  }
  setCardStatus(world, account, card, 'ACTIVE');
  return card;
}

function isTooNew(world: World, card: Card): boolean {
  // A shipped card has been in the mail for days.
  if (card.shippedAt !== null) return false;
  const ageMs = world.now().getTime() - Date.parse(card.issuedAt);
  return ageMs < (world.assume.activationRefusedHours * 3_600_000) / world.timeScale;
}

/** Closes the account: every open card is closed, and the remaining balance goes back to the business. */
export function terminate(world: World, account: Account): void {
  const open = account.cards.filter(isOpen);
  if (account.status === 'CLOSED' || open.length === 0) throw new ServiceError(403, REFUSED);
  account.status = 'CLOSED';
  for (const card of open) setCardStatus(world, account, card, 'CLOSED');
  returnBalance(world, account.acctId);
}

/** A change made in the admin portal. */
export function setStatusInPortal(world: World, account: Account, status: CardStatus): void {
  if (status === 'INACTIVE') throw new ServiceError(400, 'A card cannot become inactive');
  if (!account.cards.some(isOpen)) throw new ServiceError(400, 'A closed card keeps its status');
  if (status === 'CLOSED') terminate(world, account);
  else if (status === 'BLOCKED') block(world, account);
  else if (currentCard(account)?.status === 'INACTIVE') activate(world, account, undefined, true);
  else unblock(world, account);
}
