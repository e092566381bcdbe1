import { claimDecided } from '../../templates/holders/claim-answers.ts';
import { linkUnchanged } from '../../templates/holders/link-result.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { askOthers } from '../actions/ask-others.ts';
import { isDecidedBy } from '../core/decided-record.ts';
import type { Lease } from '../core/lock.ts';
import { unreadGroup } from '../policy/authorize.ts';
import type { Role } from '../policy/decide-action.ts';
import {
  type Claim,
  type Claims,
  type ClosedClaim,
  hasSeenHolder,
  isLinkedSince,
  type OpenClaim,
} from './claim-store.ts';
import { type SetHolder, whyNoHolder } from './link-card.ts';
import type { Links } from './link-store.ts';
import type { DecideClaimAction } from './verbs.ts';

interface Deps
  extends Pick<ActionTools, 'factsOf' | 'hasBegun' | 'notifyDirectly' | 'now' | 'person' | 'record' | 'withLock'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly rights: Pick<Rights, 'authorize' | 'mayAct' | 'whoMay'>;
  readonly claims: Pick<Claims, 'get' | 'save'>;
  readonly links: Pick<Links, 'expectHolder' | 'expectNoHolder' | 'ofAccount'>;
  readonly setHolder: SetHolder;
  readonly updateClaim: (claimId: string) => Promise<void>;
}

type ConfirmedClaim = Extract<Claim, { state: 'confirmed' }>;
type ExpiredClaim = Extract<Claim, { state: 'expired' }>;

const changedHands = {
  why: 'Who holds the card has changed since you saw the claim.',
  whoCan: 'Look at the claim: it shows that now. Confirm again if you agree.',
  isOutdated: true,
} as const;

function isAsSeen({ target }: DecideClaimAction, { action }: Claim, heldBy: string | null): boolean {
  // Already in the requested state, through this click before a crash.
  const isDone = heldBy === (action.verb === 'unlink' ? null : action.actor.userId);
  return isDone || hasSeenHolder(target, heldBy);
}

/** Claims end under their lock: if two people press at once, one decides and the other is notified. */
export function createClaimDecisions(deps: Deps) {
  return {
    /**
     * An approver confirms or denies who holds a card. One decision is enough, but never by the claimant or for one's
     * own card.
     */
    async decideClaim(action: DecideClaimAction): Promise<void> {
      const { claimId } = action.target;
      await deps.withLock(`claim:${claimId}`, (lease) => decide(action, claimId, lease));
    },
    /** Nobody decided in time. Idempotent. */
    async endClaim(claimId: string): Promise<void> {
      await deps.withLock(`claim:${claimId}`, async () => {
        const claim = await deps.claims.get(claimId);
        if (claim?.state === 'open' || claim?.state === 'expired') await expire({ ...claim, state: 'expired' }, deps);
      });
    },
  };

  async function decide(action: DecideClaimAction, claimId: string, lease: Lease): Promise<void> {
    const claim = await deps.claims.get(claimId);
    const refuse = (why: string, whoCan: Refusal['whoCan']) =>
      deps.responses.refuse(action, { why, whoCan }, { isByRights: true });
    const over = (why: string, whoCan: string) => deps.responses.refuse(action, { why, whoCan });
    if (claim === null) return await over('This claim is too old.', 'Ask them to claim it again.');
    // This click decided it before a crash, so some people may not have been notified.
    if (claim.state === 'refused' && isDecidedBy(claim, action.id)) return await refuseClaim(action, claim, deps);
    if (claim.state === 'confirmed' && isDecidedBy(claim, action.id)) return await confirmClaim(action, claim, deps);
    if (claim.state !== 'open')
      return await over(`This claim is ${claim.state} already.`, 'Nothing is left to decide.');
    // So far the person is known to approve for some card.
    const isApprover = await deps.rights.mayAct(action, claim.card.acctId);
    if (isApprover === null) throw unreadGroup();
    if (!isApprover) {
      const whoCan = await othersFor(action, 'approver', claim.card.acctId, deps);
      return await refuse('Only approvers of other cards may decide this claim.', whoCan);
    }
    if (claim.action.actor.userId === action.actor.userId) {
      return await refuse('You claim this card yourself.', 'Somebody else has to confirm it.');
    }
    if (deps.now().toISOString() > claim.expiresAt) {
      await expire({ ...claim, state: 'expired' }, deps);
      return await over('This claim expired without a decision.', 'Ask them to claim it again.');
    }
    await confirmOrRefuse(action, claim, lease);
  }

  async function confirmOrRefuse(action: DecideClaimAction, claim: OpenClaim, lease: Lease): Promise<void> {
    const { confirms } = action.target;
    const { acctId } = claim.card;
    const claimant = claim.action.actor.userId;
    const decision = { actionId: action.id, by: action.actor.userId, at: deps.now().toISOString() };
    const heldBy = await holderOf(acctId, deps);
    if (confirms && !isLinkedSince(claim, heldBy) && !isAsSeen(action, claim, heldBy)) {
      await deps.updateClaim(claim.id);
      return await deps.responses.refuse(action, changedHands, { acctId });
    }
    const verdict = await deps.rights.authorize(action, { acctId, notInPlaceOf: [claimant] });
    if (verdict.kind === 'refused') {
      const whoCan = await othersFor(action, verdict.who, acctId, deps);
      return await deps.responses.refuse(action, { why: verdict.why, whoCan }, { acctId, isByRights: true });
    }
    if (!confirms) return await refuseClaim(action, { ...claim, state: 'refused', decision }, deps);
    // They may have left since.
    const why = claim.action.verb === 'unlink' ? null : whyNoHolder(await deps.person(claimant));
    if (why !== null) return await deps.responses.refuse(action, { why, whoCan: 'Refuse the claim.' }, { acctId });
    await lease.confirm();
    await confirmClaim(action, { ...claim, state: 'confirmed', decision }, deps);
  }
}

