import { countOf } from '../../templates/core/blocks.ts';
import { andSetAside, balanceWord } from '../../templates/core/card-words.ts';
import { requestSent } from '../../templates/holders/holder-request.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { alertIdOf, type Resolved } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, type RuleChange } from '../card-api/rule-change.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { type CardStatus, lackingCents, type TransactionEvent, withAmount } from '../core/event.ts';
import { checkLimits } from '../limits/binding-limit.ts';
import type { RequestOpened } from '../limits/change-rule.ts';
import { permitRaise } from '../limits/permit-raise.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import type { PurchaseCheck } from '../limits/remedy.ts';
import { alsoNeeds, goalsOfRemedy, type Remedy } from '../limits/remedy-change.ts';
import { ruleVerbOf } from '../limits/verbs.ts';
import { type Announcements, isAskedAgain, type RequestedChange } from './open-request.ts';
import type { Requests } from './request-store.ts';
import type { AskAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'factsOf'> {
  readonly responses: Pick<Responses, 'refuse'>;
  readonly whyNotAsked: ReturnType<typeof createWhyNotAsked>;
  readonly findRaise: ReturnType<typeof createFindRaise>;
  readonly permitAsked: ReturnType<typeof createPermitAsked>;
  readonly openRequest: (asked: RequestedChange) => Promise<RequestOpened>;
  readonly resumeRequest: Announcements['resumeRequest'];
  readonly reportAsked: ReturnType<typeof createReportAsked>;
}

/**
 * A holder asks for more: finds the smallest change that lets the amount through, and requests approval for it.
 *
 * Runs under the account's lock. The returned function throws CardApiError when the job should be retried.
 */
export function createAskForRaise(deps: Deps): (resolved: Resolved<AskAction>) => Promise<void> {
  return async function askForRaise({ action, acctId }) {
    // By now the purchase may pass, or the person may no longer hold the card. The request is open or decided anyway.
    const resumed = await deps.resumeRequest(action.id);
    if (resumed !== null) return await deps.reportAsked(action, resumed, resumed);
    const refuse = (no: Refusal) => deps.responses.refuse(action, no, { acctId, isNotPermitted: true });
    const no = await deps.whyNotAsked(action, acctId);
    if (no !== null) return await refuse(no);
    const found = await deps.findRaise(action, acctId);
    if ('why' in found) return await deps.responses.refuse(action, found, { acctId });
    const { changes, alsoNeeds } = found;
    const { verdict, counted } = await deps.permitAsked(action, acctId, changes);
    if (verdict.kind === 'refused')
      return await refuse({ why: verdict.why, whoCan: 'Ask for less, or for a shorter time.' });
    if (verdict.kind !== 'request') return;
    const card = await deps.factsOf(acctId);
    const asked = { action, acctId, card, changes, term: action.ask.term, others: verdict.others, counted, alsoNeeds };
    await deps.reportAsked(action, asked, await deps.openRequest(asked));
  };
}

interface WhyNotDeps {
  readonly rights: Pick<Rights, 'authorize'>;
  readonly requests: Pick<Requests, 'open'>;
}

/** Each request is a message to the approvers, and more of them would hide the one that matters. */
const OPEN_MAX = 5;

/** Why a person may not ask for this card, or not for more at the moment; null: they may. */
export function createWhyNotAsked({ rights, requests }: WhyNotDeps) {
  return async function whyNotAsked(action: AskAction, acctId: number): Promise<Refusal | null> {
    const held = await rights.authorize(action, { acctId });
    if (held.kind === 'refused') return { why: held.why, whoCan: 'Ask its holder, or an approver.' };
    const own = (await requests.open()).flatMap((request) =>
      request.action.verb === 'ask' && request.acctId === acctId && request.action.actor.userId === action.actor.userId
        ? [request.action]
        : [],
    );
    if (own.length < OPEN_MAX || own.some((asked) => isAskedAgain(asked, action))) return null;
    const whoCan = 'Withdraw one in the Home tab, or wait for the approvers.';
    return { why: `You have ${countOf(own.length, 'open request')} for this card.`, whoCan };
  };
}

interface PermitDeps extends Pick<ActionTools, 'withLock'> {
  readonly rights: Pick<Rights, 'authorize'>;
  readonly raises: Pick<RaiseAmounts, 'count' | 'remember' | 'withBase' | 'loosenedFor'>;
}

/** Whether the policy lets the changes be requested, and of how many approvers. */
export function createPermitAsked(deps: PermitDeps) {
  return async function permitAsked(action: AskAction, acctId: number, changes: readonly RuleChange[]) {
    const { term } = action.ask;
    const raise = { changes: await deps.raises.withBase(changes, term, acctId), term };
    return await permitRaise(action, acctId, raise, await deps.raises.loosenedFor(raise, acctId), deps);
  };
}

interface ReportDeps extends Pick<ActionTools, 'record' | 'outcomes' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
}

