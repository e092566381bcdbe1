import type { Action } from '../actions/action.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { changesFrom, goalsOf, isLooser, type LimitGoal, limitGoals } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { declineCode } from '../core/event.ts';
import { merchantCategory } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';
import { allPass, bindingLimit } from './binding-limit.ts';
import type { ChangeRequest } from './change-request.ts';
import type { LimitDeps } from './deps.ts';
import type { LimitRaise } from './remedy-change.ts';
import { limitName } from './rule-words.ts';

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
 * @returns the change request with its limit named, or one sentence: why nothing was changed, and what to do.
 * @throws CardApiError when the card cannot be read now either.
 */
export async function withCategory(
  action: Action,
  { isCategoryUnknown, ...changeRequest }: ChangeRequest,
  acctId: number,
  rules: SpendRules,
  deps: LimitDeps,
): Promise<Named> {
  const { goals, term } = changeRequest;
  const event = isCategoryUnknown === true ? await declinedByCategory(action, deps) : null;
  const [goal] = limitGoals(goals);
  if (event === null || goal === undefined) return named(changeRequest);
  const sent = await deps.progress.read(action.id);
  // With what was written the purchase would pass: what stops it now is no longer what was meant.
  if (sent?.state === 'sending' && sent.expects?.kind === 'rule')
    return named({ goals: goalsOf(sent.expects.changes), term });

  const purchase = {
    code: declineCode(event.decline),
    amountCents: event.amountCents + event.paddingCents,
    merchantKind: merchantCategory(event.mcc),
  };
  const remaining = await deps.card.getRemainingLimits(acctId);
  const found = bindingLimit(purchase, remaining, rules);
  if (found === null) return { changeRequest: null, why: allPass(purchase, remaining, rules) ? passes : unclear };
  const { category } = found.limits[0].rule;
  const stopping = found.limits.filter(({ rule, isAlong }) => !isAlong && rule.category?.id === category?.id);
  const meant: LimitGoal = { rule: { ...goal.rule, category }, to: goal.to };
  const isOneOfThem = stopping.some(({ rule }) => rule.period === goal.rule.period);
  if (isOneOfThem && isLooser(changesFrom(rules, [meant]))) return named({ goals: [meant], term });
  return { changeRequest: null, why: otherwise(meant, stopping) };
}

const named = (changeRequest: ChangeRequest): Named => ({ changeRequest, why: null });

const passes = 'By now nothing stops this purchase: it can simply be tried again.';
const unclear =
  'I cannot tell which merchant category stopped this purchase. Change it where the card service is administered.';

/** The purchase that it is about, where a category's limit stopped it. */
async function declinedByCategory(
  { target }: Action,
  { alerts }: LimitDeps,
): Promise<TransactionAlert['event'] | null> {
  const alert = target.kind === 'alert' ? await alerts.get(target.alertId) : null;
  if (alert?.kind !== 'transaction') return null;
  return declineCode(alert.event.decline) === 'decline.rule.velocity.mcc' ? alert.event : null;
}

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
