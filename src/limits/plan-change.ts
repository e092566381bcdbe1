import { CLOSED } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule, ofRule, ofRules, without } from '../card-api/rule.ts';
import {
  changesFrom,
  isLooser,
  isMade,
  limitGoals,
  limitsOf,
  type RuleChange,
  reversed,
  type Term,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Directory } from '../directory/directory.ts';
import { contradiction, withAcceptedReturns } from './contradiction.ts';
import type { ReadRules } from './put-rules.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import { ruleStates, whereToSet } from './rule-words.ts';
import { hasPassed, passedWords } from './term.ts';
import type { RuleAction } from './verbs.ts';

export interface Planned extends ReadRules {
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  /**
   * The rules before and after, for people and the record. A temporary value that is to stay has, as the value before, the one
   * that it would go back to: keeping it is a raise from there.
   */
  readonly sides: { readonly before: string; readonly after: string };
  /**
   * Why it cannot be made, or why the card service would reject it; null when no reason is known. If the rules have the
   * values already: why they cannot keep them for that long.
   */
  readonly against: string | null;
}

/** The changes an action makes to the card's current rules. `wasSending`: an earlier attempt may have made them. */
export type PlanChange = (action: RuleAction, acctId: number, wasSending: boolean) => Promise<Planned>;

interface Deps extends Pick<ActionTools, 'factsOf' | 'now' | 'zone'> {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly directory: Pick<Directory, 'current'>;
  readonly raises: Pick<RaiseAmounts, 'changesFromBase' | 'changesFromReturn'>;
}

export function createPlanChange({ factsOf, card: api, directory, raises, zone, now }: Deps): PlanChange {
  return async function planChange(action, acctId, wasSending) {
    // The change may take the card off a ruleset that the directory does not know yet. Afterwards nothing shows it.
    if (!wasSending) await directory.current(acctId);
    const card = await factsOf(acctId);
    const { rules, raw } = await api.getSpendRules(acctId);
    const readAt = performance.now();
    const { goals, term } = action.changeRequest;
    const changes = changesFrom(rules, goals);
    const against = card.status === 'CLOSED' ? CLOSED : await whyNot(action, { acctId, rules, changes, term });
    const before = ruleStates(await keptFromReturn(changes, term, acctId), 'from');
    const sides = { before, after: ruleStates(changes, 'to') };
    return { card, changes, sides, raw, readAt, against };
  };

  async function keptFromReturn(
    changes: readonly RuleChange[],
    term: Term,
    acctId: number,
  ): Promise<readonly RuleChange[]> {
    const returned = await raises.changesFromReturn(changes, term, acctId);
    return changes.map((change, index) => (isMade([change]) ? (returned[index] ?? change) : change));
  }

  async function whyNot(action: RuleAction, wanted: Wanted): Promise<string | null> {
    const { rules, changes, term } = wanted;
    // Making it again with an end that has passed would end what is in force now.
    if (hasPassed(term, now(), zone)) return `${passedWords(term)} Ask again with a later end.`;
    const obstacle = isMade(changes)
      ? null
      : (whyLowering(action, changes) ?? whyUnseen(action, changes) ?? obstacleTo(changes, rules));
    return obstacle ?? (await laterObstacleTo(wanted, { raises }));
  }

  /** A form that raises what stopped a purchase may be submitted after somebody raised it further. */
  function whyLowering({ target, origin }: RuleAction, changes: readonly RuleChange[]): string | null {
    if (target.kind !== 'alert' || origin.kind !== 'form') return null;
    const lowered = changes.filter((change) => isLooser(reversed([change])));
    const [first] = lowered;
    if (first === undefined) return null;
    const now = ruleStates(lowered, 'from');
    return `That would lower what the card may spend. By now: ${now}. To lower a limit use ${whereToSet(first.rule)}.`;
  }

  /** A limit may have been lowered while a form was open, to make the card safer. Nobody undoes that unseen. */
  function whyUnseen({ changeRequest }: RuleAction, changes: readonly RuleChange[]): string | null {
    const { shown = [] } = changeRequest;
    const wasLooser = ({ rule, from }: RuleChange): boolean =>
      shown.some((seen) => isSameRule(seen.rule, rule) && isLooser([{ rule, from, to: seen.to }]));
    const lower = changes.filter((change) => isLooser([change]) && wasLooser(change));
    if (lower.length === 0) return null;
    return `It is lower than the form showed. By now: ${ruleStates(lower, 'from')}. Open the form again.`;
  }

  function obstacleTo(changes: readonly RuleChange[], rules: SpendRules): string | null {
    const limits = limitGoals(changes);
    if (limits.some(({ rule }) => rule.period === 'transaction' && rule.category === null)) {
      return 'A card has no limit of its own for a single purchase: only a merchant category does.';
    }
    return contradiction(rules, limits)?.why ?? null;
  }
}

/** The changes of an action, relative to the card's current rules. */
interface Wanted {
  readonly acctId: number;
  readonly rules: SpendRules;
  readonly changes: readonly RuleChange[];
  readonly term: Term;
}

const changed = (changes: readonly RuleChange[]): RuleChange[] => changes.filter((change) => !isMade([change]));

const endsBefore = 'A temporary change ends before this one would.';

/**
 * Why a temporary change that ends before this one could not end as it should; null: it can. One of its limits could not go
 * back below these limits, so it would stay raised: nobody has judged that, so somebody has to ask for it. Or the card service
 * would reject what it goes back to.
 */
async function laterObstacleTo(
  { acctId, rules, changes, term }: Wanted,
  { raises }: Pick<Deps, 'raises'>,
): Promise<string | null> {
  const limits = limitGoals(changes);
  if (limits.length === 0) return null;
  const current = limitsOf(rules);
  const asTheyAre = changesFrom(rules, current);
  const temporary = changed(await raises.changesFromBase(asTheyAre, term, acctId));
  const returning = changed(await raises.changesFromReturn(asTheyAre, term, acctId));
  // One that was higher, or none, keeps no other one up for longer than it lasts.
  const lasting = without(current, [...temporary, ...returning]);
  const others = without(temporary, limits);
  const before = withAcceptedReturns(rules, temporary, lasting);
  const after = withAcceptedReturns(rules, others, [...without(lasting, limits), ...limits]);
  const lifted = after.filter(({ rule, from }) => {
    const was = ofRule(before, rule)?.from ?? null;
    return isLooser([{ rule, from: was, to: from }]);
  });
  const liftedBacks = limitGoals(reversed(ofRules(others, lifted)));
  if (lifted.length > 0) return sentences(endsBefore, contradiction(rules, [...limits, ...liftedBacks])?.why);

  // Beside a permanent change, it goes back only as far as the card service accepts. What is so already stays so.
  if (term.kind === 'permanent' || isMade(changes)) return null;
  const backs = limitGoals(reversed(without(returning, limits)));
  if (backs.length === 0 || contradiction(rules, backs) !== null) return null;
  const why = contradiction(rules, [...limits, ...backs])?.why;
  return why === undefined ? null : sentences(endsBefore, why);
}