/** Sends the person to others who may decide about this card. */
async function othersFor(action: DecideClaimAction, role: Role | null, acctId: number, deps: Deps) {
  return await askOthers(action, role, (await deps.factsOf(acctId)).group, deps);
}

/** Idempotent. */
async function expire(claim: ExpiredClaim, deps: Deps): Promise<void> {
  // Saved first: if the process crashed before this, someone could still decide it and two endings would be recorded.
  await deps.claims.save(claim);
  const detail = `${claim.id} expired without a decision`;
  await deps.record(claim.action, { event: 'ended', isByItself: true, acctId: null, detail });
  await announce(claim, deps);
}

/** Idempotent. */
async function confirmClaim(action: DecideClaimAction, claim: ConfirmedClaim, deps: Deps): Promise<void> {
  const { acctId } = claim.card;
  // An open claim makes it the claimant's own card, and so does the link. In between, this does.
  if (claim.action.verb === 'claim') await deps.links.expectHolder(acctId, claim.action.actor.userId);
  // Saved first: if the process crashed before this, someone else could refuse a claim whose card is linked already.
  await deps.claims.save(claim);
  if (!(await takeEffect(action, claim, deps))) {
    await deps.links.expectNoHolder(acctId, claim.action.actor.userId);
    const shown = { card: await deps.factsOf(acctId), heldBy: await holderOf(acctId, deps) };
    await deps.responses.answer(action, linkUnchanged(shown));
    // No link tells them. Of a card that they only claim to hold, they do not learn who does.
    const { verb, actor } = claim.action;
    if (verb === 'unlink') await deps.notifyDirectly(actor.userId, `${claim.id}-unchanged`, linkUnchanged(shown));
  }
  await announce(claim, deps);
}

/** @returns false if nothing changed, because somebody else has decided who holds the card. That is on record. */
async function takeEffect(action: DecideClaimAction, claim: ConfirmedClaim, deps: Deps): Promise<boolean> {
  const { acctId } = claim.card;
  const { verb, actor } = claim.action;
  const heldBy = await holderOf(acctId, deps);
  // Somebody may have linked the card to another person since. That stays.
  if (isLinkedSince(claim, heldBy) || !isAsSeen(action, claim, heldBy)) {
    if (await deps.hasBegun(action)) return true;
    const detail = 'somebody else has decided since who holds the card';
    await deps.record(action, { event: 'unchanged', acctId, detail });
    return false;
  }
  const userId = verb === 'unlink' ? null : actor.userId;
  const { isSame, heldNow } = await deps.setHolder(action, { acctId, cardId: null, userId, provedBy: 'approver' });
  return !isSame && heldNow === undefined;
}

async function holderOf(acctId: number, { links }: Deps): Promise<string | null> {
  return (await links.ofAccount(acctId))?.userId ?? null;
}

/** Idempotent. */
async function refuseClaim(action: DecideClaimAction, claim: ClosedClaim, deps: Deps): Promise<void> {
  // Saved first: if the process crashed before this, someone else could confirm it and two endings would be recorded.
  await deps.claims.save(claim);
  await deps.record(action, { event: 'denied', acctId: null, after: claim.action.actor.userId, detail: claim.id });
  await announce(claim, deps);
}

/** A confirmed claim is announced by its link. */
async function announce(claim: ClosedClaim, { updateClaim, notifyDirectly }: Deps): Promise<void> {
  await updateClaim(claim.id);
  if (claim.state === 'confirmed') return;
  const by = claim.state === 'refused' ? claim.decision.by : null;
  const { userId } = claim.action.actor;
  const isUnlink = claim.action.verb === 'unlink';
  await notifyDirectly(userId, `${claim.id}-${claim.state}`, claimDecided({ state: claim.state, by, isUnlink }));
}
