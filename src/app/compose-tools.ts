import { askedWords } from '../../templates/actions/asked-words.ts';
import { type Action, alertIdOf, choiceOf } from '../actions/action.ts';
import { createChangeUnlessKnown } from '../actions/change-once.ts';
import { createRecord } from '../actions/record.ts';
import { createRecordLook } from '../actions/record-limits.ts';
import { createAccountOf, createAskAgain, createRefusalRecords, createRefusals } from '../actions/record-refusal.ts';
import { createReports } from '../actions/report.ts';
import { createSetInOrder } from '../actions/set-in-order.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import { formRemedy } from '../alerts/rule-remedy.ts';
import { createOutcomesOnAlerts } from '../alerts/show-outcome.ts';
import { createAnnouncements } from '../approvals/open-request.ts';
import { accountIn } from '../approvals/request.ts';
import { createGroupOfCard } from '../directory/directory.ts';
import { createReadTransactions } from '../directory/read-transactions.ts';
import { doingOf, isLook, permissionOf, refusedTo } from '../dispatch/verbs.ts';
import { createIsOwnCard } from '../holders/link-store.ts';
import { changeRequestOf } from '../limits/change-request.ts';
import { createRaiseAmounts } from '../limits/raise-amount.ts';
import { changeIn } from '../limits/remedy-change.ts';
import { remedyRefusedTo } from '../limits/verbs.ts';
import { type AuthorizationDeps, createAuthorization, unreadGroup } from '../policy/authorize.ts';
import { createRolesForCard } from '../policy/roles-for-card.ts';
import type { ActionContext } from './action-context.ts';

/** Describes what would have let a declined purchase pass; the decline's form applies it. Null for any other action. */
async function remedyWords(action: Action, alerts: ActionContext['alerts']): Promise<string | null> {
  if (action.verb !== 'remedy' || action.target.kind !== 'alert') return null;
  const alert = await alerts.get(action.target.alertId);
  if (alert?.kind !== 'transaction' || alert.event.decline === null) return null;
  const wanted = changeIn(formRemedy(alert))?.kind ?? declineReason(alert.event.decline).remedy;
  return wanted === 'none' || wanted === 'retry' ? null : remedyRefusedTo[wanted];
}

/** What several capabilities share. */
export type Tools = ReturnType<typeof createTools>;

export function createTools(context: ActionContext) {
  const { alerts, progress, pending } = context;
  const record = createRecord(context);
  /** An order, or a request about several cards, is about no account. */
  const ofAccount = async (id: string) => {
    const acctId = accountIn(await context.requests.get(id));
    return acctId === null ? null : { acctId };
  };
  const accountOf = createAccountOf({ ...context, requests: { get: ofAccount } });
  const hasBegun = async ({ id }: Pick<Action, 'id'>) => (await progress.read(id)) !== null;
  const refusedWords = async (action: Action) => (await remedyWords(action, alerts)) ?? refusedTo(action.verb);
  const askedFor = async (action: Action, acctId: number | null): Promise<string> => {
    // Only a name: whoever waits must get an answer even if the directory cannot be read.
    const which = action.target.kind === 'card' ? action.target : {};
    const card = acctId === null ? null : await context.factsOf(acctId, which).catch(() => null);
    const doing = card === null ? doingOf(action.verb) : await refusedWords(action);
    return askedWords({ doing, card, changeRequest: changeRequestOf(action) });
  };
  const refusalRecords = createRefusalRecords({ ...context, record, doingOf, refusedTo: refusedWords, accountOf });
  /** Keeps what an action asks for until its button is pressed. @returns the button's value. */
  const putChoice = (action: Action, questionId: string | null) =>
    pending.put({ kind: 'choice', choice: choiceOf(action), questionId });
  const outcomes = createOutcomesOnAlerts(context);
  const rights = createRights(context);
  const refusals = createRefusals({ ...context, refusalRecords });
  const { refuse, refuseUnclear, refuseWith, recordRefusal, isRefused } = refusals;
  const askAgain = createAskAgain({ ...context, recordRefusal, putChoice, askedFor });
  const responses = { answer: context.answer, refuse, refuseUnclear, refuseWith, askAgain };
  const reports = createReports({ ...context, responses, record, outcomes });
  const tools = {
    ...context,
    rights,
    responses,
    recordRefusal,
    recordRefusals: refusalRecords.recordRefusals,
    isRefused,
    record,
    recordLook: createRecordLook({ ...context, record }),
    setInOrder: createSetInOrder({ ...context, record, responses }),
    doingOf,
    askedFor,
    accountOf,
    hasBegun,
    outcomes,
    reports,
    changeUnlessKnown: createChangeUnlessKnown({ ...context, reports }),
    putChoice,
    ...createAnnouncements({ ...context, rights, record }),
    readTransactions: createReadTransactions(context),
    async purchaseOf(action: Pick<Action, 'target'>) {
      const alertId = alertIdOf(action);
      const alert = alertId === null ? null : await alerts.get(alertId);
      return alert?.kind === 'transaction' ? alert.event : null;
    },
  };
  return { ...tools, raises: createRaiseAmounts(tools) };
}

/** Who may do what to which card, and what is remembered of each decision. */
function createRights(context: ActionContext) {
  const { decisions, policyFor, now } = context;
  const groupOfCard = createGroupOfCard(context);
  const isOwnCard = createIsOwnCard(context);
  const policyOfCard = async (acctId: number, isLooser = true) => {
    const group = await groupOfCard(acctId, isLooser);
    if (isLooser && group === undefined) throw unreadGroup();
    return policyFor(group ?? null);
  };
  const remember: AuthorizationDeps['remember'] = async (decision, acctId) => {
    // Viewing something is not a decision about a card.
    if (isLook(decision.verb)) return;
    const group = acctId === undefined ? null : await groupOfCard(acctId);
    await decisions.remember({ ...decision, acctId: acctId ?? null, group: group ?? null }, now().getTime());
  };
  const rolesForCard = createRolesForCard({ ...context, groupOfCard });
  const authorization = createAuthorization({
    ...context,
    isOwnCard,
    policyOfCard,
    rolesForCard,
    permissionOf,
    remember,
  });
  return {
    isOwnCard,
    groupOfCard,
    policyOfCard,
    whoMay: context.whoMay,
    ...authorization,
  };
}
