import { unreadRaise } from '../limits/binding-limit.ts';
import { changeIn, type Remedy } from '../limits/remedy-change.ts';
import type { TransactionAlert } from './alert.ts';
import { declineReason } from './decline-reason.ts';

/**
 * What the form of a decline is about. Without advice from the card service, what the decline alone asks for: a rule that
 * forbids the purchase, a block, a limit. Null for a limit of a merchant category, which has to be read.
 */
export function formRemedy({ remedy, event }: Pick<TransactionAlert, 'remedy' | 'event'>): Remedy | null {
  return changeIn(remedy) ?? (event.decline && ruleRemedy(event.decline));
}

function ruleRemedy(decline: NonNullable<TransactionAlert['event']['decline']>): Remedy | null {
  const { remedy, category, code, period } = declineReason(decline);
  switch (remedy) {
    case 'raise_limit':
      return code === 'decline.rule.velocity.mcc' ? null : unreadRaise(period);
    case 'allow_international':
    case 'allow_card_not_present':
    case 'unblock':
      return { kind: remedy };
    case 'allow_category':
      return category === null ? null : { kind: remedy, category: { id: null, name: category } };
    default:
      return null;
  }
}
