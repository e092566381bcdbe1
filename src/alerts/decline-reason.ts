import type { LimitPeriod } from '../card-api/rule.ts';
import { declineCode } from '../core/event.ts';
import type { Remedy } from '../limits/remedy-change.ts';

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
  readonly remedy: Remedy['kind'] | 'none';
  /** True when the reason would help somebody who is using a card that is not theirs. */
  readonly isSensitive: boolean;
  /** False for a code that is not in the table. */
  readonly isKnown: boolean;
  /** The period of the exceeded limit, when the code is about one; null when the service does not say. */
  readonly period: LimitPeriod | null;
  /** The merchant category that the service named. */
  readonly category: string | null;
}

type Words = Pick<DeclineReason, 'title' | 'meaning' | 'holderFix' | 'adminFix'>;
type Entry = Words & Partial<Pick<DeclineReason, 'remedy' | 'isSensitive' | 'period' | 'category'>>;

/** Periods as the service writes them in its messages. */
const periodWords: readonly (readonly [RegExp, LimitPeriod])[] = [
  [/\b(?:daily|day)\b/i, 'daily'],
  [/\b(?:weekly|week)\b/i, 'weekly'],
  [/\b(?:monthly|month)\b/i, 'monthly'],
  [/\b(?:yearly|year|annual|annually)\b/i, 'yearly'],
  [/\blifetime\b/i, 'lifetime'],
];

function periodOf(message: string): LimitPeriod | null {
  return periodWords.find(([word]) => word.test(message))?.[1] ?? null;
}

/** Periods end on the service's clock, which is Eastern time. */
const untilReset: Readonly<Record<LimitPeriod, string>> = {
  daily: 'pay a smaller amount, or wait until midnight Eastern time',
  weekly: 'pay a smaller amount, or wait until Sunday',
  monthly: 'pay a smaller amount, or wait until the first of the month',
  yearly: 'pay a smaller amount, or wait until January 1',
  lifetime: 'or pay another way: a lifetime limit never starts anew',
};

function velocity(message: string): Entry {
  const period = periodOf(message) ?? 'daily';
  return {
    title: `Over the ${period} limit`,
    meaning: `The purchase is more than what is left of the card’s ${period} limit.`,
    holderFix: `Ask for a higher limit, ${untilReset[period]}.`,
    adminFix: `Raise the ${period} limit if the purchase is fine, then have it tried again.`,
    remedy: 'raise_limit',
    period,
  };
}

function velocityMcc(message: string): Entry {
  return {
    title: 'Over the limit for this kind of merchant',
    meaning: 'The purchase is more than what is left of the limit for this merchant category.',
    holderFix: 'Ask for a higher category limit, or pay another way.',
    adminFix: 'Raise the limit of this merchant category if the purchase is fine, then have it tried again.',
    remedy: 'raise_limit',
    period: periodOf(message),
  };
}

function ruleMcc(message: string): Entry {
  const category = /:\s*\(?([^()]+)\)?\s*$/.exec(message)?.[1]?.trim() || null;
  return {
    title: 'Kind of merchant not allowed',
    meaning: 'The card’s spending rules do not allow this kind of merchant.',
    holderFix: 'Pay another way, or ask whether this kind of merchant can be allowed.',
    adminFix: 'Allow this kind of merchant, for this purchase or for a time, if it is fine.',
    remedy: 'allow_category',
    category,
  };
}

/** The three messages that the service documents, and a fourth that is likely. */
function cardStatus(message: string): Entry {
  if (/clos/i.test(message)) {
    return {
      title: 'Card is closed',
      meaning: 'The card was closed for good and can never be used again.',
      holderFix: 'Use another card, or ask for a new one.',
      adminFix: 'Order a new card if one is needed: a closed card cannot be activated.',
    };
  }
  if (/block/i.test(message)) {
    return {
      title: 'Card is blocked',
      meaning: 'Somebody blocked the card, so every purchase is declined.',
      holderFix: 'Ask an admin why the card is blocked.',
      adminFix: 'Unblock the card if the reason for the block is gone.',
      remedy: 'unblock',
    };
  }
  if (/pending/i.test(message)) {
    return {
      title: 'New card, not activated yet',
      meaning: 'The card has not been activated since it was issued.',
      holderFix: 'Once you have the card in your hands, ask an admin to activate it.',
      adminFix: 'Activate the card if its holder has it.',
      remedy: 'activate',
    };
  }
  return {
    title: 'Card is not active',
    meaning: 'The card is not active, so it cannot be used.',
    holderFix: 'Ask an admin to activate the card.',
    adminFix: 'Activate the card if its holder should have it.',
    remedy: 'activate',
  };
}

