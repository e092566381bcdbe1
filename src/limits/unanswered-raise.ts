import { isUnanswered, reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { ofRule } from '../card-api/rule.ts';
import type { RuleChange } from '../card-api/rule-change.ts';
import type { RecentRaise } from './recent-raise-store.ts';

type Raise = Pick<RecentRaise, 'actionId'>;

/** Which earlier raises got no answer, so that nobody knows whether they raised anything. */
export async function readUnanswered(
  raises: readonly Raise[],
  { progress }: { readonly progress: Pick<ActionTools['progress'], 'read'> },
) {
  const ids = [...new Set(raises.map(({ actionId }) => actionId))];
  const states = await Promise.all(ids.map((id) => progress.read(id)));
  const unanswered = new Map(
    ids.flatMap((id, index) => {
      const state = states[index] ?? null;
      const expects = reported(state)?.awaited?.result.expects;
      return isUnanswered(state) ? [[id, expects?.kind === 'rule' ? expects.changes : []] as const] : [];
    }),
  );
  const changeOf = ({ actionId }: Raise, { rule }: RuleChange) => ofRule(unanswered.get(actionId) ?? [], rule);
  return {
    /** It may have been made, and the rule has another value now. @param now from the rule's current value. */
    isUnsure: (raise: Raise, now: RuleChange): boolean =>
      unanswered.has(raise.actionId) && changeOf(raise, now)?.to !== now.from,
    /** It may still be made, but the rule has the value from before it. */
    isUnmade: (raise: Raise, now: RuleChange): boolean => changeOf(raise, now)?.from === now.from,
    /** Those of which these changes set every rule again, from the value before it. */
    repeatedBy: (now: readonly RuleChange[]): string[] =>
      [...unanswered]
        .filter(([, lost]) => lost.length > 0 && lost.every(({ rule, from }) => ofRule(now, rule)?.from === from))
        .map(([id]) => id),
  };
}
