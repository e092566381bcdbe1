import type { TransactionAlert } from '../alerts/alert.ts';
import { createApplyLateConfirmation } from '../limits/apply-late-confirmation.ts';
import { createChangeRule, createPermitChange, createPlanChange, type OpenRequest } from '../limits/change-rule.ts';
import { createDecideTemporaryChange, createPermitDecision } from '../limits/decide-temporary-change.ts';
import { createEndTemporaryChange, createRestore } from '../limits/end-temporary-change.ts';
import { createFillForm, type FilledForm } from '../limits/fill-form.ts';
import { createNotifyEnd, createRecordEnd } from '../limits/notify-end.ts';
import { createTemporaryTerms } from '../limits/open-temporary-change.ts';
import { createRaiseAmounts } from '../limits/raise-amount.ts';
import { createSendRules } from '../limits/send-rules.ts';
import { createSupersede } from '../limits/supersede.ts';
import { createNameCategory } from '../limits/unknown-category.ts';
import type { RemedyAction } from '../limits/verbs.ts';
import type { ActionBase } from './action-base.ts';
import type { Tools } from './compose-tools.ts';

interface Deps {
  readonly base: ActionBase;
  readonly tools: Tools;
  readonly openRequest: OpenRequest;
}

/** What changes the spend rules of cards, for good or for a while. */
export function composeLimits({ base, tools, openRequest }: Deps) {
  const { stores, cards, messages, notices, timers, settings } = base;
  const common = { ...stores, ...cards, ...messages, ...notices, ...timers, ...settings, ...tools };
  const raises = createRaiseAmounts(common);
  const terms = createTemporaryTerms({ ...common, supersede: createSupersede(common) });
  const restore = createRestore(common);
  const notifyEnd = createNotifyEnd({ ...common, recordEnd: createRecordEnd(common) });
  const permitDecision = createPermitDecision({ ...common, raises });
  return {
    changeRule: createChangeRule({
      ...common,
      plan: createPlanChange({ ...common, nameCategory: createNameCategory(common) }),
      permit: createPermitChange({ ...common, raises, openRequest }),
      send: createSendRules({ ...common, terms }),
      terms,
      raises,
    }),
    countRaise: raises.count,
    changesFromBase: raises.changesFromBase,
    decideTemporaryChange: createDecideTemporaryChange({ ...common, permitDecision, restore, notifyEnd }),
    endTemporaryChange: createEndTemporaryChange({ ...common, restore, notifyEnd }),
    applyLateConfirmation: createApplyLateConfirmation({ ...common, terms }),
  };
}
interface FormDeps {
  readonly base: ActionBase;
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm<TransactionAlert>) => Promise<void>;
}

/** What fills the open form of a decline. */
export function composeFillForm({ base, updateForm }: FormDeps): (action: RemedyAction) => Promise<void> {
  const { pending, alerts } = base.stores;
  return createFillForm<TransactionAlert>({
    ...base.cards,
    async declineAlert(alertId) {
      const alert = await alerts.get(alertId);
      return alert?.kind === 'transaction' ? alert : null;
    },
    updateForm,
    async keepFound(pendingId, { remedy, rules }) {
      const form = await pending.get(pendingId);
      if (form?.kind !== 'form') return false;
      const kept = rules === null ? null : { ...rules, categories: [...rules.categories] };
      await pending.replace(pendingId, { ...form, remedy, rules: kept });
      return true;
    },
  });
}
