import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import type { TransactionEvent } from '../core/event.ts';
import { withLikelyLimit } from '../limits/binding-limit.ts';
import type { PurchaseCheck } from '../limits/remedy.ts';
import { type Remedy, withLimitsNow } from '../limits/remedy-change.ts';
import type { RemedyAction } from '../limits/verbs.ts';
import type { TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import { formRemedy } from './rule-remedy.ts';

export interface FilledForm {
  readonly alert: TransactionAlert;
  readonly pendingId: string;
  readonly remedy: Remedy | null;
  /** Opened on the warning that a subscription keeps failing. */
  readonly isSubscription: boolean;
  readonly state: 'checked' | 'passes' | 'unclear' | 'ruleset' | 'balance' | 'status' | 'closed' | 'unread';
}

/** What is known about the card, for when the form is submitted. */
interface FoundForForm {
  readonly remedy: Remedy | null;
  /** Null: could not be read. */
  readonly rules: CardLimits | null;
  /** Nothing stops the purchase any more. */
  readonly passes: boolean;
}

interface FillDeps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /**
   * Stores it apart from what the form shows so far: a submission does what its view showed.
   *
   * @returns the id for the new view and why the form was opened, null when the form no longer exists.
   */
  readonly keepFound: (
    pendingId: string,
    found: FoundForForm,
  ) => Promise<Pick<FilledForm, 'pendingId' | 'isSubscription'> | null>;
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm) => Promise<void>;
}

/**
 * A button of a decline was pressed and its form is open: shows what would let the purchase pass now, not when the
 * alert was made.
 *
 * The form works without this, so data that cannot be read stays as it was.
 */
export function createFillForm(deps: FillDeps): (action: RemedyAction) => Promise<void> {
  return async function fillForm({ form, target }) {
    const stored = await deps.alerts.get(target.alertId);
    if (stored?.kind !== 'transaction') return;
    const alert = { ...stored, remedy: formRemedy(stored) };
    const [check, rules] = await Promise.all([deps.checkPurchase(alert.event), rulesOf(alert.event.acctId)]);
    const asItWas = rules === null ? alert.remedy : withLikelyLimit(alert.remedy, rules);
    const known = check.state === 'passes' && rules !== null ? withLimitsNow(asItWas, rules) : asItWas;
    const remedy = check.state === 'stopped' ? check.remedy : known;
    const kept = await deps.keepFound(form.pendingId, { remedy, rules, passes: check.state === 'passes' });
    if (kept === null) return;
    await deps.updateForm(form, { alert, remedy, state: stateOf(check), ...kept });
  };

  /** For input errors in the form. Without them the worker reports the errors afterwards. */
  async function rulesOf(acctId: number): Promise<CardLimits | null> {
    const read = await orNull(deps.card.getSpendRules(acctId, { deadlineMs: 3000 }));
    if (read === null) return null;
    const { limits, apartCents, categories } = read.rules;
    return { limits, apartCents, categories };
  }
}

function stateOf(check: PurchaseCheck): FilledForm['state'] {
  if (check.state !== 'unknown') return check.state === 'passes' ? 'passes' : 'checked';
  return check.why === undefined || check.why === 'away' ? 'unread' : check.why;
}
