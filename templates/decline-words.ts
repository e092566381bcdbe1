import type { TransactionAlert } from '../src/alert/alert.ts';
import { type DeclineReason, declineReason } from '../src/alert/decline-reason.ts';
import { formatCents } from '../src/alert/money.ts';
import { mayShow, type Place } from '../src/alert/place.ts';
import { balanceWord, capital, cardHandle, cardOf } from './card-words.ts';
import { standing } from './outcomes.ts';
import { outside } from './parts.ts';

/** A reason as it may be shown in a place; `isWithheld` says that the service's own words must not be. */
export interface ShownReason extends DeclineReason {
  readonly isWithheld: boolean;
}

/** What everyone else may read in place of a sensitive reason. */
const withheldReason: Pick<DeclineReason, 'title' | 'meaning' | 'holderFix' | 'adminFix'> = {
  title: 'Card could not be verified at the terminal',
  meaning: 'The purchase stopped at the merchant’s terminal. Details are only shown in direct messages.',
  holderFix: 'If this was you, try again. If it was not, ask for the card to be blocked now.',
  adminFix: 'Ask the holder whether it was them. If it was not, block the card.',
};

export function shownReason(decline: { readonly code: string; readonly message: string }, place: Place): ShownReason {
  const reason = declineReason(decline);
  const isWithheld = reason.isSensitive && !mayShow('sensitiveReason', place);
  return { ...reason, ...(isWithheld && withheldReason), isWithheld };
}

/** The card service's own words, quoted; a code of tomorrow is named with them. */
export function serviceWords({ isWithheld, isKnown, code }: ShownReason, message: string): string {
  if (isWithheld) return '';
  const named = isKnown || code === '' ? '' : ` (code ${outside(code, 80)})`;
  if (message.trim() !== '') return `The card service says: “${outside(message, 300)}”${named}`;
  return named === '' ? '' : `The card service gave no words${named}.`;
}

/** Which number stopped the purchase, and by how much; empty when the numbers are not known or not for this place. */
export function shortfall({ event, remedy }: TransactionAlert, reason: ShownReason, place: Place): string {
  if (reason.code === 'decline.balance.card' && event.availableCents !== null && mayShow('balance', place)) {
    const missing = event.amountCents - event.availableCents;
    const needed = missing > 0 ? `: this purchase needed ${formatCents(missing)} more` : '';
    return `Card balance ${balanceWord(event.availableCents)}${needed}.`;
  }
  if (remedy?.kind !== 'raise_limit' || remedy.currentCents === null) return '';
  const { period, category, currentCents, remainingCents } = remedy;
  const about = category === null ? '' : ` for ${outside(category.name, 60)}`;
  const limit = `${capital(period)} limit${about} ${formatCents(currentCents)}`;
  if (remainingCents === null) return `${limit}: the purchase is more than what is left of it.`;
  const missing = event.amountCents - remainingCents;
  const left = `${formatCents(Math.max(0, remainingCents))} left`;
  if (missing <= 0) return `${limit}, ${left}: enough for this purchase by now.`;
  return `${limit}, ${left}: this purchase needed ${formatCents(missing)} more.`;
}

/** What the cardholder can do, and what an admin can. What was blocked here needs unblocking before all else. */
export function fixes(alert: TransactionAlert, reason: ShownReason): [holder: string, admin: string] {
  const { outcomes } = alert;
  const isBlocked =
    standing(outcomes).isBlocked && outcomes.some(({ verb, state }) => verb === 'block' && state === 'done');
  if (!isBlocked) return [outside(reason.holderFix, 300), adminFix(alert, reason)];
  return ['Ask an admin why the card is blocked.', unblockFix(alert)];
}

function unblockFix(alert: TransactionAlert): string {
  const handle = outside(cardHandle(cardOf(alert)), 20);
  return `Unblock the card if the reason for the block is gone: \`/card unblock ${handle}\``;
}

/** What an admin can do, with the number or the command that does it where one is known. */
function adminFix(alert: TransactionAlert, reason: ShownReason): string {
  const { remedy } = alert;
  if (remedy?.kind === 'unblock' || reason.remedy === 'unblock') return unblockFix(alert);
  if (remedy?.kind === 'raise_limit' && remedy.suggestedCents !== null) {
    return `${outside(reason.adminFix, 300)} It takes at least ${formatCents(remedy.suggestedCents)}.`;
  }
  return outside(reason.adminFix, 300);
}
