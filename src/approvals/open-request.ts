import { Action, requestIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { CardFacts } from '../alerts/alert.ts';
import { goalsOf, isSameGoals, type RuleChange } from '../card-api/rule-change.ts';
import { formatCents } from '../core/money.ts';
import type { Term } from '../limits/change-request.ts';
import { isOwnCardOf } from '../limits/raise-amount.ts';
import { REQUEST_MS } from '../policy/decide.ts';
import type { LimitRequest } from './request-store.ts';

interface Asked {
  readonly action: Action;
  /** From what the rules are, or will be again by themselves. */
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  readonly acctId: number;
  readonly card: CardFacts;
  /** How many other approvers have to say yes. */
  readonly others: 1 | 2;
}

/**
 * Turns a wish into a request that others decide. An approver who asks about somebody else's card counts as the first.
 *
 * The same wish asked again while one is open is that one request. Runs under the account's lock.
 *
 * @returns a sentence that says what happens now.
 */
export async function openRequest(asked: Asked, deps: ActionDeps): Promise<string> {
  const { action, changes, term, acctId, card, others } = asked;
  const id = requestIdOf(action.id);
  const twin = (await deps.requests.open()).find((request) => request.id !== id && isSame(request, asked));
  if (twin !== undefined) {
    const by = twin.action.actor.userId === action.actor.userId ? 'You have' : 'Somebody has';
    return `${by} asked for that already: the request is open in the approvals channel.`;
  }
  const now = deps.now();
  const holder = (await deps.links.ofAccount(acctId))?.userId ?? null;
  const isOwnCard = await isOwnCardOf(action.actor.userId, acctId, deps);
  const counts = action.roles.includes('approver') && !isOwnCard;
  const request: LimitRequest = {
    id,
    action: Action.parse({ ...action, changeRequest: { goals: goalsOf(changes), term } }),
    acctId,
    card,
    holder,
    changes,
    term,
    needed: others + (counts ? 1 : 0),
    approvals: counts ? [{ by: action.actor.userId, at: now.toISOString() }] : [],
    state: 'open',
    unsure: null,
    inFlight: [],
    note: '',
    decidedBy: null,
    decidedAt: null,
    decision: null,
    expiresAt: new Date(now.getTime() + REQUEST_MS).toISOString(),
    remindedAt: null,
    temporaryChangeId: null,
  };
  // The same action again after a crash finds its request; what others decided meanwhile stays.
  const known = await deps.requests.get(id);
  if (known === null) await deps.requests.save(request);
  await deps.postRequest(known ?? request);
  await deps.scheduleRequest(id);
  return whyAsked(asked, isOwnCard, deps);
}

function isSame({ acctId, changes, action }: LimitRequest, asked: Asked): boolean {
  return acctId === asked.acctId && isSameGoals(changes, asked.changes) && action.verb === asked.action.verb;
}

function whyAsked({ action }: Asked, isOwnCard: boolean, deps: ActionDeps): string {
  const asked = 'I asked in the approvals channel.';
  if (action.verb === 'ask') return 'I asked the approvers; you hear from me when they have decided.';
  if (isOwnCard) return `It is your own card, so it takes another approver. ${asked}`;
  const above = formatCents(deps.twoPersonAboveCents);
  return `A raise of more than ${above} within 24 hours needs a second approver. ${asked}`;
}
