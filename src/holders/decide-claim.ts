import { claimDecided } from '../../templates/holders/claim-answers.ts';
import { linkEnded, linkUnchanged } from '../../templates/holders/link-result.ts';
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
import { type Links, linkedHolder } from './link-store.ts';
import type { DecideClaimAction } from './verbs.ts';

type ConfirmedClaim = Extract<Claim, { state: 'confirmed' }>;
type ExpiredClaim = Extract<Claim, { state: 'expired' }>;
type RefusedClaim = Extract<Claim, { state: 'refused' }>;

interface Deps extends Pick<ActionTools, 'notifyDirectly' | 'record' | 'withLock'> {
  readonly responses: Pick<Responses, 'refuse'>;
  readonly claims: Pick<Claims, 'get' | 'save'>;
  readonly judgeClaim: ReturnType<typeof createJudgeClaim>;
  readonly confirmClaim: ReturnType<typeof createConfirmClaim>;
  readonly updateClaim: (claimId: string) => Promise<void>;
}

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
  const { claims, record, responses, updateClaim, notifyDirectly } = deps;
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
        const claim = await claims.get(claimId);
        if (claim?.state === 'open' || claim?.state === 'expired') await expire({ ...claim, state: 'expired' });
      });
    },
  };

  async function decide(action: DecideClaimAction, claimId: string, lease: Lease): Promise<void> {
    const claim = await claims.get(claimId);
    const over = (why: string, whoCan: string) => responses.refuse(action, { why, whoCan });
    if (claim === null) return await over('This claim is too old.', 'Ask them to claim it again.');
    // This click decided it before a crash, so some people may not have been notified.
    if (claim.state === 'refused' && isDecidedBy(claim, action.id)) return await refuse(action, claim);
    if (claim.state === 'confirmed' && isDecidedBy(claim, action.id)) return await confirm(action, claim);
    if (claim.state !== 'open')
      return await over(`This claim is ${claim.state} already.`, 'Nothing is left to decide.');
    const judged = await deps.judgeClaim(action, claim);
    if ('why' in judged) {
      if (judged.isOutdated === true) await updateClaim(claimId);
      return await responses.refuse(action, judged, judged.about);
    }
    if (judged.state === 'refused') return await refuse(action, judged);
    if (judged.state === 'expired') {
      await expire(judged);
      return await over('This claim expired without a decision.', 'Ask them to claim it again.');
    }
    await lease.confirm();
    await confirm(action, judged);
  }

  /** Idempotent. */
  async function expire(claim: ExpiredClaim): Promise<void> {
    // Saved first: if the process crashed before this, someone could still decide it and two endings would be recorded.
    await claims.save(claim);
    const detail = `${claim.id} expired without a decision`;
    await record(claim.action, { event: 'ended', isByItself: true, acctId: null, detail });
    await announce(claim, null);
  }

  /** Idempotent. Its link announces it to the claimant. */
  async function confirm(action: DecideClaimAction, claim: ConfirmedClaim): Promise<void> {
    await deps.confirmClaim(action, claim);
    await updateClaim(claim.id);
  }

  /** Idempotent. */
  async function refuse(action: DecideClaimAction, claim: RefusedClaim): Promise<void> {
    // Saved first: if the process crashed before this, someone else could confirm it and two endings would be recorded.
    await claims.save(claim);
    await record(action, { event: 'denied', acctId: null, after: claim.action.actor.userId, detail: claim.id });
    await announce(claim, claim.decision.by);
  }

  async function announce({ id, state, action, card }: ExpiredClaim | RefusedClaim, by: string | null): Promise<void> {
    await updateClaim(id);
    const decided = claimDecided({ state, by, isUnlink: action.verb === 'unlink', linkOf: card.linkOf });
    await notifyDirectly(action.actor.userId, `${id}-${state}`, decided);
  }
}

interface JudgeDeps extends Pick<ActionTools, 'factsOf' | 'now' | 'person'> {
  readonly rights: Pick<Rights, 'authorize' | 'mayAct' | 'whoMay'>;
  readonly links: Pick<Links, 'ofAccount'>;
}

/** Why a person may not decide a claim, and what the refusal is about. */
type NotAllowed = Refusal & { readonly about: Parameters<Responses['refuse']>[2] };

/**
 * What becomes of a claim by a decision, or why the person may not make it.
 *
 * The returned function throws RolesUnreadError when it could not be read who approves for the card. A retry may help.
 */
