import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import {
  changesFrom,
  isLooser,
  isMade,
  limitGoals,
  limitsOf,
  type RuleChange,
  reversed,
  type Term,
  without,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { slashCommand } from '../core/installation.ts';
import type { NameCategory } from './binding-limit.ts';
import { hasPassed, passedWords } from './change-request.ts';
import { contradiction } from './contradiction.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import { ruleStates } from './rule-words.ts';
import type { RuleAction } from './verbs.ts';

export interface Planned {
  readonly kind: 'planned';
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  /**
   * The rules before and after, for people and the record. A temporary value that is to stay has, as the value before, the one
   * that it would go back to: keeping it is a raise from there.
   */
  readonly sides: { readonly before: string; readonly after: string };
  readonly term: Term;
  /** The rules as the card API returned them. */
  readonly raw: Record<string, unknown>;
  /** When the rules were requested, by `performance.now`. */
  readonly readAt: number;
  /** What it was asked to end with has passed. */
  readonly isOver: boolean;
  /** Why it cannot be made, or why the card service would reject it; null when no reason is known. */
  readonly against: string | null;
}

/** The changes an action makes to the card's current rules. `impossible`: the intended rule cannot be determined. */
export type PlanChange = (
  action: RuleAction,
  acctId: number,
) => Promise<
  | Planned
  | { readonly kind: 'impossible'; readonly card: CardFacts; readonly changes: readonly []; readonly why: string }
>;

interface Deps extends Pick<ActionTools, 'factsOf' | 'now' | 'zone'> {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly nameCategory: NameCategory;
  readonly changesFromReturn: RaiseAmounts['changesFromReturn'];
}

export function createPlanChange({ factsOf, card: api, nameCategory, changesFromReturn, zone, now }: Deps): PlanChange {
  return async function planChange(action, acctId) {
    const card = await factsOf(acctId);
    const readAt = performance.now();
    const { rules, raw } = await api.getSpendRules(acctId);
    const named = await nameCategory(action, acctId, rules);
    if (typeof named === 'string') return { kind: 'impossible', card, changes: [], why: named };
    const { goals, term } = named;
    const changes = changesFrom(rules, goals);
    const isOver = hasPassed(term, now(), zone);
    const against = isOver
      ? `${passedWords(term)} Ask again with a later end.`
      : (whyLowering(action, changes) ??
        obstacleTo(changes, rules) ??
        (await laterObstacleTo(changes, term, { acctId, rules })));
    const before = ruleStates(await keptFromReturn(changes, term, acctId), 'from');
    const sides = { before, after: ruleStates(changes, 'to') };
    return { kind: 'planned', card, changes, sides, term, raw, readAt, isOver, against };
  };

  async function keptFromReturn(
    changes: readonly RuleChange[],
    term: Term,
    acctId: number,
  ): Promise<readonly RuleChange[]> {
    if (!changes.some((change) => isMade([change]))) return changes;
    const returned = await changesFromReturn(changes, term, acctId);
    return changes.map((change, index) => (isMade([change]) ? (returned[index] ?? change) : change));
  }

  /** A form that raises what stopped a purchase may be submitted after somebody raised it further. */
  function whyLowering({ target, origin }: RuleAction, changes: readonly RuleChange[]): string | null {
    if (target.kind !== 'alert' || origin.kind !== 'form') return null;
    const lowered = changes.filter((change) => isLooser(reversed([change])));
    if (lowered.length === 0) return null;
    const now = ruleStates(lowered, 'from');
    return `That would lower what the card may spend. By now: ${now}. To lower a limit use ${slashCommand('limit')}.`;
  }

  function obstacleTo(changes: readonly RuleChange[], rules: SpendRules): string | null {
    const limits = limitGoals(changes);
    if (limits.some(({ rule }) => rule.period === 'transaction' && rule.category === null)) {
      return 'A card has no limit of its own for a single purchase: only a merchant category does.';
    }
    return contradiction(rules, limits)?.why ?? null;
  }

  /** A temporary change that ends before this one could not end: the card service would reject what it goes back to. */
  async function laterObstacleTo(
    changes: readonly RuleChange[],
    term: Term,
    { acctId, rules }: { acctId: number; rules: SpendRules },
  ): Promise<string | null> {
    const limits = limitGoals(changes);
    // Beside a permanent change, it goes back only as far as the card service accepts.
    if (limits.length === 0 || term.kind === 'permanent') return null;
    const others = without(limitsOf(rules), limits).map(({ rule, to }) => ({ rule, from: to, to }));
    const returned = await changesFromReturn(others, term, acctId);
    const backs = limitGoals(reversed(returned.filter(({ from, to }) => from !== to)));
    if (backs.length === 0 || contradiction(rules, backs) !== null) return null;
    const why = contradiction(rules, [...limits, ...backs])?.why;
    return why === undefined ? null : `A temporary change ends before this one would. ${why}`;
  }
}
