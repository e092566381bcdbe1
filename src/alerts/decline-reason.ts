import { serviceExplanation } from '../../templates/core/blocks.ts';
import type { LimitPeriod, LimitRule } from '../card-api/rule.ts';
import type { DeclinedCard } from '../core/card-facts.ts';
import { declineCode, declinedStatuses, isSaidToBeNew } from '../core/event.ts';
import { exceededLimit, lacksNumber, type Remedy, type RemedyChange } from '../limits/remedy-change.ts';
import { limitName } from '../limits/rule-words.ts';
import { periodInMessage, untilReset } from './limit-period.ts';

/** What a decline code means, and who can do what about it. */
export interface DeclineReason {
  readonly code: string;
  /** For a headline: "Over the daily limit". */
  readonly title: string;
  /** What the code means, one sentence. */
  readonly meaning: string;
  readonly holderFix: string;
  readonly adminFix: string;
  /** What Cardbell itself can do about it. */
  readonly remedy: RemedyChange['kind'] | 'retry' | 'none';
  /** The card is not active, and nothing tells whether it is new or blocked. */
  readonly mayBeBlocked?: true;
  /** See `isSensitive`. */
  readonly isSensitive: boolean;
  /** False for a code that is not in the table. */
  readonly isKnown: boolean;
  /** False when the service sent nothing, or its usual message for this code, which repeats the texts above. */
  readonly saysMore: boolean;
  /** The period of the exceeded limit, when the code is about a limit; null when the service does not name it. */
  readonly period: LimitPeriod | null;
  /** The merchant category that the service named. */
  readonly category: string | null;
}

type Words = Pick<DeclineReason, 'title' | 'meaning' | 'holderFix' | 'adminFix'>;
type Entry = Words & { readonly usually: RegExp } & Partial<
    Pick<DeclineReason, 'remedy' | 'mayBeBlocked' | 'period' | 'category'>
  >;

function velocity(message: string, remedy: Remedy | null): Entry {
  const named = { period: periodInMessage(message) ?? 'daily', category: null };
  return {
    // The service may name the daily limit when a longer one stopped the purchase.
    ...overLimit(exceededLimit(remedy, { isOfCategory: false })?.rule ?? named),
    usually: /^transaction exceeded (?:daily|weekly|monthly|yearly|lifetime) spend limit$/i,
  };
}

function overLimit({ period, category }: Pick<LimitRule, 'period' | 'category'>): Omit<Entry, 'usually'> {
  const name = limitName(period, category?.name ?? null);
  const isOfOne = period === 'transaction';
  return {
    title: `Over the ${name}`,
    meaning: `The purchase is more than ${isOfOne ? 'the' : 'what is left of the card’s'} ${name}${isOfOne ? ' allows' : ''}.`,
    holderFix: `Ask for a higher limit, ${untilReset()[period]}.`,
    adminFix: `Raise the ${name} if the purchase is legitimate, then have it tried again.`,
    remedy: 'raise_limit',
    period: isOfOne ? null : period,
  };
}

const usualMcc = /^transaction exceeded merchant category limit$/i;

function velocityMcc(message: string, remedy: Remedy | null): Entry {
  const limit = exceededLimit(remedy, { isOfCategory: true });
  if (limit !== null) return { ...overLimit(limit.rule), usually: usualMcc };
  return {
    title: 'Over the limit for this merchant category',
    meaning:
      'The purchase is more than what is left of the limit for a merchant category. The card service does not say which one.',
    holderFix: 'Ask for a higher category limit, or pay another way.',
    adminFix: 'Raise this category’s limit if the purchase is legitimate, then have it tried again.',
    remedy: 'raise_limit',
    period: periodInMessage(message),
    usually: usualMcc,
  };
}

/** The placeholder by which the service documents the message. */
const anyCategory = /^merchant[\s-]category$/i;
/** Parentheses around a whole name, which may have some of its own: `(Clubs (Sports))`. */
const inParentheses = /^\(((?:[^()]|\([^()]*\))*)\)$/;

function ruleMcc(message: string, remedy: Remedy | null): Entry {
  const said = /:(.*)$/s.exec(message)?.[1]?.trim() ?? '';
  const named = inParentheses.exec(said)?.[1]?.trim() ?? said;
  const category = named === '' || anyCategory.test(named) ? null : named;
  // Only a category with a name and a number can be allowed.
  const canAllow = category !== null && !lacksNumber(remedy);
  return {
    title: 'Merchant category not allowed',
    meaning:
      category === null ? 'The card’s spending rules exclude it.' : `The card’s spending rules exclude ${category}.`,
    holderFix: `Pay another way, or ask ${canAllow ? 'whether this merchant category can be allowed' : 'whoever administers the card program'}.`,
    adminFix: `Allow this merchant category ${canAllow ? 'once or temporarily' : 'in the card program’s portal'} if the purchase is legitimate.`,
    remedy: canAllow ? 'allow_category' : 'none',
    category,
    usually: /^unauthorized merchant category\b/i,
  };
}

