import type { Remedy } from './alert.ts';
import { type CardRules, currentOf, type RuleChange } from './rule-change.ts';

/**
 * The change of a card's rules that a remedy stands for.
 *
 * @param amountCents the purchase that should pass.
 * @returns null where it is no rule (a status), or where it cannot be told what it should be.
 */
export function changeOf(remedy: Remedy, rules: CardRules | null, amountCents: number): RuleChange | null {
  switch (remedy.kind) {
    case 'raise_limit': {
      const { period, category, suggestedCents } = remedy;
      const change = { kind: 'limit', period, category, limitCents: suggestedCents ?? amountCents } as const;
      const current = rules === null ? remedy.currentCents : currentOf(rules, change);
      // Without what is left of it, the whole purchase on top lets it pass for sure.
      const sure = suggestedCents ?? (typeof current === 'number' ? current + amountCents : amountCents);
      return { ...change, limitCents: sure };
    }
    case 'allow_category': {
      const { id, name } = remedy.category;
      return id === null ? null : { kind: 'category', category: { id, name }, isAllowed: true };
    }
    case 'allow_international':
      return { kind: 'international', isAllowed: true };
    case 'allow_card_not_present':
      return { kind: 'card_not_present', isAllowed: true };
    case 'activate':
    case 'unblock':
      return null;
  }
}