export function createJudgeClaim({ rights, links, factsOf, person, now }: JudgeDeps) {
  return async function judgeClaim(action: DecideClaimAction, claim: OpenClaim): Promise<ClosedClaim | NotAllowed> {
    const { acctId } = claim.card;
    // So far the person is known to approve for some card.
    const isApprover = await rights.mayAct(action, acctId);
    if (isApprover === null) throw unreadGroup();
    const about = { isNotPermitted: true };
    if (!isApprover) {
      const whoCan = await othersFor(action, 'approver', acctId);
      return { why: 'Only approvers of other cards may decide this claim.', whoCan, about };
    }
    if (claim.action.actor.userId === action.actor.userId)
      return { why: 'You claim this card yourself.', whoCan: 'Somebody else has to confirm it.', about };
    return now().toISOString() > claim.expiresAt ? { ...claim, state: 'expired' } : await judgeDecision(action, claim);
  };

  async function judgeDecision(action: DecideClaimAction, claim: OpenClaim): Promise<ClosedClaim | NotAllowed> {
    const { confirms } = action.target;
    const { acctId } = claim.card;
    const claimant = claim.action.actor.userId;
    const decision = { actionId: action.id, by: action.actor.userId, at: now().toISOString() };
    const heldBy = await linkedHolder(acctId, links);
    if (confirms && !isLinkedSince(claim, heldBy) && !isAsSeen(action, claim, heldBy))
      return { ...changedHands, about: { acctId } };
    const verdict = await rights.authorize(action, { acctId, notInPlaceOf: [claimant] });
    if (verdict.kind === 'refused') {
      const whoCan = await othersFor(action, verdict.who, acctId);
      return { why: verdict.why, whoCan, about: { acctId, isNotPermitted: true } };
    }
    if (!confirms) return { ...claim, state: 'refused', decision };
    // They may have left since.
    const why = claim.action.verb === 'unlink' ? null : whyNoHolder(await person(claimant));
    if (why !== null) return { why, whoCan: 'Refuse the claim.', about: { acctId } };
    return { ...claim, state: 'confirmed', decision };
  }

  /** Sends the person to others who may decide about this card. */
  async function othersFor(action: DecideClaimAction, role: Role | null, acctId: number) {
    return await askOthers(action, role, (await factsOf(acctId)).group, { rights });
  }
}

interface ConfirmDeps extends Pick<ActionTools, 'factsOf' | 'hasBegun' | 'notifyDirectly' | 'record'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly claims: Pick<Claims, 'save'>;
  readonly links: Pick<Links, 'expectHolder' | 'expectNoHolder' | 'ofAccount'>;
  readonly setHolder: SetHolder;
}

/** Links the claimed card to the claimant, or ends its link. Idempotent. */
export function createConfirmClaim(deps: ConfirmDeps) {
  const { links } = deps;

  return async function confirmClaim(action: DecideClaimAction, claim: ConfirmedClaim): Promise<void> {
    const { acctId } = claim.card;
    const { verb, actor } = claim.action;
    // An open claim makes it the claimant's own card, and so does the link. In between, this does.
    if (verb === 'claim') await links.expectHolder(acctId, actor.userId);
    // Saved first: if the process crashed before this, someone else could refuse a claim whose card is linked already.
    await deps.claims.save(claim);
    if (await takeEffect(action, claim)) return await notifyClaimant(claim);
    await links.expectNoHolder(acctId, actor.userId);
    const unchanged = linkUnchanged({ card: await deps.factsOf(acctId), heldBy: await linkedHolder(acctId, links) });
    await deps.responses.answer(action, unchanged);
    // No link tells them. Of a card that they only claim to hold, they do not learn who does.
    if (verb === 'unlink') await deps.notifyDirectly(actor.userId, `${claim.id}-unchanged`, unchanged);
  };

  /** The link tells whoever it was given to or taken from. Whoever asked to end that of somebody else learns it here. */
  async function notifyClaimant({ id, action, card: { acctId, linkOf } }: ConfirmedClaim): Promise<void> {
    if (linkOf === undefined) return;
    const ended = linkEnded({ card: await deps.factsOf(acctId), heldNow: await linkedHolder(acctId, links) });
    await deps.notifyDirectly(action.actor.userId, `${id}-confirmed`, ended);
  }

  /** @returns false if nothing changed, because somebody else has decided who holds the card. That is on record. */
  async function takeEffect(action: DecideClaimAction, claim: ConfirmedClaim): Promise<boolean> {
    const { acctId } = claim.card;
    const { verb, actor } = claim.action;
    const heldBy = await linkedHolder(acctId, links);
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
}
