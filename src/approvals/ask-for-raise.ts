import { requestSent } from '../../templates/holders/holder-request.ts';
import { countedText } from '../../templates/limits/counted-words.ts';
import { type Action, alertIdOf, type Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, type RuleChange } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { CardStatus, TransactionEvent } from '../core/event.ts';
import { formatCents } from '../core/money.ts';
import { bindingLimit } from '../limits/binding-limit.ts';
import { lastsMs } from '../limits/change-request.ts';
import type { RequestOpened } from '../limits/change-rule.ts';
import type { Raise, RaiseAmounts } from '../limits/raise-amount.ts';
import type { PurchaseCheck } from '../limits/remedy.ts';
import { goalsOfRemedy, type Remedy } from '../limits/remedy-change.ts';
import { stateWords } from '../limits/rule-words.ts';
import { type RuleAction, ruleVerbOf } from '../limits/verbs.ts';
import { amountIn, type CountedRaise, tooMuchForOne } from '../policy/approval-policy.ts';
import type { Decision } from '../policy/decide-action.ts';
import type { RequestedChange } from './open-request.ts';
import type { AskAction } from './verbs.ts';

interface Judgment {
  readonly verdict: Decision;
  /** The counted raise, if it is too much for one approver. */
  readonly counted: CountedRaise | null;
}

interface Deps extends Pick<ActionTools, 'factsOf' | 'record' | 'refuse' | 'answer'> {
  readonly judge: (action: Action, acctId: number, change?: Pick<Raise, 'changes' | 'term'>) => Promise<Judgment>;
  readonly findChange: FindChange;
  readonly findObstacle: FindObstacle;
  readonly openRequest: (asked: RequestedChange) => Promise<RequestOpened>;
  readonly showWaiting: ShowWaiting;
}

/**
 * A holder asks for more: finds the smallest change that lets the amount through, and requests approval for it.
 *
 * Runs under the account's lock. The returned function throws CardApiError when the job should be retried.
 */
export function createAskForRaise(deps: Deps): (resolved: Resolved<AskAction>) => Promise<void> {
  return async function askForRaise({ action, acctId }) {
    const { amountCents, term } = action.ask;
    const refuse = (why: string, whoCan: string) => deps.refuse(action, { why, whoCan }, { acctId });
    const held = (await deps.judge(action, acctId)).verdict;
    if (held.kind === 'refused') return await refuse(held.why, 'Ask its holder, or an approver.');
    const changes = await deps.findChange(action, acctId, amountCents);
    if (changes === 'passes' || changes === null) {
      const obstacle = await deps.findObstacle(action, acctId, amountCents);
      const { why, whoCan } = obstacle ?? (changes === null ? noneToChange : noneStops);
      return await refuse(why, whoCan);
    }
    const { verdict, counted } = await deps.judge(action, acctId, { changes, term });
    if (verdict.kind === 'refused') return await refuse(verdict.why, 'Ask for less, or for a shorter time.');
    if (verdict.kind !== 'request') return;
    const card = await deps.factsOf(acctId);
    const detail = counted === null ? 'asked by the holder' : `asked by the holder: ${countedText(counted)}`;
    const before = stateWords(changes, 'from');
    await deps.record(action, { event: 'waiting', isFirst: true, acctId, cardId: card.cardId, before, detail });
    const asked = { action, acctId, card, changes, term, others: verdict.others, counted };
    const { note, isTwin, isDecided } = await deps.openRequest(asked);
    if (isDecided === true) return;
    // Without this the alert would wait forever, because the decision is made on the other request.
    if (isTwin) await deps.record(action, { event: 'unchanged', acctId, cardId: card.cardId, detail: note });
    const alertId = alertIdOf(action);
    if (alertId !== null && !isTwin) await deps.showWaiting(alertId, action, ruleVerbOf(changes));
    await deps.answer(action, requestSent({ card, payCents: amountCents, changes, term, note }));
  };
}

const noneToChange: Obstacle = {
  why: 'No limit or rule that I can change stops this purchase.',
  whoCan: 'Ask an approver.',
};
const noneStops: Obstacle = {
  why: 'No limit stops this purchase.',
  whoCan: 'Try again. If it is declined, you can ask from the alert.',
};

type ShowWaiting = (alertId: string, asked: Action, verb: RuleAction['verb']) => Promise<void>;

export function createShowWaiting({ outcomes, now }: Pick<ActionTools, 'outcomes' | 'now'>): ShowWaiting {
  return async function showWaiting(alertId, { id, actor }, verb) {
    const at = now().toISOString();
    await outcomes.show(alertId, id, { verb, by: actor.userId, at, state: 'waiting', text: '', asHolder: true });
  };
}

