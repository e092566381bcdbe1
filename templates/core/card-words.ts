import { type Alert, onlyChange } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';
import { copyable, countOf, escapeUntrusted } from './blocks.ts';

/** Statuses in words. The card service writes them in more than one case, or not at all. */
const statusWords: Readonly<Record<string, string>> = {
  INACTIVE: 'not activated',
  ACTIVE: 'active',
  BLOCKED: 'blocked',
  CLOSED: 'closed',
};

export function statusWord(status: string): string {
  return statusWords[status.trim().toUpperCase()] ?? (escapeUntrusted(status, 40) || 'status not known');
}

/** The card of an alert: where the directory knows nothing, what the event itself says. No card if it is about several. */
export function cardOf(alert: Alert): CardFacts {
  const { card, event } = alert;
  const holder = 'holder' in event && event.holder !== '' ? event.holder : null;
  const last4 = 'last4' in event && event.last4 !== '' ? event.last4 : null;
  const known = {
    ...card,
    acctId: card.acctId ?? event.acctId,
    last4: card.last4 ?? last4,
    holder: card.holder ?? holder,
  };
  if (alert.kind === 'card-status') {
    const only = onlyChange(alert);
    return { ...known, cardId: only?.cardId ?? null, last4: only?.last4 ?? null };
  }
  // A card that the account has is not the one that was ordered.
  const isNone = event.kind === 'virtual-card' && event.outcome === 'not_created';
  return isNone ? { ...known, cardId: null, last4: null } : known;
}

/** What is known of a card. Absent: nothing. */
type Card = Partial<Pick<CardFacts, 'holder' | 'last4' | 'cardId' | 'acctId'>>;

/** The holder's name, raw; the account where nobody knows the name. */
export function holderRaw({ holder = null, acctId = null, cardId = null }: Card): string {
  if (holder !== null && holder.trim() !== '') return holder;
  if (acctId !== null) return `Account ${acctId}`;
  return cardId === null ? 'Unknown holder' : `Card ${cardId}`;
}

export function holderName(card: Card): string {
  return escapeUntrusted(holderRaw(card), 80);
}

/** `card 4242`; ids where the last four are not known. Raw. */
export function cardRaw({ last4 = null, cardId = null, acctId = null }: Card): string {
  if (last4 !== null && last4.trim() !== '') return `card ${last4}`;
  if (cardId !== null) return `card ${cardId}`;
  return acctId === null ? 'card' : `card of account ${acctId}`;
}

export function cardName(card: Card): string {
  return escapeUntrusted(cardRaw(card), 60);
}

/** `Jane Doe · card 4242`, raw. The name alone for a card that does not exist yet. */
export function cardOfHolderRaw(card: Card): string {
  if ((card.holder ?? '').trim() === '') return capital(cardRaw(card));
  return cardRaw(card) === cardRaw({}) ? holderRaw(card) : `${holderRaw(card)} · ${cardRaw(card)}`;
}

/** Nothing is known that names a card: there are several, or none yet. */
export function isNoCard({ holder, last4, cardId, acctId }: CardFacts): boolean {
  return [holder, last4, cardId, acctId].every((known) => known === null);
}

export function cardOfHolder(card: Card): string {
  return escapeUntrusted(cardOfHolderRaw(card), 140);
}

/** The same for a button or a dialog. It is truncated, because the dialog's own text must stay complete. */
export function named(card: Card, max: number): string {
  return truncate(plain(cardOfHolderRaw(card)), max);
}

/** `Sam Rivera · card 1234`: the card in a headline or a row. */
export function shortCard(card: Card): string {
  const { last4 = null, cardId = null } = card;
  const number = last4 !== null && last4.trim() !== '' ? `card ${last4}` : cardId === null ? '' : `card ${cardId}`;
  return [holderName(card), escapeUntrusted(number, 30)].filter(Boolean).join(' · ');
}

/** What to type after `/card show`, raw: the last four when known. */
export function cardHandle({ last4, cardId, acctId }: Card): string {
  return last4?.trim() || String(cardId ?? acctId ?? 'CARD');
}

/** A command about a card, to be copied: `/card unblock 4242`. */
export function cardCommand(verb: string, card: Card, after = ''): string {
  return commandCode(`${verb} ${copyable(cardHandle(card), 20)}${after}`);
}

/** Of a virtual card. Cardbell keeps the last four digits, and Slack never gets more. */
export const numberElsewhere = 'I don’t keep the card’s number: get it from your card program.';

/** Why the card service may have refused to activate a card. */
export function mayRefuseActivation(hours: number): string {
  return `A card may be refused in its first ${countOf(hours, 'hour')}: try again later, or use the card program’s portal.`;
}

/** Nobody unblocks a card with an open fraud case. */
export const orderNewCard = 'The cardholder reported a purchase as fraud: order a new card.';

/** Raising a limit does not unblock the card. */
export const BLOCKED = 'The card is blocked: nothing is paid until an approver unblocks it.';

/** Nothing can be changed about the card any more. */
export const CLOSED = 'The card is closed. That is final: order a new one.';

/** `null` means that there is no limit. */
export function limitWord(cents: number | null): string {
  return cents === null ? 'no limit' : formatCents(cents);
}

/** What a card's purchases are paid from: its own balance, in cents, or that of the business. */
export type CardBalance = number | 'business';

/** Money on a card. Never a sign: below zero it is overdrawn. */
export function balanceWord(balance: CardBalance): string {
  if (balance === 'business') return 'paid from the business balance';
  return balance < 0 ? `${formatCents(-balance)} overdrawn` : formatCents(balance);
}

type SetAside = Pick<TransactionEvent, 'paddingCents' | 'balancePaddingCents'>;

/** What a balance has to cover besides the purchase: `the $16.82 that the card service sets aside`. Empty: nothing. */
export function setAsideOf({ paddingCents, balancePaddingCents = paddingCents }: SetAside): string {
  return balancePaddingCents === 0 ? '' : `the ${formatCents(balancePaddingCents)} that the card service sets aside`;
}

/** The same behind the purchase: ` and the $16.82 that the card service sets aside`. */
export function andSetAside(purchase: SetAside): string {
  return setAsideOf(purchase) && ` and ${setAsideOf(purchase)}`;
}