const usualStatus =
  /^(?:card status (?:closed|blocked|inactive|new card pending activation)|new card pending activation|new card pending activation, card status inactive or card status closed)$/i;

export const closed: Entry = {
  title: 'Card is closed',
  meaning: 'It can never be used again.',
  holderFix: 'Use another card, or ask for a new one.',
  adminFix: 'Order a new card if one is needed: a closed card cannot be activated.',
  usually: usualStatus,
};

const blocked: Entry = {
  title: 'Card is blocked',
  meaning: 'Every purchase is declined.',
  holderFix: 'Ask an approver why the card is blocked.',
  adminFix: 'Unblock the card if it should work again.',
  remedy: 'unblock',
  usually: usualStatus,
};

/** The card is known as active: it was blocked or not activated before, or has just been blocked. */
const notActiveThen: Entry = {
  title: 'Card was not active',
  meaning: 'It was not active when the purchase was tried.',
  holderFix: 'Try again in a moment, or ask an approver whether the card is blocked.',
  adminFix: 'Check the card’s status. If it is active by now, have the purchase tried again.',
  remedy: 'retry',
  usually: usualStatus,
};

/** The message may name several statuses, and calls a blocked card inactive. The known status decides between them. */
function cardStatus(message: string, remedy: Remedy | null, card: DeclinedCard): Entry {
  const { status, isStatusLater, isVirtual } = card;
  if (declinedStatuses(message).every((one) => one === 'CLOSED')) return closed;
  if (remedy?.kind === 'unblock') return blocked;
  // The service says so, or names it among others.
  const isNew = isSaidToBeNew(message) || (status === 'INACTIVE' && /pending/i.test(message));
  // An inactive card may be one whose closing was reported late. A new one was closed afterwards.
  if (status === 'CLOSED' && !(isNew && isStatusLater === true)) return closed;
  if (/block/i.test(message)) return blocked;
  if (status === 'BLOCKED' && isStatusLater !== true && !isNew) return blocked;
  if (status === 'ACTIVE') return notActiveThen;
  const mayBeBlocked = status !== 'INACTIVE' && declinedStatuses(message).includes('BLOCKED');
  const isOnItsWay = isNew && isVirtual !== true;
  return {
    title: isNew ? 'New card, not activated yet' : 'Card is not active',
    meaning: mayBeBlocked
      ? 'It may be blocked or not activated yet.'
      : 'It cannot be used until somebody activates it.',
    holderFix: isOnItsWay
      ? 'If you have the card, ask an operator to activate it. If it hasn’t arrived, tell an operator: somebody else may have it.'
      : `Ask an operator to ${mayBeBlocked ? 'check' : 'activate'} the card.`,
    adminFix: `${mayBeBlocked ? 'Unblock or activate' : 'Activate'} the card if the cardholder ${isOnItsWay ? 'has it' : 'should be able to use it'}.`,
    remedy: 'activate',
    ...(mayBeBlocked && { mayBeBlocked }),
    usually: usualStatus,
  };
}

/** A virtual card cannot be used in person. */
function cardNotPresent(_message: string, _remedy: Remedy | null, { isVirtual }: DeclinedCard): Entry {
  const isOnlyOnline = isVirtual === true;
  return {
    title: isOnlyOnline ? 'Online purchases not allowed' : 'Card must be used in person',
    meaning: 'The card’s spending rules exclude online and keyed-in purchases.',
    holderFix: `${isOnlyOnline ? 'A' : 'Pay in person with the card, or a'}sk for online purchases to be allowed.`,
    adminFix: 'Allow online purchases once or temporarily if the purchase is legitimate.',
    remedy: 'allow_card_not_present',
    usually: /^card not present$/i,
  };
}

/** Any other reason: only the service's words say which, if they do. */
function anyOther(message: string): Entry {
  const said = message.trim();
  const usual = /^do not honou?r\.?$/i;
  const adminFix = 'Ask the card service’s support. Give them the time, the amount and the merchant.';
  if (said !== '' && !usual.test(said)) {
    const holderFix = 'Try once more, or pay another way.';
    return { title: 'Declined by the issuer', meaning: serviceExplanation(said), holderFix, adminFix, usually: /^/ };
  }
  return {
    title: 'Declined without a reason',
    meaning: `The issuer gave no reason${said === '' ? '' : ' (“Do not honor”)'}.`,
    holderFix: 'Try once more, or pay another way. The merchant does not know the reason either.',
    adminFix,
    usually: usual,
  };
}

