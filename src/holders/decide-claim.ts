import { claimDecided } from '../../templates/holders/claim-answers.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import type { Claim } from './claim-store.ts';
import { setLink } from './set-link.ts';

/**
 * An approver's yes or no to "I hold this card". One decision, never by the one who claims.
 *
 * Runs under the claim's lock, so of two people who press at once one decides and the other is told.
 */
export async function decideClaim(action: Action, deps: ActionDeps): Promise<void> {
  const claimId = action.target.kind === 'claim' ? action.target.claimId : '';
  await deps.withLock(`claim:${claimId}`, async () => {
    const claim = await deps.claims.get(claimId);
    const no = (why: string, whoCan: string) => refuse(action, { what: 'Your decision', why, whoCan }, deps);
    if (claim === null) return await no('This claim is too old.', 'Have it claimed again.');
    if (claim.state !== 'open' && claim.decision !== action.id) {
      return await no(`This claim is ${claim.state} already.`, 'Nothing is left to decide.');
    }
    if (claim.action.actor.userId === action.actor.userId) {
      return await no('You claim this card yourself.', 'It takes somebody else who approves.');
    }
    if (claim.decision !== action.id && deps.now().toISOString() > claim.expiresAt) {
      await expire(claim, deps);
      return await no('This claim expired without a decision.', 'Have it claimed again.');
    }
    await decide(action, claim, deps);
  });
}

/** Nobody decided in time. Safe to repeat. */
export async function endClaim(claimId: string, deps: ActionDeps): Promise<void> {
  await deps.withLock(`claim:${claimId}`, async () => {
    const claim = await deps.claims.get(claimId);
    if (claim?.state === 'open') await expire(claim, deps);
  });
}

async function expire(claim: Claim, deps: ActionDeps): Promise<void> {
  const { userId } = claim.action.actor;
  await settle({ ...claim, state: 'expired', decidedAt: claim.expiresAt }, deps);
  await deps.notifyDirectly(userId, `${claim.id}-expired`, claimDecided({ state: 'expired', by: null }));
}

async function decide(action: Action, claim: Claim, deps: ActionDeps): Promise<void> {
  const { target, actor } = action;
  const choice = target.kind === 'claim' ? target.choice : null;
  const acctId = choice === null ? null : (claim.acctIds[choice] ?? null);
  const at = deps.now().toISOString();
  const userId = claim.action.actor.userId;
  const decided = { decidedBy: actor.userId, decidedAt: at, decision: action.id } as const;
  if (acctId === null) {
    if ((await deps.progress.read(action.id)) === null) {
      const facts = { acctId: null, cardId: null, before: null, after: userId, detail: claim.id };
      await deps.audit.append(auditRecord(action, 'denied', facts, deps));
      await deps.progress.write(action.id, { state: 'asked' });
    }
    await settle({ ...claim, ...decided, state: 'refused' }, deps);
    const message = claimDecided({ state: 'refused', by: actor.userId });
    return await deps.notifyDirectly(userId, `${claim.id}-refused`, message);
  }
  await deps.withLock(`account:${acctId}`, async () => {
    await setLink(action, null, { acctId, userId, provedBy: 'approver', by: actor.userId, at }, deps);
  });
  await settle({ ...claim, ...decided, state: 'confirmed', acctId }, deps);
}

async function settle(claim: Claim, deps: ActionDeps): Promise<void> {
  // The message's place may have become known meanwhile.
  const ref = (await deps.claims.get(claim.id))?.ref ?? claim.ref;
  await deps.claims.save({ ...claim, ref });
  await deps.updateClaim(claim.id);
}
