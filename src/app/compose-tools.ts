import { type Action, alertIdOf } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { createAskAgain } from '../actions/ask-again.ts';
import { createRecord } from '../actions/record.ts';
import { createAccountOf, createRefusals } from '../actions/record-refusal.ts';
import { createReports, type Reports } from '../actions/report.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import { createOutcomesOnAlerts } from '../alerts/show-outcome.ts';
import type { TransactionEvent } from '../core/event.ts';
import { entryOf, permissionOf, refusedTo, type Verb } from '../dispatch/verbs.ts';
import { createIsOwnCard, type IsOwnCard } from '../holders/own-card.ts';
import { remedyRefusedTo } from '../limits/verbs.ts';
import type { ApprovalPolicy } from '../policy/approval-policy.ts';
import { type AuthorizationDeps, createAuthorization } from '../policy/authorize.ts';
import type { ActionBase } from './action-base.ts';

/** What several capabilities use of each other. */
export interface Tools extends ActionTools {
  readonly reports: Reports;
  readonly isOwnCard: IsOwnCard;
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  /** The declined purchase that an action is about; null when it is about none. */
  readonly purchaseOf: (action: Pick<Action, 'target'>) => Promise<TransactionEvent | null>;
  /** What the policy says about a card, by its group. */
  readonly policyOfCard: (acctId: number) => Promise<ApprovalPolicy>;
}

/** The form on a decline is for whatever would have let the purchase pass; null for any other action. */
async function remedyWords(action: Action, alerts: ActionBase['stores']['alerts']): Promise<string | null> {
  if (action.verb !== 'remedy' || action.target.kind !== 'alert') return null;
  const alert = await alerts.get(action.target.alertId);
  if (alert?.kind !== 'transaction' || alert.event.decline === null) return null;
  const wanted = alert.remedy?.kind ?? declineReason(alert.event.decline).remedy;
  return wanted === 'none' ? null : remedyRefusedTo[wanted];
}

export function composeTools({ stores, cards, people, messages, notices, timers, settings }: ActionBase): Tools {
  const { progress, alerts, withLock } = stores;
  const { factsOf, nameRuleset } = cards;
  const record = createRecord({ ...stores, ...notices, ...settings });
  const refusals = createRefusals({
    ...stores,
    ...timers,
    record,
    refusedTo: async (action) => (await remedyWords(action, alerts)) ?? refusedTo(action.verb),
    accountOf: createAccountOf(stores),
    factsOf,
    answer: people.answer,
  });
  const putChoice: Tools['putChoice'] = (action, questionId) =>
    stores.pending.put({ kind: 'choice', action, questionId });
  const wordsOf = (verb: string) => permissionOf(verb).doing;
  const isOwnCard = createIsOwnCard({ ...stores, ...cards, ...people });
  const groupOfCard = async (acctId: number): Promise<string | null | undefined> => {
    if (!settings.hasCardGroups()) return null;
    const account = (await cards.directory.account(acctId)) ?? (await cards.directory.reload(acctId));
    return account === null ? undefined : account.group;
  };
  const policyOfCard: Tools['policyOfCard'] = async (acctId) => settings.policyFor((await groupOfCard(acctId)) ?? null);
  const remember: AuthorizationDeps['remember'] = async (decision, acctId) => {
    // What only looks at something is no decision about a card.
    if (entryOf(decision.verb as Verb).isLook === true) return;
    const group = acctId === undefined ? null : await groupOfCard(acctId);
    await stores.decisions.remember(
      { ...decision, acctId: acctId ?? null, group: group ?? null },
      settings.now().getTime(),
    );
  };
  const outcomes = createOutcomesOnAlerts({ ...messages, alerts, seen: messages.alertMessages.seen });
  return {
    record,
    ...refusals,
    ...createAuthorization({
      ...stores,
      ...people,
      ...settings,
      isOwnCard,
      policyOfCard,
      groupOfCard,
      permissionOf,
      remember,
    }),
    askAgain: createAskAgain({ ...refusals, ...people, ...settings, putChoice, wordsOf }),
    progress,
    isOwnCard,
    hasBegun: async ({ id }) => (await progress.read(id)) !== null,
    factsOf,
    outcomes,
    answer: people.answer,
    notifyDirectly: people.notifyDirectly,
    updateMessages: messages.updateMessages,
    withLock,
    now: settings.now,
    reports: createReports({ ...stores, ...timers, ...people, ...settings, record, outcomes, nameRuleset }),
    putChoice,
    policyOfCard,
    async purchaseOf(action) {
      const alertId = alertIdOf(action);
      const alert = alertId === null ? null : await alerts.get(alertId);
      return alert?.kind === 'transaction' ? alert.event : null;
    },
  };
}
