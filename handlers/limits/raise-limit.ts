import { formRemedy } from '../../src/alerts/rule-remedy.ts';
import { type LimitRule, LimitWindow, ofRule } from '../../src/card-api/rule.ts';
import { inRuleOrder, type LimitGoal, limitGoals, limitOf } from '../../src/card-api/rule-change.ts';
import type { CardLimits } from '../../src/card-api/spend-rules.ts';
import { formatCents } from '../../src/core/money.ts';
import { tooOld } from '../../src/directory/resolve-card.ts';
import type { Pending } from '../../src/dispatch/pending-form-store.ts';
import type { Prepared } from '../../src/dispatch/request-action.ts';
import type { InputOf } from '../../src/dispatch/verbs.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { contradiction, withRaisedAlong } from '../../src/limits/contradiction.ts';
import {
  alsoNeeds,
  goalsOfRemedy,
  type LimitRaise,
  limitsToRaise,
  type RaiseLimit,
  type Remedy,
} from '../../src/limits/remedy-change.ts';
import { ruleName, whereToSet } from '../../src/limits/rule-words.ts';
import { type RuleAction, ruleVerbOf } from '../../src/limits/verbs.ts';
import { limitWord } from '../../templates/core/card-words.ts';
import { formInput } from '../../templates/limits/form-inputs.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import { type Inputs, UNCLEAR_AMOUNT } from '../dispatch/form-inputs.ts';
import { placeOf } from '../dispatch/interaction.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { refused } from '../dispatch/refused.ts';
import { onSubmit } from '../dispatch/submission.ts';

type Form = Extract<Pending, { kind: 'form' }>;
type Errors = Record<string, string>;

/**
 * The submitted form of a decline. Input errors appear next to the inputs; the worker does everything else.
 *
 * If a new limit would exceed other limits that the form does not show, the form adds those limits: nothing is raised
 * that the person has not seen.
 */
export const raiseLimit = onSubmit('form', async ({ form, inputs, view }, deps) => {
  const read = readForm(inputs, form, deps.today());
  if ('errors' in read) return read;
  const { ask, reason, typed = [] } = read;
  const { remedy, alertId, isSubscription } = form;
  const alert = typed.length === 0 ? null : await deps.alerts.get(alertId);
  if (alert?.kind !== 'transaction') return { ...ask, reason, target: { kind: 'alert', alertId } };
  const privateMetadata = view.private_metadata;
  const shown = { state: 'along', typed, today: deps.today(), isSubscription } as const;
  return { view: remedyForm({ privateMetadata, alert, remedy, ...shown }) };
});

interface Asked {
  readonly ask:
    | { readonly verb: 'unblock'; readonly input: Record<never, never> }
    | { readonly verb: RuleAction['verb']; readonly input: { readonly changeRequest: ChangeRequest } };
  readonly reason: string;
  /** The typed limits, with others that have to rise along and that the form did not show. Absent: there are none. */
  readonly typed?: readonly LimitRaise[];
}

function readForm(inputs: Inputs, { remedy, rules, passes }: Form, today: string): { errors: Errors } | Asked {
  const reason = inputs.text('reason');
  const errors: Errors = reason === '' ? { reason: 'Say why, in a few words: it goes on record.' } : {};
  if (remedy?.kind === 'unblock')
    return errors['reason'] === undefined ? { ask: { verb: 'unblock', input: {} }, reason } : { errors };

  const term = inputs.term(today);
  if ('error' in term) errors['day'] = term.error;
  const isOfLimits = remedy?.kind === 'raise_limit';
  const goals = isOfLimits ? limitsTyped(inputs, remedy, rules, errors) : remedy && goalsOfRemedy(remedy, null, 0);
  // Submitted before the worker has filled it in.
  if (!isOfLimits && goals === null)
    errors['reason'] ??= 'The card is still being read. Wait a few seconds and submit again.';
  const current = isOfLimits && goals !== null ? rules : null;
  const typed = limitGoals(goals ?? []);
  // One of several limits that is not shown has its error at the first one.
  const several = inputs.amounts();
  const inputOf = (rule: LimitRule): string => (ofRule(several, rule) ?? several[0])?.action ?? formInput.amount;
  for (const goal of typed) {
    const why = (current && whyLowered(goal, current)) ?? (passes ? null : whyTooLow(goal, typed.length, remedy));
    if (why !== null) errors[inputOf(goal.rule)] = why;
  }
  const along = current === null ? [] : withRaisedAlong(current, typed).slice(typed.length);
  if (current !== null) {
    const against = contradiction(current, [...typed, ...along]);
    if (against !== null) errors[inputOf(against.goal.rule)] = against.why;
  }
  if (goals === null || 'error' in term || Object.keys(errors).length > 0) return { errors };
  const shown = shownOf(typed, remedy, rules);
  const needs = alsoNeeds(remedy);
  const also = { ...(shown.length > 0 && { shown }), ...(needs.length > 0 && { alsoNeeds: needs }) };
  const changeRequest = { goals, term, ...also };
  const asked = { ask: { verb: ruleVerbOf(goals), input: { changeRequest } }, reason };
  if (current === null || along.length === 0) return asked;
  const raises = [...typed, ...along].map(({ rule, to }, index) => {
    const isAdjustedToo = index >= typed.length;
    return { rule, from: limitOf(current, rule), to, remainingCents: null, isAdjustedToo };
  });
  return { ...asked, typed: raises };
}

