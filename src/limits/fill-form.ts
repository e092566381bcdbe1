import type { ActionDeps } from '../actions/deps.ts';
import { CardApiError } from '../core/errors.ts';
import type { RemedyAction } from './verbs.ts';

/**
 * A button of a decline was pressed and its form is open: says what would let the purchase pass now, not when the alert
 * was made.
 *
 * The form works without it, so what cannot be read is left as it was opened.
 */
export async function fillForm(action: RemedyAction, deps: ActionDeps): Promise<void> {
  const { form, target } = action;
  const alert = await deps.alerts.get(target.alertId);
  const pending = await deps.pending.get(form.pendingId);
  if (alert?.kind !== 'transaction' || pending?.kind !== 'form') return;
  const [check, rules] = await Promise.all([deps.checkPurchase(alert.event), rulesOf(alert.event.acctId, deps)]);
  const remedy = check.state === 'stopped' ? check.remedy : alert.remedy;
  await deps.pending.replace(form.pendingId, { ...pending, remedy, rules });
  const state = check.state === 'stopped' ? 'checked' : check.state === 'passes' ? 'passes' : 'unread';
  await deps.updateForm(form, { alert, pendingId: form.pendingId, remedy, state });
}

/** For what can be said beside an input; without them the worker says it afterwards. */
async function rulesOf(acctId: number, deps: ActionDeps) {
  try {
    const { limits, apartCents, categories } = (await deps.card.getSpendRules(acctId, { deadlineMs: 3000 })).rules;
    return { limits, apartCents, categories: [...categories] };
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}
