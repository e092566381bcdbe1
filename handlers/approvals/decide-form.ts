import { requestTarget } from '../../src/approvals/request.ts';
import { isAboutLimits, limitGoals, type RuleGoal } from '../../src/card-api/rule-change.ts';
import { parseAmount } from '../../src/core/money.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { contradiction } from '../../src/limits/contradiction.ts';
import { aloneCents } from '../../src/policy/approval-policy.ts';
import { type DecidePurpose, decideForm } from '../../templates/approvals/decide-form.ts';
import { amountOf, formInput } from '../../templates/limits/form-inputs.ts';
import type { ListenerDeps } from '../deps.ts';
import { type Inputs, inputsOf } from '../dispatch/form-inputs.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { refused } from '../dispatch/refused.ts';
import { expiredForm, ofForm, type ViewArgs } from '../dispatch/submission.ts';

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
        const why = request === null ? 'This request is too old.' : 'This request is decided already.';
        return refused({ what: 'Your decision', why, whoCan: 'Nothing is left to decide.' });
      }
      const { channel, messageTs } = interaction.origin;
      // The form shows the request's current state, which may be newer than the message.
      const { id: requestId, revision } = request;
      const form = { kind: 'decide', requestId, revision, purpose, channel, messageTs } as const;
      const privateMetadata = await deps.pending.put(form);
      const capCents = aloneCents(deps.policyFor(request.card.group));
      const today = deps.today();
      await deps.openView(body.trigger_id, decideForm({ privateMetadata, purpose, request, capCents, today }));
      // The action is requested when the form is submitted.
      return { kind: 'shown' };
    };
    await deps.requestAction({ ...interaction, verb, target, input });
  });
}

/** A submitted form of a request: approve with changes, deny with a note, or break glass. */
export function submitDecideForm(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const form = await deps.pending.get(view.private_metadata);
    const request = form?.kind === 'decide' ? await deps.requests.get(form.requestId) : null;
    if (form?.kind !== 'decide' || request === null) {
      await ack(inputs.refusal({ reason: expiredForm }));
      return;
    }
    if (request.revision !== form.revision && form.purpose !== 'deny') {
      await ack(
        inputs.refusal({ reason: 'The request was changed since you opened this form. Close it and look again.' }),
      );
      return;
    }
    const reason = inputs.text('reason');
    if (reason === '' && form.purpose !== 'change') {
      await ack(inputs.refusal({ reason: 'Say why, in a few words.' }));
      return;
    }
    let changeRequest: ChangeRequest | null = null;
    if (form.purpose === 'change') {
      const { goals, errors } = goalsTyped(inputs, request.changes);
      const term = inputs.term(request.term);
      if ('error' in term || Object.keys(errors).length > 0) {
        await ack(inputs.refusal({ ...errors, ...('error' in term ? { day: term.error } : {}) }));
        return;
      }
      changeRequest = { goals, term };
    }
    await ack();
    const target = { kind: 'request', requestId: form.requestId, revision: form.revision } as const;
    const asked = { ...ofForm(body, form, deps), target, reason };
    const input = { approve: form.purpose === 'change', changeRequest };
    await deps.requestAction(
      form.purpose === 'override'
        ? { ...asked, verb: 'emergency-override', input: {} }
        : { ...asked, verb: 'decide', input },
    );
  };
}

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const noLimits = { limits: none, transactionLimitCents: null };

/** The same rules with the amounts the person typed, and the errors in those amounts. */
function goalsTyped(
  inputs: Inputs,
  asked: readonly RuleGoal[],
): { goals: readonly RuleGoal[]; errors: Record<string, string> } {
  if (!isAboutLimits(asked)) return { goals: asked.map(({ rule, to }) => ({ rule, to })), errors: {} };
  const errors: Record<string, string> = {};
  const goals = limitGoals(asked).map(({ rule }) => {
    const action = asked.length > 1 ? amountOf(rule) : formInput.amount;
    const to = parseAmount(inputs.text(action));
    if (to === null) errors[action] = 'Write dollars such as 450 or 1,250.50.';
    return { rule, to };
  });
  // Compares the new limits with each other only. The worker compares them with the card's other limits when it reads
  // the card.
  const categories = goals.flatMap(({ rule }) => (rule.category === null ? [] : [{ ...rule.category, ...noLimits }]));
  const against = contradiction({ ...noLimits, categories }, goals);
  if (against !== null) errors[amountOf(against.goal.rule)] ??= against.why;
  return { goals, errors };
}
