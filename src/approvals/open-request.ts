import { blocksNeedTwo } from '../../templates/approvals/why-approvals.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { cardRaw } from '../../templates/core/card-words.ts';
import { alsoToAsk, isInSlack } from '../../templates/limits/also-needed-words.ts';
import { countedText, otherApprovers, whyOthers } from '../../templates/limits/counted-words.ts';
import { alertIdOf, requestIdOf } from '../actions/action.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import type { BlockAllAction } from '../actions/verbs.ts';
import { goalsOf, isSameGoals, type RuleGoal, type Term } from '../card-api/rule-change.ts';
import type { AskedChange, RequestOpened } from '../limits/change-rule.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { ruleStates } from '../limits/rule-words.ts';
import { REQUEST_MS } from '../policy/decide-action.ts';
import type { OrderReason, OrderTerms } from '../virtual-cards/order.ts';
import {
  type ApprovalRequest,
  accountIn,
  askedTerm,
  changesFromNow,
  goalsLeft,
  isAboutRules,
  isChanged,
  type OpenRequest,
  payCentsOf,
} from './request.ts';
import { type GatherFacts, noFacts } from './request-facts.ts';
import type { Requests } from './request-store.ts';
import type { AskAction } from './verbs.ts';

/** A change that others decide, requested by an approver or by the cardholder. */
export interface RequestedChange extends AskedChange<ApprovalRequest['action']> {
  /** Set for an order of a virtual card. */
  readonly order?: {
    readonly cents: number;
    readonly isOwn: boolean;
    readonly why: OrderReason | null;
    readonly terms: OrderTerms;
  };
}

/** What an action asked of others. The changes are relative to the rules of now. */
interface AnnouncedRequest
  extends RequestOpened,
    Pick<ApprovalRequest, 'card' | 'changes' | 'term' | 'counted' | 'needed' | 'approvals' | 'voided'> {}

interface AnnounceDeps extends Pick<ActionTools, 'record'> {
  readonly rights: Pick<Rights, 'isOwnCard'>;
  readonly requests: Pick<Requests, 'get'>;
  readonly postRequest: (request: ApprovalRequest) => Promise<void>;
  /** Starts the reminder and expiry timer of a request. */
  readonly scheduleAgeRequest: (requestId: string) => Promise<void>;
}

export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements(deps: AnnounceDeps) {
  return {
    announceRequest,
    /**
     * Continues the request that an earlier attempt of the action opened. Whatever the action would be by now, it stays a
     * request. Null: no attempt opened one.
     */
    async resumeRequest(actionId: string): Promise<AnnouncedRequest | null> {
      const request = await deps.requests.get(requestIdOf(actionId));
      return request === null ? null : await announceRequest(request);
    },
  };

  /** Puts a stored request on record as waiting, and asks those who decide it. Idempotent. */
  async function announceRequest(request: ApprovalRequest): Promise<AnnouncedRequest> {
    const announced = { ...request, changes: changesFromNow(request) };
    await recordWaiting(announced, deps);
    // What others decided since stays. They were all told of it.
    if (request.state !== 'open')
      return { ...announced, kind: 'decided', note: 'This was asked for already, and the request is decided.' };
    const { id, action, acctId } = request;
    await deps.postRequest(request);
    await deps.scheduleAgeRequest(id);
    const isOwnCard = isAboutRules(request) && (await deps.rights.isOwnCard(action.actor.userId, acctId));
    return { ...announced, kind: 'opened', note: whyAsked(request, isOwnCard) };
  }
}

type Waiting = Pick<ApprovalRequest, 'action' | 'acctId' | 'card' | 'changes' | 'counted'>;

/**
 * Only once the request is saved: what is on record as waiting must be waiting, whatever the action would be by now. The
 * changes of an approver are put on record with their outcome.
 */
