import type { Remedy } from '../limits/remedy-change.ts';
import { declineReason } from './decline-reason.ts';

/** What the decline alone asks for: a rule that forbids the purchase, a block. Null for a limit, which has to be read. */
export function ruleRemedy(decline: { readonly code: string; readonly message: string }): Remedy | null {
  const { remedy, category } = declineReason(decline);
  switch (remedy) {
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
