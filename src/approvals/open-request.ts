import { Action, requestIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { CardFacts } from '../alerts/alert.ts';
import { formatCents } from '../core/money.ts';
import type { ChangeRequest } from '../limits/change-request.ts';
import { isOwnCardOf } from '../limits/raise-amount.ts';
import { isSameValue, type RuleValue, targetsOf, wantedOf } from '../limits/rule-change.ts';
import { REQUEST_MS } from '../policy/decide.ts';
import type { LimitRequest } from './request-store.ts';

interface Asked {
  readonly action: Action;
  readonly changeRequest: ChangeRequest;
  readonly acctId: number;
  readonly card: CardFacts;
  readonly before: RuleValue;
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
  const { action, changeRequest, acctId, card, before, others } = asked;
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
    action: Action.parse({ ...action, changeRequest }),
    acctId,
    card,
    holder,
    changeRequest,
    before,
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

function isSame({ acctId, changeRequest, action }: LimitRequest, asked: Asked): boolean {
  return (
    acctId === asked.acctId &&
    targetsOf(changeRequest.change).join() === targetsOf(asked.changeRequest.change).join() &&
    isSameValue(wantedOf(changeRequest.change), wantedOf(asked.changeRequest.change)) &&
    action.verb === asked.action.verb
  );
}

function whyAsked({ action }: Asked, isOwnCard: boolean, deps: ActionDeps): string {
  const asked = 'I asked in the approvals channel.';
  if (action.verb === 'ask') return 'I asked the approvers; you hear from me when they have decided.';
  if (isOwnCard) return `It is your own card, so it takes another approver. ${asked}`;
  const above = formatCents(deps.twoPersonAboveCents);
  return `A raise of more than ${above} within 24 hours needs a second approver. ${asked}`;
}
