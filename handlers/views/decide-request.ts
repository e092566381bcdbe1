import { parseAmount } from '../../src/alert/money.ts';
import type { Wish } from '../../src/authority/wish.ts';
import type { ListenerDeps } from '../deps.ts';
import { inputsOf } from './inputs.ts';
import { expiredForm, ofForm, type ViewArgs } from './submission.ts';

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
    let wish: Wish | null = null;
    if (form.purpose === 'change') {
      const { change } = request.wish;
      const limitCents = change.kind === 'limit' ? parseAmount(inputs.text('amount')) : 0;
      const term = inputs.term();
      if (limitCents === null || 'error' in term) {
        await refuse({
          ...(limitCents === null ? { amount: 'Write dollars such as 450 or 1,250.50.' } : {}),
          ...('error' in term ? { day: term.error } : {}),
        });
        return;
      }
      wish = { change: change.kind === 'limit' ? { ...change, limitCents } : change, term };
    }
    await ack();
    const { tell, ...submitted } = ofForm(body, form, deps);
    const target = { kind: 'request', requestId: form.requestId } as const;
    const verb = form.purpose === 'glass' ? 'break_glass' : 'decide';
    const approve = form.purpose === 'change';
    await deps.requestAction({ ...submitted, verb, target, approve, reason, ...(wish && { wish }) }, tell);
  };
}