async function recordWaiting(
  { action, acctId, card, changes, counted }: Waiting,
  { record }: Pick<ActionTools, 'record'>,
): Promise<void> {
  const waiting = { event: 'waiting', begins: true } as const;
  if (action.verb === 'order-virtual') await record(action, { ...waiting, acctId: null });
  if (action.verb === 'block-all') await record(action, { ...waiting, detail: countOf(action.acctIds.length, 'card') });
  if (action.verb !== 'ask') return;
  const detail = counted === null ? 'asked by the holder' : `asked by the holder: ${countedText(counted)}`;
  await record(action, { ...waiting, acctId, cardId: card.cardId, before: ruleStates(changes, 'from'), detail });
}

interface Deps extends Pick<ActionTools, 'now' | 'record'> {
  readonly rights: Pick<Rights, 'isOwnCard' | 'rolesNow'>;
  readonly requests: Requests;
  readonly links: { ofAccount(acctId: number): Promise<{ readonly userId: string } | null> };
  readonly gatherFacts: GatherFacts;
  readonly raises: Pick<RaiseAmounts, 'changesFromBase' | 'temporaryValues'>;
  readonly announceRequest: Announcements['announceRequest'];
}

/**
 * Opens a request that others decide. An approver who asks about another person's card counts as the first approval.
 *
 * Asking for the same change again while its request is open returns that request: if the same person asks, also after
 * an approver has changed it; for a holder, if it is also for the same purchase. Runs under the account's lock.
 */
export function createOpenRequest(deps: Deps): (asked: RequestedChange) => Promise<RequestOpened> {
  return async function openRequest(asked) {
    const { action, acctId, order } = asked;
    const { userId } = action.actor;
    // First: after the decision somebody may have asked for the same again.
    const earlier = await deps.requests.get(requestIdOf(action.id));
    if (earlier !== null) return await deps.announceRequest(earlier);
    const twin = (await deps.requests.open()).find((request) => isSame(request, asked));
    const isOwnTwin = twin?.action.actor.userId === userId;
    // One that was decided meanwhile asks nobody any more.
    if (twin !== undefined && (isOwnTwin || (await deps.requests.addAsker(twin.id, userId)) !== null)) {
      await recordWaiting(asked, deps);
      // A holder is not in the approvals channel.
      if (action.verb === 'ask') return { kind: 'twin', note: `${hearsEnd} To withdraw it, open the Home tab.` };
      const where = 'asked for that already: the request is open in the approvals channel.';
      const hears = 'I’ll message you if it ends without that change.';
      return { kind: 'twin', note: isOwnTwin ? `You have ${where}` : `Somebody has ${where} ${hears}` };
    }
    const isOwnCard = order?.isOwn ?? (isAboutRules(asked) && (await deps.rights.isOwnCard(userId, acctId)));
    return await deps.announceRequest(await save(requestIdOf(action.id), asked, isOwnCard));
  };

  async function save(id: string, asked: RequestedChange, isOwnCard: boolean): Promise<ApprovalRequest> {
    const { action, acctId, card, changes, term, others, counted, order } = asked;
    const now = deps.now();
    // A card that does not exist yet has no facts.
    const { isBlocked, facts } =
      order === undefined ? await deps.gatherFacts(id, asked, payCentsOf(asked)) : { isBlocked: false, facts: noFacts };
    const by = action.actor.userId;
    // The roles of the action may be those for any card, which is not enough to approve for several.
    const roles = await deps.rights.rolesNow(action, accountIn(asked));
    const countsAsApproval = roles.includes('approver') && !isOwnCard;
    const request: OpenRequest = {
      id,
      action,
      acctId,
      card,
      holder: (await deps.links.ofAccount(acctId))?.userId ?? null,
      orderCents: order?.cents ?? null,
      orderWhy: order?.why ?? null,
      orderTerms: order?.terms ?? null,
      isOwnCard: isOwnCard && action.verb !== 'ask',
      goals: goalsOf(changes),
      changes: await deps.raises.changesFromBase(changes, term, acctId),
      temporary: await deps.raises.temporaryValues(changes, acctId),
      term,
      needed: others + (countsAsApproval ? 1 : 0),
      approvals: countsAsApproval ? [{ by, at: now.toISOString(), actionId: null }] : [],
      voided: [],
      isBlocked,
      facts,
      counted,
      inFlight: [],
      note: '',
      expiresAt: new Date(now.getTime() + REQUEST_MS).toISOString(),
      remindedAt: null,
      revision: 0,
      state: 'open',
    };
    return await deps.requests.add(request);
  }
}

