import { z } from 'zod';
import type { Action } from '../actions/action.ts';
import { type OfRule, ofRule, ofRules, type Rule, type RuleValue } from '../card-api/rule.ts';
import { isOnCard, type RuleChange, RuleChanges, ruleValue } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';

/** A call that sets the rules of a card, all at once. */
export const RuleWrite = z.strictObject({
  /** The action, or the end of a temporary change. Another try of it is a write of its own. */
  id: z.string(),
  /** Slack user; null: Cardbell itself. */
  by: z.string().nullable(),
  /**
   * The rules that it was to change. It sets all others to what they were when it was sent. What somebody asked for that was
   * so already is here, too, although nothing was sent.
   */
  changes: RuleChanges,
  /** UTC ISO 8601. */
  sentAt: z.string(),
  /** The card service has answered it, or the card has shown it. */
  isMade: z.boolean(),
  /** It may still be carried out, or has been without an answer: it may overwrite those that follow. */
  isPending: z.boolean(),
});
export type RuleWrite = z.infer<typeof RuleWrite>;

/** A person's change of rules as it is written. */
export const writeOf = ({ action, changes }: { readonly action: Action; readonly changes: readonly RuleChange[] }) => ({
  id: action.id,
  by: action.actor.userId,
  changes,
});

/** A rule that is back at an earlier value: from the value of now to the one that was set. */
export interface Overwritten extends RuleChange, Pick<RuleWrite, 'id' | 'by'> {}

/** What the card shows, if it is as a write has set it and not as those that follow have. */
interface Found {
  readonly changes: readonly Overwritten[];
  /** False: somebody may as well have set the earlier values elsewhere. */
  readonly isCertain: boolean;
}

/**
 * The rules that a late write has overwritten. As a call sets all rules, all that have been written since must be back.
 *
 * @param writes all of the account, oldest first.
 */
export function overwrittenBy(late: RuleWrite, writes: readonly RuleWrite[], rules: SpendRules): Found {
  const later = writes.slice(writes.indexOf(late) + 1);
  const set = later.flatMap(({ changes, ...write }) => changes.map((change) => ({ ...write, ...change })));
  const written = unique([...late.changes, ...set]).filter(({ rule }) => isOnCard(rules, rule));
  const lateValue = (rule: Rule): RuleValue | undefined => ofRule(late.changes, rule)?.to ?? ofRule(set, rule)?.from;
  if (!written.every(({ rule }) => ruleValue(rules, rule) === lateValue(rule)))
    return { changes: [], isCertain: false };

  const changes = written.flatMap(({ rule }) => {
    const now = ruleValue(rules, rule);
    const ofIt = ofRules(set, [{ rule }]);
    const index = ofIt.findLastIndex(({ isMade }) => isMade);
    const last = ofIt[index];
    // A later one without an answer may have set the value of now.
    const isWanted = ofIt.slice(Math.max(index, 0)).some(({ to }) => to === now);
    return last === undefined || isWanted ? [] : [{ rule, from: now, to: last.to, id: last.id, by: last.by }];
  });
  // What others have set to the same value, perhaps another try of it, does not show that it was made.
  const isSign = ({ rule, to }: RuleChange) =>
    isOnCard(rules, rule) && ofRules(set, [{ rule }]).every((one) => one.to !== to);
  return { changes, isCertain: late.changes.some(isSign) };
}

function unique<T extends OfRule>(changes: readonly T[]): T[] {
  return changes.filter(({ rule }, index) => ofRule(changes.slice(0, index), rule) === undefined);
}

/**
 * Whether the card shows it: all of its rules have its values, no later write has set them, and it has overwritten nothing.
 *
 * @param writes all of the account, oldest first.
 */
export function isShownAlone(write: RuleWrite, writes: readonly RuleWrite[], rules: SpendRules): boolean {
  const later = writes.slice(writes.indexOf(write) + 1).flatMap(({ changes }) => changes);
  const isShown = write.changes.every(
    ({ rule, to }) => ruleValue(rules, rule) === to && ofRule(later, rule) === undefined,
  );
  return isShown && overwrittenBy(write, writes, rules).changes.length === 0;
}
