import type { CardClient } from '../card-api/client.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { CardApiError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { PurchaseCheck } from './remedy.ts';
import type { Remedy } from './remedy-change.ts';
import type { RemedyAction } from './verbs.ts';

/** The alert of a declined purchase, as far as its form needs it. */
export interface DeclineAlert {
  readonly event: TransactionEvent;
  readonly remedy: Remedy | null;
}

/** What an open form shows. */
export interface FilledForm<A extends DeclineAlert> {
  readonly alert: A;
  readonly pendingId: string;
  readonly remedy: Remedy | null;
  readonly state: 'checked' | 'passes' | 'unread';
}

/** What is known of the card by now, for when the form is submitted. */
export interface FoundForForm {
  readonly remedy: Remedy | null;
  /** Null: they could not be read. */
  readonly rules: CardLimits | null;
  /** By now nothing stops the purchase. */
  readonly passes: boolean;
}

interface Deps<A extends DeclineAlert> {
  /** Null: it is about no purchase, or is not kept any more. */
  readonly declineAlert: (alertId: string) => Promise<A | null>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  /** What would let a declined purchase pass now. */
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /** @returns false when there is no such form any more. */
  readonly keepFound: (pendingId: string, found: FoundForForm) => Promise<boolean>;
  /** Shows in an open form what is known by now. */
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm<A>) => Promise<void>;
}

/**
 * A button of a decline was pressed and its form is open: says what would let the purchase pass now, not when the alert
 * was made.
 *
 * The form works without it, so what cannot be read is left as it was opened.
 */
export function createFillForm<A extends DeclineAlert>(deps: Deps<A>): (action: RemedyAction) => Promise<void> {
  return async function fillForm({ form, target }) {
    const { pendingId } = form;
    const alert = await deps.declineAlert(target.alertId);
    if (alert === null) return;
    const [check, rules] = await Promise.all([deps.checkPurchase(alert.event), rulesOf(alert.event.acctId)]);
    const remedy = check.state === 'stopped' ? check.remedy : alert.remedy;
    if (!(await deps.keepFound(pendingId, { remedy, rules, passes: check.state === 'passes' }))) return;
    const state = check.state === 'stopped' ? 'checked' : check.state === 'passes' ? 'passes' : 'unread';
    await deps.updateForm(form, { alert, pendingId, remedy, state });
  };

  /** For what can be said beside an input; without them the worker says it afterwards. */
  async function rulesOf(acctId: number): Promise<CardLimits | null> {
    try {
      const { limits, apartCents, categories } = (await deps.card.getSpendRules(acctId, { deadlineMs: 3000 })).rules;
      return { limits, apartCents, categories: [...categories] };
    } catch (error) {
      if (error instanceof CardApiError) return null;
      throw error;
    }
  }
}
