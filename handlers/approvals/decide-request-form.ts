import { parseAmount } from '../../src/core/money.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { contradiction } from '../../src/limits/limit-change.ts';
import { isOfLimits, limitsOf, plannedOf, type RuleChange, withValue } from '../../src/limits/rule-change.ts';
import { AS_ASKED, amountOf, formInput } from '../../templates/limits/form-inputs.ts';
import type { ListenerDeps } from '../deps.ts';
import { type Inputs, inputsOf } from '../dispatch/form-inputs.ts';
import { expiredForm, ofForm, type ViewArgs } from '../dispatch/submission.ts';

/** The forms of a request, submitted: approve with changes, deny with a note, break the glass. */
export function decideRequestForm(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const refuse = (errors: Parameters<typeof inputs.errors>[0]) =>
      ack({ response_action: 'errors', errors: inputs.errors(errors) });
    const form = await deps.pending.get(view.private_metadata);
    const request = form?.kind === 'decide' ? await deps.requests.get(form.requestId) : null;
    if (form?.kind !== 'decide' || request === null) {
      await refuse({ reason: expiredForm });
      return;
    }
    const reason = inputs.text('reason');
    if (reason === '' && form.purpose !== 'change') {
      await refuse({ reason: 'Say why, in a few words.' });
      return;
    }
    let changeRequest: ChangeRequest | null = null;
    if (form.purpose === 'change') {
      const { change, said } = changed(inputs, request.changeRequest.change);
      const term = inputs.choice(formInput.term) === AS_ASKED ? request.changeRequest.term : inputs.term();
      if ('error' in term || Object.keys(said).length > 0) {
        await refuse({ ...said, ...('error' in term ? { day: term.error } : {}) });
        return;
      }
      changeRequest = { change, term };
    }
    await ack();
    const { notify, ...submitted } = ofForm(body, form, deps);
    const target = { kind: 'request', requestId: form.requestId } as const;
    const verb = form.purpose === 'override' ? 'break_glass' : 'decide';
    const approve = form.purpose === 'change';
    await deps.requestAction(
      { ...submitted, verb, target, approve, reason, ...(changeRequest && { changeRequest }) },
      notify,
    );
  };
}

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const noLimits = { limits: none, transactionLimitCents: null };

/** The same rules, with the amounts that were typed, and what is wrong with them. */
function changed(inputs: Inputs, change: RuleChange): { change: RuleChange; said: Record<string, string> } {
  if (!isOfLimits(change)) return { change, said: {} };
  const said: Record<string, string> = {};
  const typed = limitsOf(change).map(({ period, category }) => {
    const several = amountOf({ period, category: category?.id ?? null });
    const action = change.kind === 'limits' ? several : formInput.amount;
    const cents = parseAmount(inputs.text(action));
    if (cents === null) said[action] = 'Write dollars such as 450 or 1,250.50.';
    return cents;
  });
  const wanted = withValue(change, change.kind === 'limits' ? typed : (typed[0] ?? null));
  // Among each other; how they stand to the card's other limits is found out when it is read.
  const categories = limitsOf(change).flatMap(({ category }) =>
    category === null ? [] : [{ ...category, ...noLimits }],
  );
  const against = contradiction({ ...noLimits, categories }, plannedOf(wanted));
  if (against !== null) said[amountOf(against.change)] ??= against.why;
  return { change: wanted, said };
}