/** What the form knew of the typed limits: by the card's rules, or by the alert if they could not be read. */
function shownOf(typed: readonly LimitGoal[], remedy: Remedy | null, rules: CardLimits | null): LimitGoal[] {
  return typed.flatMap(({ rule }): LimitGoal[] => {
    if (rules !== null) return [{ rule, to: limitOf(rules, rule) }];
    const from = ofRule(limitsToRaise(remedy), rule)?.from ?? null;
    return from === null ? [] : [{ rule, to: from }];
  });
}

/**
 * The typed limits: one with its window, or several. Empty inputs mean no change.
 *
 * @param errors collects the errors by input.
 */
function limitsTyped(inputs: Inputs, remedy: RaiseLimit, rules: CardLimits | null, errors: Errors): LimitGoal[] | null {
  const [{ rule: first }] = remedy.limits;
  // If nothing tells which limit stops the purchase, its window can be chosen.
  const period = LimitWindow.safeParse(inputs.choice(formInput.period)).data ?? first.period;
  const asked = inputs.amounts({ ...first, period });
  const goals = asked.flatMap(({ action, rule, text, to }): LimitGoal[] => {
    if (to === null && text !== '') errors[action] = UNCLEAR_AMOUNT;
    return to === null ? [] : [{ rule: withName(rule, remedy, rules), to }];
  });
  if (goals.length > 0) return inRuleOrder(goals);
  errors[asked[0]?.action ?? ''] ??= UNCLEAR_AMOUNT;
  return null;
}

/**
 * The typed limits must let the purchase through. Otherwise it would be declined again although the alert looks
 * resolved. Clearing one of several amounts is allowed: the person wants to raise fewer limits.
 */
function whyTooLow({ rule, to }: LimitGoal, count: number, remedy: Remedy | null): string | null {
  const needed = limitsToRaise(remedy);
  const lowest = ofRule(needed, rule)?.to ?? null;
  if (count < needed.length || to === null || lowest === null || to >= lowest) return null;
  return `Too low: this purchase needs at least ${formatCents(lowest)}. For any other limit use ${whereToSet(rule)}.`;
}

/** The form raises what the card allows by now, which may be more than when the purchase was declined. */
function whyLowered({ rule, to }: LimitGoal, rules: CardLimits): string | null {
  const now = limitOf(rules, rule);
  // What the card allows in a category may not be a limit of its own.
  if (now === null ? rule.category !== null : to === null || to >= now) return null;
  const is = `The ${ruleName(rule)} is ${limitWord(now)} by now, and this form only raises limits.`;
  return `${is} To lower it use ${whereToSet(rule)}.`;
}

/** The limit with the name of its category, taken from the form or from the card's rules. */
function withName({ category, ...limit }: LimitRule, { limits }: RaiseLimit, rules: CardLimits | null): LimitRule {
  const known = [...limits.map(({ rule }) => rule.category), ...(rules?.categories ?? [])];
  const name = known.find((one) => one?.id === category?.id)?.name ?? category?.name ?? '';
  return { ...limit, category: category && { id: category.id, name } };
}

/**
 * *Raise limit…*, *Allow …*, *Unblock card…* on a decline: opens the form.
 *
 * Slack's trigger expires after three seconds, so the form opens with the alert's data. The worker then reads the card
 * and fills in current values. It reads the card again before changing anything.
 */
export const approveRemedy = opensRemedy({ isAlert: true });

/** The same on a warning about the decline. Only the alert shows the outcome, so the person gets an answer as well. */
export const fixSubscription = opensRemedy({ isAlert: false });

/** @param isAlert the pressed message is that of the alert. */
function opensRemedy({ isAlert }: { readonly isAlert: boolean }): PressListener {
  return onPress(async ({ value: alertId, body, interaction }, deps) => {
    const openForm = async (): Promise<Prepared<InputOf<'remedy'>>> => {
      const alert = await deps.alerts.get(alertId);
      if (alert?.kind !== 'transaction' || alert.event.decline === null) return refused(tooOld());
      const remedy = formRemedy(alert);
      const { origin } = interaction;
      const place = placeOf(isAlert ? origin : { ...origin, messageTs: null });
      const isSubscription = !isAlert;
      const form = { kind: 'form', alertId, ...place, remedy, rules: null, passes: false, isSubscription } as const;
      const pendingId = await deps.pending.put(form);
      const shown = { state: 'checking', today: deps.today(), isSubscription } as const;
      const view = remedyForm({ privateMetadata: pendingId, alert, remedy, ...shown });
      const { viewId, hash } = await deps.openView(body.trigger_id, view);
      return { kind: 'input', input: { form: { viewId, hash, pendingId } } };
    };
    const target = { kind: 'alert', alertId } as const;
    await deps.requestAction({ ...interaction, verb: 'remedy', target, input: openForm });
  });
}
