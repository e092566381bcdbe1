import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import type { TransactionEvent } from '../core/event.ts';
import { withLikelyLimit } from './binding-limit.ts';
import type { PurchaseCheck } from './remedy.ts';
import { type Remedy, withLimitsNow } from './remedy-change.ts';
import type { RemedyAction } from './verbs.ts';

/** The parts of a decline alert that its form needs. */
interface DeclineAlert {
  readonly event: TransactionEvent;
  readonly remedy: Remedy | null;
}

export interface FilledForm<A extends DeclineAlert> {
  readonly alert: A;
  readonly pendingId: string;
  readonly remedy: Remedy | null;
  readonly state: 'checked' | 'passes' | 'unclear' | 'ruleset' | 'balance' | 'status' | 'unread';
}

/** What is known about the card, for when the form is submitted. */
interface FoundForForm {
  readonly remedy: Remedy | null;
  /** Null: could not be read. */
  readonly rules: CardLimits | null;
  /** Nothing stops the purchase any more. */
  readonly passes: boolean;
}

interface FillDeps<A extends DeclineAlert> {
  /** Null: the alert is not about a purchase, or has expired. */
  readonly declineAlert: (alertId: string) => Promise<A | null>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /**
   * Stores it apart from what the form shows so far: a submission does what its view showed.
   *
   * @returns the id for the new view, null when the form no longer exists.
   */
  readonly keepFound: (pendingId: string, found: FoundForForm) => Promise<string | null>;
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm<A>) => Promise<void>;
}

/**
 * A button of a decline was pressed and its form is open: shows what would let the purchase pass now, not when the
 * alert was made.
 *
 * The form works without this, so data that cannot be read stays as it was.
 */
export function createFillForm<A extends DeclineAlert>(deps: FillDeps<A>): (action: RemedyAction) => Promise<void> {
  return async function fillForm({ form, target }) {
    const alert = await deps.declineAlert(target.alertId);
    if (alert === null) return;
    const [check, rules] = await Promise.all([deps.checkPurchase(alert.event), rulesOf(alert.event.acctId)]);
    const asItWas = rules === null ? alert.remedy : withLikelyLimit(alert.remedy, rules);
    const known = check.state === 'passes' && rules !== null ? withLimitsNow(asItWas, rules) : asItWas;
    const remedy = check.state === 'stopped' ? check.remedy : known;
    const pendingId = await deps.keepFound(form.pendingId, { remedy, rules, passes: check.state === 'passes' });
    if (pendingId === null) return;
    await deps.updateForm(form, { alert, pendingId, remedy, state: stateOf(check) });
  };

  function stateOf(check: PurchaseCheck): FilledForm<A>['state'] {
    if (check.state !== 'unknown') return check.state === 'passes' ? 'passes' : 'checked';
    return check.why === undefined || check.why === 'away' ? 'unread' : check.why;
  }

  /** For input errors in the form. Without them the worker reports the errors afterwards. */
  async function rulesOf(acctId: number): Promise<CardLimits | null> {
    const read = await orNull(deps.card.getSpendRules(acctId, { deadlineMs: 3000 }));
    if (read === null) return null;
    const { limits, apartCents, categories } = read.rules;
    return { limits, apartCents, categories };
  }
}
