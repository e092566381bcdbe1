import { whyNoOverride } from '../../src/approvals/emergency-override.ts';
import { requestTarget } from '../../src/approvals/request.ts';
import { approvalVerbs } from '../../src/approvals/verbs.ts';
import { ofRule } from '../../src/card-api/rule.ts';
import { goalsOf, isAboutLimits, limitGoals, type RuleChange, type RuleGoal } from '../../src/card-api/rule-change.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { contradiction } from '../../src/limits/contradiction.ts';
import { aloneCents } from '../../src/policy/approval-policy.ts';
import { type DecidePurpose, decideForm } from '../../templates/approvals/decide-form.ts';
import { amountOf, formInput } from '../../templates/limits/form-inputs.ts';
import { type Inputs, UNCLEAR_AMOUNT } from '../dispatch/form-inputs.ts';
import { placeOf } from '../dispatch/interaction.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { refused } from '../dispatch/refused.ts';
import { onSubmit } from '../dispatch/submission.ts';

const notOwn = approvalVerbs['emergency-override'].permission.notOwnAction;

/**
 * *Change and approve…*, *Deny with note…*, *Break glass…* on a request: each opens its form for people who may use it.
 */
export function openDecideForm(purpose: DecidePurpose): PressListener {
  return onPress(async ({ value, body, interaction }, deps) => {
    const verb = purpose === 'override' ? 'emergency-override' : 'decide';
    const target = requestTarget(value);
    const input = async (): Promise<Refused | { kind: 'shown' }> => {
      const request = await deps.requests.get(target.requestId);
      if (request?.state !== 'open') {
        const over = request === null ? 'This request is too old.' : 'This request is decided already.';
        return refused({ why: over, whoCan: 'Nothing is left to decide.' });
      }
      const policy = deps.policyFor(request.card.group);
      const isOwn = [request.action.actor.userId, request.holder].includes(interaction.actor.userId);
      const why = purpose === 'override' ? (isOwn ? notOwn.why : whyNoOverride(policy)) : null;
      if (why !== null) return refused({ why, whoCan: 'Ask an approver.' });
      // The form shows the request's current state, which may be newer than the message.
      const { id: requestId, revision } = request;
      const form = { kind: 'decide', requestId, revision, purpose, ...placeOf(interaction.origin) } as const;
      const privateMetadata = await deps.pending.put(form);
      const capCents = aloneCents(policy);
      const today = deps.today();
      await deps.openView(body.trigger_id, decideForm({ privateMetadata, purpose, request, capCents, today }));
      // The action is requested when the form is submitted.
      return { kind: 'shown' };
    };
    await deps.requestAction({ ...interaction, verb, target, input });
  });
}

/** A submitted form of a request: approve with changes, deny with a note, or break glass. */
export const submitDecideForm = onSubmit('decide', async ({ form, inputs }, deps) => {
  const { requestId, revision, purpose } = form;
  const request = await deps.requests.get(requestId);
  if (request === null) return null;
  if (request.revision !== revision && purpose !== 'deny') return { errors: { reason: CHANGED } };
  const reason = inputs.text('reason');
  if (reason === '' && purpose !== 'change') return { errors: { reason: 'Say why, in a few words.' } };
  const target = { kind: 'request', requestId, revision } as const;
  if (purpose === 'override') return { verb: 'emergency-override', target, reason, input: {} };
  if (purpose === 'deny') return { verb: 'decide', target, reason, input: { approve: false, changeRequest: null } };
  const { goals, errors } = goalsTyped(inputs, request.changes);
  const term = inputs.term(deps.today());
  if ('error' in term || Object.keys(errors).length > 0)
    return { errors: { ...errors, ...('error' in term ? { day: term.error } : {}) } };
  return { verb: 'decide', target, reason, input: { approve: true, changeRequest: { goals, term } } };
});

const CHANGED = 'The request was changed since you opened this form. Close it and look again.';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const noLimits = { limits: none, transactionLimitCents: null };

/** The same rules with the amounts the person typed, and the errors in those amounts. */
function goalsTyped(
  inputs: Inputs,
  asked: readonly RuleChange[],
): { goals: readonly RuleGoal[]; errors: Record<string, string> } {
  if (!isAboutLimits(asked)) return { goals: goalsOf(asked), errors: {} };
  const errors: Record<string, string> = {};
  const limits = limitGoals(asked);
  const shown = inputs.amounts(limits.length === 1 ? limits[0]?.rule : undefined);
  const goals = limits.map(({ rule }) => {
    const input = ofRule(shown, rule);
    const to = input?.to ?? null;
    // A limit that somebody has raised since is no longer part of the request.
    if (input === undefined) errors[formInput.reason] = CHANGED;
    else if (to === null) errors[input.action] = UNCLEAR_AMOUNT;
    return { rule, to };
  });
  // Compares the new limits with each other only. The worker compares them with the card's other limits when it reads
  // the card.
  const categories = goals.flatMap(({ rule }) => (rule.category === null ? [] : [{ ...rule.category, ...noLimits }]));
  const against = contradiction({ ...noLimits, categories }, goals);
  if (against !== null) errors[amountOf(against.goal.rule)] ??= against.why;
  return { goals, errors };
}
