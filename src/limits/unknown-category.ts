import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, goalsOf, isLooser, type LimitGoal, limitGoals } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { merchantCategory } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';
import { allPass, bindingLimit } from './binding-limit.ts';
import type { ChangeRequest } from './change-request.ts';
import type { LimitRaise } from './remedy-change.ts';
import { limitName } from './rule-words.ts';
import type { RuleAction } from './verbs.ts';

type Named =
  | { readonly changeRequest: ChangeRequest; readonly why: null }
  | { readonly changeRequest: null; readonly why: string };

/**
 * Finds out which limit is meant where the form could not say it: a purchase declined by a category's limit, while the
 * card could not be read. It is one that stops the purchase now, or none: whoever typed an amount for a category has not
 * seen what the card's own limits are.
 *
 * A change request whose limit was known stays as it is, and so does one whose limit was found out before a crash.
 *
 * Answers with the change request with its limit named, or one sentence: why nothing was changed, and what to do. Throws
 * CardApiError when the card cannot be read now either.
 */
export type NameCategory = (action: RuleAction, acctId: number, rules: SpendRules) => Promise<Named>;

interface Deps {
  readonly card: Pick<CardClient, 'getRemainingLimits'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  /** The declined purchase that an action is about; null when it is about none. */
  readonly purchaseOf: (action: Action) => Promise<TransactionEvent | null>;
}

export function createNameCategory({ card, progress, purchaseOf }: Deps): NameCategory {
  return async function nameCategory(action, acctId, rules) {
    const { isCategoryUnknown, ...changeRequest } = action.changeRequest;
    const { goals, term } = changeRequest;
    const event = isCategoryUnknown === true ? await purchaseOf(action) : null;
    const code = declineCode(event?.decline);
    const [goal] = limitGoals(goals);
    if (event === null || code !== 'decline.rule.velocity.mcc' || goal === undefined) return named(changeRequest);
    const sent = await progress.read(action.id);
    // With what was written the purchase would pass: what stops it now is no longer what was meant.
    if (sent?.state === 'sending' && sent.expects?.kind === 'rule')
      return named({ goals: goalsOf(sent.expects.changes), term });

    const amountCents = event.amountCents + event.paddingCents;
    const purchase = { code, amountCents, merchantKind: merchantCategory(event.mcc) };
    const remaining = await card.getRemainingLimits(acctId);
    const found = bindingLimit(purchase, remaining, rules);
    if (found === null) return { changeRequest: null, why: allPass(purchase, remaining, rules) ? passes : unclear };
    const { category } = found.limits[0].rule;
    const stopping = found.limits.filter(
      ({ rule, isAdjustedToo }) => !isAdjustedToo && rule.category?.id === category?.id,
    );
    const meant: LimitGoal = { rule: { ...goal.rule, category }, to: goal.to };
    const isOneOfThem = stopping.some(({ rule }) => rule.period === goal.rule.period);
    if (isOneOfThem && isLooser(changesFrom(rules, [meant]))) return named({ goals: [meant], term });
    return { changeRequest: null, why: otherwise(meant, stopping) };
  };
}

const named = (changeRequest: ChangeRequest): Named => ({ changeRequest, why: null });

const passes = 'By now nothing stops this purchase: it can simply be tried again.';
const unclear =
  'I cannot tell which merchant category stopped this purchase. Change it where the card service is administered.';

/** `By now the card's own weekly limit of $600.00 stops this purchase: …`. Raw. */
function otherwise({ rule, to }: LimitGoal, stopping: readonly LimitRaise[]): string {
  const names = stopping.map(({ rule: { period, category }, from }) => {
    const name =
      category === null ? `the card's own ${limitName(period, null)}` : `the ${limitName(period, category.name)}`;
    return from === null ? name : `${name} of ${formatCents(from)}`;
  });
  const what = `By now ${list.format(names)} ${names.length === 1 ? 'stops' : 'stop'} this purchase`;
  const asked = to === null ? 'none' : formatCents(to);
  return `${what}: a ${limitName(rule.period, null)} of ${asked} would not let it pass. Open the form again: it names what has to rise.`;
}

const list = new Intl.ListFormat('en-US');