/** Tells the person who asked what happens now, and shows on the alert that it waits. */
export function createReportAsked(deps: ReportDeps) {
  return async function reportAsked(
    action: AskAction,
    { card, changes, term }: Pick<RequestedChange, 'card' | 'changes' | 'term'>,
    { kind, note }: RequestOpened,
  ): Promise<void> {
    if (kind === 'decided') return;
    const isTwin = kind === 'twin';
    const { acctId, cardId } = card;
    // Without this the alert would wait forever, because the decision is made on the other request.
    if (isTwin) await deps.record(action, { event: 'unchanged', acctId, cardId, detail: 'the same request is open' });
    const alertId = alertIdOf(action);
    if (alertId !== null && !isTwin) {
      const [by, at] = [action.actor.userId, deps.now().toISOString()];
      const waiting = { verb: ruleVerbOf(changes), by, at, state: 'waiting', text: '', asHolder: true } as const;
      await deps.outcomes.show(alertId, action.id, waiting);
    }
    await deps.responses.answer(
      action,
      requestSent({ card, payCents: action.ask.amountCents, changes, term, note, isTwin }),
    );
  };
}

interface FindDeps extends Pick<ActionTools, 'purchaseOf' | 'factsOf' | 'nameRuleset'> {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
}

type FoundRaise = Pick<RequestedChange, 'changes' | 'alsoNeeds'>;

/** The smallest change that lets the amount through, or why there is none. */
export function createFindRaise(deps: FindDeps) {
  return async function findRaise(action: AskAction, acctId: number): Promise<FoundRaise | Refusal> {
    const { amountCents } = action.ask;
    const account = await deps.card.getAccount(acctId);
    // What stops a blocked card as well may still be raised: it helps once the card is unblocked. Closed is final.
    if (cardInUse(account, null)?.status === 'CLOSED') return obstacles.CLOSED;
    const { rules } = await deps.card.getSpendRules(acctId);
    const declined = await deps.purchaseOf(action);
    const wanted = { acctId, amountCents, rules, purchase: declined && withAmount(declined, amountCents) };
    const found = await findChange(wanted);
    if (found !== 'passes' && found !== null) return found;
    return findObstacle(wanted, account) ?? (found === null ? noneToChange : noneStops);
  };

  /**
   * The changes that would let a holder pay the declined purchase of the action, or else any purchase of that amount.
   * `passes`: no limit or rule stops the purchase; without a declined purchase, no limit of the card. Null: nothing is known
   * that can be changed.
   */
  async function findChange({ acctId, amountCents, rules, purchase }: Wanted): Promise<FoundRaise | 'passes' | null> {
    if (purchase?.decline == null) {
      const remaining = await deps.card.getRemainingLimits(acctId);
      const mayBeOverruled = (await deps.nameRuleset(await deps.factsOf(acctId))).ruleset?.mayOverrule === true;
      const limit = checkLimits({ amountCents, mayBeOverruled }, remaining, rules);
      return limit === null || limit === 'passes' ? 'passes' : raiseOf(limit, rules, amountCents);
    }
    const check = await deps.checkPurchase(purchase);
    // How the balance and the card are by now, the obstacle tells.
    const isObstacle = check.state === 'unknown' && (check.why === 'balance' || check.why === 'status');
    if (check.state === 'passes' || isObstacle) return 'passes';
    if (check.state !== 'stopped') return null;
    return raiseOf(check.remedy, rules, amountCents + purchase.paddingCents);
  }
}

/** What a holder wants to pay, with the card's rules of now. */
interface Wanted {
  readonly acctId: number;
  readonly amountCents: number;
  readonly rules: SpendRules;
  /** The declined purchase of the action, with this amount: how much the card service sets aside on top. Null: none. */
  readonly purchase: TransactionEvent | null;
}

const noneToChange: Refusal = {
  why: 'I found nothing that I can change to let this purchase pass.',
  whoCan: 'Ask whoever administers the card program.',
};

/** Good news, although nothing is done. No promise: a merchant type or the balance of the business is not checked. */
const noneStops: Refusal = {
  title: 'You need not ask for more',
  why: 'No limit stops this purchase.',
  whoCan: 'If it is declined, you can ask from the alert.',
};

/** What else would decline a purchase; null: nothing that is known. */
function findObstacle({ amountCents, rules, purchase }: Wanted, account: AccountDetails): Refusal | null {
  const status = cardInUse(account, null)?.status ?? null;
  if (status !== null && status !== 'ACTIVE') return obstacles[status];
  const { availableCents } = account;
  const setAside = purchase ?? { paddingCents: 0 };
  if (availableCents === null || lackingCents({ ...setAside, amountCents }, availableCents) === 0) return null;
  if (rules.usesBusinessBalance !== false) return null;
  const why = `The card’s balance is ${balanceWord(availableCents)}, which does not cover this purchase${andSetAside(setAside)}.`;
  return { why, whoCan: 'Ask for money to be added to the card.' };
}

const obstacles: Readonly<Record<Exclude<CardStatus, 'ACTIVE'>, Refusal>> = {
  BLOCKED: { why: 'The card is blocked: every purchase is declined.', whoCan: 'Ask an approver to unblock it.' },
  INACTIVE: { why: 'The card is not activated yet.', whoCan: 'Ask an operator to activate it.' },
  CLOSED: { why: 'The card is closed and can never be used again.', whoCan: 'Use another card, or ask for a new one.' },
};

function raiseOf(remedy: Remedy, rules: SpendRules, amountCents: number): FoundRaise | null {
  const goals = goalsOfRemedy(remedy, rules, amountCents);
  const needs = alsoNeeds(remedy);
  return goals && { changes: changesFrom(rules, goals), ...(needs.length > 0 && { alsoNeeds: needs }) };
}
