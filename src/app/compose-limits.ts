import type { Resolved } from '../actions/action.ts';
import type { Attempt } from '../actions/action-tools.ts';
import { applyLateConfirmation } from '../limits/apply-late-confirmation.ts';
import { type Approval, changeRule, type OpenRequest } from '../limits/change-rule.ts';
import { decideTemporaryChange } from '../limits/decide-temporary-change.ts';
import { endTemporaryChange } from '../limits/end-temporary-change.ts';
import { createFillForm, type FilledForm } from '../limits/fill-form.ts';
import { createRaiseAmounts } from '../limits/raise-amount.ts';
import type { RemedyAction, RuleAction, TemporaryChangeAction } from '../limits/verbs.ts';
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
  const raises = createRaiseAmounts({ ...stores, ...settings, ...tools });
  const deps = { ...stores, ...cards, ...messages, ...notices, ...timers, ...settings, ...tools, raises };
  return {
    changeRule: (resolved: Resolved<RuleAction>, approval: Approval | null, attempt: Attempt) =>
      changeRule(resolved, approval, deps, openRequest, attempt),
    countRaise: raises.count,
    decideTemporaryChange: (action: TemporaryChangeAction) => decideTemporaryChange(action, deps),
    endTemporaryChange: (temporaryChangeId: string) => endTemporaryChange(temporaryChangeId, deps),
    applyLateConfirmation: (
      ...[awaited, verdict]: [Parameters<typeof applyLateConfirmation>[0], Parameters<typeof applyLateConfirmation>[1]]
    ) => applyLateConfirmation(awaited, verdict, deps),
  };
}

interface FormDeps {
  readonly base: ActionBase;
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm) => Promise<void>;
}

/** What fills the open form of a decline. */
export function composeFillForm({ base, updateForm }: FormDeps): (action: RemedyAction) => Promise<void> {
  const { pending } = base.stores;
  return createFillForm({
    ...base.stores,
    ...base.cards,
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
