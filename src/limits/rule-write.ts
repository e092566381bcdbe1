import { z } from 'zod';
import { ofRule, ofRules, without } from '../card-api/rule.ts';
import { changesFrom, isMade, type RuleChange, RuleChanges, ruleValue } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';

/** A call that sets the rules of a card, all at once. */
export const RuleWrite = z.strictObject({
  /** The action, or the end of a temporary change. Another try of it is a write of its own. */
  id: z.string(),
  /** Slack user; null: Cardbell itself. */
  by: z.string().nullable(),
  /** The rules that it was to change. It set all others to what they were when it was sent. */
  changes: RuleChanges,
  /** UTC ISO 8601. */
  sentAt: z.string(),
  /** The card service has not answered, and nothing has shown it: it may still be made. */
  isPending: z.boolean(),
});
export type RuleWrite = z.infer<typeof RuleWrite>;

/** A rule that a late write has set back: from the value of now to the one that was set. */
export interface Overwritten extends RuleChange, Pick<RuleWrite, 'id' | 'by'> {}

/**
 * The rules that have the values of a late write, and not those that were set since.
 *
 * @param writes all of the account, oldest first.
 */
export function overwrittenBy(late: RuleWrite, writes: readonly RuleWrite[], rules: SpendRules): Overwritten[] {
  const later = writes.slice(writes.indexOf(late) + 1);
  const set = later.flatMap(({ changes, ...write }) => changes.map((change) => ({ ...write, ...change })));
  // What nothing has changed since shows whether the late write was made.
  if (!isMade(changesFrom(rules, without(late.changes, set)))) return [];
  return set.flatMap(({ rule, from, to, id, by, isPending }, index) => {
    const now = ruleValue(rules, rule);
    const after = ofRules(set.slice(index + 1), [{ rule }]);
    // A value may also come from a later write that has not been answered either.
    const isLast = !isPending && after.every((one) => one.isPending && one.to !== now);
    const before = ofRule(late.changes, rule)?.to ?? ofRule(set, rule)?.from ?? from;
    return isLast && now === before && now !== to ? [{ rule, from: now, to, id, by }] : [];
  });
}

/**
 * Whether it may be made after the next write. Not if the card shows it by now. A value that a later write has set, too, shows
 * nothing.
 *
 * @param writes all of the account, oldest first.
 * @param rules the card's, as they were read for the next write.
 */
export function mayComeLater(write: RuleWrite, writes: readonly RuleWrite[], rules: SpendRules): boolean {
  if (!write.isPending) return false;
  const later = writes.slice(writes.indexOf(write) + 1).flatMap(({ changes }) => changes);
  const isShown = ofRules(write.changes, later).length === 0 && isMade(changesFrom(rules, write.changes));
  // What it has overwritten has to be set again first.
  return !isShown || overwrittenBy(write, writes, rules).length > 0;
}