interface JudgeDeps extends Pick<ActionTools, 'authorize' | 'now' | 'zone'> {
  readonly countRaise: RaiseAmounts['count'];
}

/** Whether someone may ask for a raise on a card, and how many approvals it needs. */
export function createJudgeAsk(deps: JudgeDeps): Deps['judge'] {
  return async function judgeAsk(action, acctId, change) {
    const { userId } = action.actor;
    if (change === undefined) return { verdict: await deps.authorize(action, { acctId }), counted: null };
    const raise = await deps.countRaise(action, acctId, { ...change, fromBase: change.changes }, [userId]);
    const lasts = lastsMs(change.term, deps.now(), deps.zone);
    const verdict = await deps.authorize(action, { acctId, ...amountIn(raise), lastsMs: lasts });
    return { verdict, counted: tooMuchForOne(raise) };
  };
}

/**
 * The changes that would let a holder pay. `passes`: no limit or rule stops the purchase. Null: none that can be changed
 * stops it.
 */
type FindChange = (
  action: Action,
  acctId: number,
  amountCents: number,
) => Promise<readonly RuleChange[] | 'passes' | null>;

interface FindDeps extends Pick<ActionTools, 'purchaseOf'> {
  readonly card: Pick<CardClient, 'getSpendRules' | 'getRemainingLimits'>;
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
}

/** Uses the declined purchase of the action, or else any purchase of that amount. */
export function createFindChange({ card, checkPurchase, purchaseOf }: FindDeps): FindChange {
  return async function findChange(action, acctId, amountCents) {
    const { rules } = await card.getSpendRules(acctId);
    const purchase = await purchaseOf(action);
    if (purchase?.decline == null) {
      const remaining = await card.getRemainingLimits(acctId);
      const limit = bindingLimit({ code: 'decline.rule.velocity', amountCents }, remaining, rules);
      return limit === null ? 'passes' : changesOf(limit, rules, amountCents);
    }
    const check = await checkPurchase({ ...purchase, amountCents });
    if (check.state === 'passes') return 'passes';
    if (check.state !== 'stopped') return null;
    return changesOf(check.remedy, rules, amountCents + purchase.paddingCents);
  };
}

interface Obstacle {
  readonly why: string;
  readonly whoCan: string;
}

/** What else would decline a purchase; null: nothing that is known. */
type FindObstacle = (action: Action, acctId: number, amountCents: number) => Promise<Obstacle | null>;

interface ObstacleDeps extends Pick<ActionTools, 'purchaseOf'> {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly paddingCountsAgainstBalance: boolean;
}

/** The declined purchase of the action says how much the card service sets aside on top. */
export function createFindObstacle(deps: ObstacleDeps): FindObstacle {
  const { card, purchaseOf, paddingCountsAgainstBalance } = deps;
  return async function findObstacle(action, acctId, amountCents) {
    const account = await card.getAccount(acctId);
    const status = cardInUse(account, null)?.status ?? null;
    if (status !== null && status !== 'ACTIVE') return obstacles[status];
    const { availableCents } = account;
    const purchase = paddingCountsAgainstBalance ? await purchaseOf(action) : null;
    const paddingCents = purchase?.balancePaddingCents ?? purchase?.paddingCents ?? 0;
    if (availableCents === null || availableCents >= amountCents + paddingCents) return null;
    if ((await card.getSpendRules(acctId)).rules.usesBusinessBalance !== false) return null;
    const onTop = paddingCents === 0 ? '' : ` and the ${formatCents(paddingCents)} that the card service sets aside`;
    const why = `The card’s balance is ${formatCents(availableCents)}, which does not cover this purchase${onTop}.`;
    return { why, whoCan: 'Ask for money to be added to the card.' };
  };
}

const obstacles: Readonly<Record<Exclude<CardStatus, 'ACTIVE'>, Obstacle>> = {
  BLOCKED: { why: 'The card is blocked: every purchase is declined.', whoCan: 'Ask an approver to unblock it.' },
  INACTIVE: { why: 'The card is not activated yet.', whoCan: 'Ask an operator to activate it.' },
  CLOSED: { why: 'The card is closed and can never be used again.', whoCan: 'Use another card, or ask for a new one.' },
};

function changesOf(remedy: Remedy, rules: SpendRules, amountCents: number): RuleChange[] | null {
  const goals = goalsOfRemedy(remedy, rules, amountCents);
  return goals === null ? null : changesFrom(rules, goals);
}