type EntryFor = (message: string, remedy: Remedy | null, card: DeclinedCard) => Entry;

const table: Readonly<Record<string, Entry | EntryFor>> = {
  'decline.rule.location': {
    title: 'Purchases abroad not allowed',
    meaning: 'The merchant is outside the United States.',
    holderFix: 'Use a merchant in the United States, or ask for purchases abroad to be allowed.',
    adminFix: 'Allow purchases abroad once or temporarily if the purchase is legitimate.',
    remedy: 'allow_international',
    usually: /^international transactions not allowed$/i,
  },
  'decline.rule.cardnotpresent': cardNotPresent,
  'decline.rule.velocity': velocity,
  'decline.rule.velocity.mcc': velocityMcc,
  'decline.rule.mcc': ruleMcc,
  'decline.balance.business': {
    title: 'Business balance too low',
    meaning: 'It does not cover this purchase.',
    holderFix: 'Pay another way until the business balance is topped up.',
    adminFix: 'Add money to the business balance in the card program’s portal. Cardbell cannot do this.',
    usually: /^insufficient balance in service account$/i,
  },
  'decline.remote': {
    title: 'Declined by your own approval system',
    meaning: 'Your company’s remote authorization system said no.',
    holderFix: 'Ask whoever runs your company’s authorization system.',
    adminFix: 'Check the remote authorization system for the reason. Cardbell cannot change its answer.',
    usually: /^remote service decline$/i,
  },
  'decline.mcc': {
    title: 'Merchant category never allowed',
    meaning: 'The card service excludes this merchant category for your whole program.',
    holderFix: 'Pay another way: this merchant will not work with this card.',
    adminFix: 'No setting changes this. The card service’s support can tell you more.',
    usually: /^transaction type not allowed$/i,
  },
  'decline.balance.card': {
    title: 'Card balance too low',
    meaning: 'It does not cover this purchase.',
    holderFix: 'Pay a smaller amount, or ask for money to be added to the card.',
    adminFix: 'Add money to the card in the card program’s portal.',
    usually: /^transaction exceeded current card balance$/i,
  },
  'decline.card.status': cardStatus,
  'decline.card.pin': {
    title: 'Wrong PIN',
    meaning: 'The PIN entered was not the card’s.',
    holderFix: 'Try again with the right PIN. If it wasn’t you, ask for the card to be blocked now.',
    adminFix: 'Ask the cardholder if it was them. If not, block the card.',
    usually: /^pin verification check$/i,
  },
  decline: anyOther,
};

export const declineCodes: readonly string[] = Object.keys(table);

const unknown: Entry = {
  title: 'Declined by the card service',
  meaning: 'Cardbell does not know this decline code yet.',
  holderFix: 'Try once more, or pay another way.',
  adminFix: 'Look up the decline in the card program’s portal, or ask the card service’s support.',
  usually: /^$/,
};

/** Words of a code or message that tell of a PIN, also with a code that is not in the table. */
const pinWords = /(?<![a-z])pins?(?![a-z])|personal identification/i;

/** True when the reason would help someone who uses another person's card. */
export function isSensitive({ code, message = '' }: { readonly code: string; readonly message?: string }): boolean {
  return pinWords.test(`${code} ${message}`);
}

/**
 * Matches the complete code, ignoring case. The service's messages are written for people and may change.
 *
 * @param remedy what would have let the purchase pass. It names the cause where the service's words do not.
 * @param card its status names the cause where the code does not, if the card had it then.
 */
export function declineReason(
  decline: { readonly code: string; readonly message: string },
  remedy: Remedy | null = null,
  card: DeclinedCard = {},
): DeclineReason {
  const { code, message } = decline;
  const key = declineCode(decline);
  const known = Object.hasOwn(table, key) ? table[key] : undefined;
  const hasReason = known !== undefined && key !== 'decline';
  const byStatus = hasReason
    ? undefined
    : remedy?.kind === 'unblock'
      ? blocked
      : card.status === 'CLOSED' && card.isStatusLater !== true
        ? closed
        : undefined;
  const found = known ?? (key === '' ? anyOther : unknown);
  const said = typeof found === 'function' ? found(message, remedy, card) : found;
  const { usually } = said;
  const { usually: _, ...entry } = byStatus ?? said;
  return {
    code: known === undefined ? code.trim() : key,
    remedy: 'none',
    isSensitive: isSensitive(decline),
    isKnown: known !== undefined,
    saysMore: message.trim() !== '' && !usually.test(message.trim()),
    period: null,
    category: null,
    ...entry,
  };
}
