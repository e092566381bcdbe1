import type { Target } from '../../src/actions/action.ts';
import { parseAmount } from '../../src/core/money.ts';
import type { ListenerDeps } from '../deps.ts';
import { inputsOf } from '../dispatch/form-inputs.ts';
import { expiredForm, ofForm, type ViewArgs } from '../dispatch/submission.ts';

/** *Ask for more*, submitted by a holder. */
export function askForRaise(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const refuse = (errors: Parameters<typeof inputs.errors>[0]) =>
      ack({ response_action: 'errors', errors: inputs.errors(errors) });
    const form = await deps.pending.get(view.private_metadata);
    if (form?.kind !== 'ask') {
      await refuse({ reason: expiredForm });
      return;
    }
    const amountCents = parseAmount(inputs.text('amount'));
    const term = inputs.term();
    const reason = inputs.text('reason');
    if (amountCents === null || amountCents === 0 || 'error' in term || reason === '') {
      await refuse({
        ...(amountCents === null || amountCents === 0 ? { amount: 'Write dollars such as 84.10 or 1,250.' } : {}),
        ...('error' in term ? { day: term.error } : {}),
        ...(reason === '' ? { reason: 'Say what it is for: the approvers read it.' } : {}),
      });
      return;
    }
    await ack();
    const { notify, ...submitted } = ofForm(body, form, deps);
    const named: Target = form.words.length === 0 ? { kind: 'own' } : { kind: 'words', words: form.words };
    const target: Target = form.alertId === null ? named : { kind: 'alert', alertId: form.alertId };
    await deps.requestAction(
      { ...submitted, verb: 'ask', target, reason, input: { ask: { amountCents, term } } },
      notify,
    );
  };
}