const table: Readonly<Record<string, Entry | ((message: string) => Entry)>> = {
  'decline.rule.location': {
    title: 'Purchases abroad not allowed',
    meaning: 'The merchant is outside the United States, and the card may only be used inside it.',
    holderFix: 'Use a merchant in the United States, or ask for purchases abroad to be allowed.',
    adminFix: 'Allow purchases abroad, for this purchase or for a time, if it is fine.',
    remedy: 'allow_international',
  },
  'decline.rule.cardnotpresent': {
    title: 'Card must be used in person',
    meaning: 'The purchase was online or keyed in, and the card may only be used in person.',
    holderFix: 'Pay in person with the card, or ask for online purchases to be allowed.',
    adminFix: 'Allow online purchases, for this purchase or for a time, if it is fine.',
    remedy: 'allow_card_not_present',
  },
  'decline.rule.velocity': velocity,
  'decline.rule.velocity.mcc': velocityMcc,
  'decline.rule.mcc': ruleMcc,
  'decline.balance.business': {
    title: 'Business balance too low',
    meaning: 'The card spends from the business balance, and that does not cover the purchase.',
    holderFix: 'Pay another way until the business balance is topped up.',
    adminFix: 'Whoever funds the card program can add money to the business balance. Cardbell cannot.',
  },
  'decline.remote': {
    title: 'Declined by your own approval system',
    meaning: 'Your company’s remote authorization system did not authorize the purchase.',
    holderFix: 'Ask whoever runs your company’s authorization system.',
    adminFix: 'Whoever runs the remote authorization system can see why. Cardbell cannot change its answer.',
  },
  'decline.mcc': {
    title: 'Type of purchase never allowed',
    meaning: 'The card service allows no card of the program to pay this type of merchant.',
    holderFix: 'Pay another way: this merchant will not work with this card.',
    adminFix: 'Only the card service’s support can say more. No setting of yours changes this.',
  },
  'decline.balance.card': {
    title: 'Card balance too low',
    meaning: 'The card’s own balance does not cover the purchase.',
    holderFix: 'Pay a smaller amount, or ask for money to be added to the card.',
    adminFix: 'Add money to the card in the card program’s portal, then have the purchase tried again.',
  },
  'decline.card.status': cardStatus,
  'decline.card.pin': {
    title: 'Wrong PIN',
    meaning: 'The PIN that was entered is not the card’s PIN.',
    holderFix: 'Try again with the right PIN. If you did not use the card, ask for it to be blocked now.',
    adminFix: 'Ask the holder whether it was them. If it was not, block the card.',
    isSensitive: true,
  },
  decline: {
    title: 'Declined without a reason',
    meaning: 'The card service gave no reason of its own: it says only that the purchase is not honored.',
    holderFix: 'Try once more, or pay another way. The merchant cannot see more than this.',
    adminFix: 'Only the card service’s support can say why. Give them the time, the amount and the merchant.',
  },
};

export const declineCodes: readonly string[] = Object.keys(table);

const unknown: Entry = {
  title: 'Declined by the card service',
  meaning: 'Cardbell does not know this decline code yet; the card service’s own words are all there is.',
  holderFix: 'Try once more, or pay another way.',
  adminFix: 'Look the decline up in the card program’s portal, or ask the card service’s support.',
};

/** Looks up the whole code, whatever its case. The service's messages are written for people and may change. */
export function declineReason(decline: { readonly code: string; readonly message: string }): DeclineReason {
  const { code, message } = decline;
  const key = declineCode(decline);
  const known = Object.hasOwn(table, key) ? table[key] : undefined;
  const entry = typeof known === 'function' ? known(message) : (known ?? unknown);
  return {
    code: known === undefined ? code.trim() : key,
    remedy: 'none',
    isSensitive: false,
    isKnown: known !== undefined,
    period: null,
    category: null,
    ...entry,
  };
}