const hearsEnd = 'I’ll message you when the approvers have decided, or when the request expires.';

function whyAsked({ action, counted, needed, isBlocked, card, facts }: OpenRequest, isOwnCard: boolean): string {
  const asked = 'I asked in the approvals channel.';
  if (action.verb === 'block-all') return `${blocksNeedTwo} ${asked}`;
  if (action.verb === 'ask') {
    const blocked = `Your ${cardRaw(card)} is blocked. More money does not help until it is unblocked.`;
    // What approvers can change as well is asked for once this is decided.
    const also = alsoToAsk(facts.alsoNeeds?.filter((kind) => !isInSlack(kind)));
    return [isBlocked ? blocked : '', also, hearsEnd].filter(Boolean).join(' ');
  }
  const much = counted === null ? '' : whyOthers(counted, needed);
  const own = isOwnCard ? `It is your own card, so it needs ${otherApprovers(needed)}.` : '';
  return [much, own, asked].filter(Boolean).join(' ');
}

/** A holder asks for a purchase: approvers see which one, and the change ends with it. */
function isSamePurchase(one: AskAction, other: AskAction): boolean {
  // Nobody can approve the request of whoever no longer holds the card, and only that person hears of it.
  if (one.actor.userId !== other.actor.userId) return false;
  const alertId = alertIdOf(other);
  // A command names no purchase.
  const isNamed = alertId === null || alertId === alertIdOf(one);
  return isNamed && one.ask.amountCents === other.ask.amountCents;
}

/** Whether a holder asks once more for what they have asked, as far as that can be said without the card's rules. */
export function isAskedAgain(one: AskAction, other: AskAction): boolean {
  return isSamePurchase(one, other) && JSON.stringify(one.ask.term) === JSON.stringify(other.ask.term);
}

function cardsOf({ acctIds, last4s = [] }: BlockAllAction): string[] {
  return acctIds.map((acctId, index) => `${acctId} ${last4s[index] ?? ''}`);
}

function isSame(request: ApprovalRequest, asked: RequestedChange): boolean {
  const { acctId, changes, term, action } = request;
  // Two orders are two cards.
  if (asked.order !== undefined) return false;
  const [one, other] = [action, asked.action];
  if (one.verb === 'block-all' && other.verb === 'block-all') {
    // More cards may be declined together by now, or other ones. Nobody was asked about those.
    const isAsked = cardsOf(other).every((card) => cardsOf(one).includes(card));
    return isAsked && one.target.alertId === other.target.alertId;
  }
  if (one.verb === 'ask' && other.verb === 'ask' && !isSamePurchase(one, other)) return false;
  // Approvers were shown one declined purchase, and the change ends with it.
  if (other.verb !== 'ask' && asked.term.kind === 'purchase' && alertIdOf(one) !== alertIdOf(other)) return false;
  // A request for an hour must not be approved as a permanent one.
  const isIt = (goals: readonly RuleGoal[], lasts: Term) =>
    isSameGoals(goals, asked.changes) && JSON.stringify(lasts) === JSON.stringify(asked.term);
  const { userId } = asked.action.actor;
  const isOwn = action.actor.userId === userId;
  const hasAsked = isOwn || request.askedToo?.includes(userId) === true;
  // Whoever asked may not know what an approver has changed it to. A second request of theirs would undo that.
  const wasIt = hasAsked && request.amended !== undefined && isIt(goalsLeft(request), askedTerm(request));
  // For somebody else it must still be what was asked for: only a change of that is told to them at the end.
  const isSameChange = wasIt || (isIt(changes, term) && (isOwn || !isChanged(request)));
  return acctId === asked.acctId && isSameChange && action.verb === asked.action.verb;
}
