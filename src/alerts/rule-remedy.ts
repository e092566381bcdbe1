import { nextNeeded } from '../../templates/alerts/decline-words.ts';
import { stillNeeded } from '../../templates/limits/also-needed-words.ts';
import { unreadRaise } from '../limits/binding-limit.ts';
import { changeIn, type Remedy } from '../limits/remedy-change.ts';
import type { TransactionAlert } from './alert.ts';
import { declineReason } from './decline-reason.ts';

/**
 * What the form of a decline is about: what the purchase still needs after a change that was not enough, or else what the
 * alert says. Without advice from the card service, what the decline alone asks for: a rule that
 * forbids the purchase, a block, a limit. Null for a limit of a merchant category, which has to be read.
 */
export function formRemedy(alert: Pick<TransactionAlert, 'remedy' | 'event' | 'outcomes'>): Remedy | null {
  const next = nextNeeded(alert);
  if (next !== undefined) {
    const remedy = next === 'raise_limit' ? unreadRaise(null) : { kind: next };
    const others = stillNeeded(alert).filter((kind) => kind !== next);
    return others.length === 0 || remedy === null ? remedy : { ...remedy, alsoNeeds: others };
  }
  return changeIn(alert.remedy) ?? (alert.event.decline && ruleRemedy(alert.event.decline));
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
