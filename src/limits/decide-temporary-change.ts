import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { isLooser, reversed } from '../card-api/rule-change.ts';
import type { Lease } from '../core/lock.ts';
import type { ApprovalPolicy } from '../policy/approval-policy.ts';
import { decide } from '../policy/decide.ts';
import type { Restore } from './end-temporary-change.ts';
import type { NotifyEnd } from './notify-end.ts';
import { ruleNames } from './rule-words.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { limitVerbs, type TemporaryChangeAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'withLock' | 'hasBegun' | 'refuse' | 'now'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly permitDecision: PermitDecision;
  readonly restore: Restore;
  readonly notifyEnd: NotifyEnd;
}

/**
 * *Take back now*, and the answer to "somebody changed it meanwhile": restore the rules, or leave them.
 *
 * Runs under the account's lock, so of two people who press at once the second finds it done. The returned function
 * throws CardApiError when the job should run again.
 */
export function createDecideTemporaryChange(deps: Deps): (action: TemporaryChangeAction) => Promise<void> {
  return async function decideTemporaryChange(action) {
    const { temporaryChangeId } = action.target;
    const acctId = (await deps.temporaryChanges.get(temporaryChangeId))?.acctId;
    if (acctId === undefined) return await refuse(action, 'This change is too old.', 'Look at the card.');
    await deps.withLock(`account:${acctId}`, async (lease) => {
      const temporaryChange = await deps.temporaryChanges.get(temporaryChangeId);
      if (temporaryChange !== null) await decideNow(action, temporaryChange, lease);
    });
  };

  async function decideNow(
    action: TemporaryChangeAction,
    temporaryChange: TemporaryChange,
    lease: Lease,
  ): Promise<void> {
    const { state, closedBy, changes } = temporaryChange;
    // Done by this very click, before a crash.
    const isOwnEnd = closedBy === action.actor.userId && (await deps.hasBegun(action));
    if (isOwnEnd) return await deps.notifyEnd.show(temporaryChange);
    const expected = action.verb === 'complete-temporary-change' ? 'asking' : 'open';
    if (state !== expected) return await refuse(action, overWords[state], 'Nothing is left to be done.');
    const why = await deps.permitDecision(action, temporaryChange);
    if (why !== null) return await refuse(action, why, 'Ask an approver.');
    if (action.verb === 'complete-temporary-change' && !action.restore) {
      const over = { closedAt: deps.now().toISOString(), closedBy: action.actor.userId };
      return await deps.notifyEnd.notify({ ...temporaryChange, ...over, state: 'kept' }, action);
    }
    const after = await deps.restore(temporaryChange, action.actor, lease);
    await deps.notifyEnd.notify(after, action);
    if (after.state !== 'asking') return;
    const left = `Somebody changed the ${ruleNames(changes)} meanwhile, so I left it.`;
    await refuse(action, left, 'The question is in the channel for requests.');
  }

  async function refuse(action: Action, why: string, whoCan: string): Promise<void> {
    await deps.refuse(action, { what: 'Taking it back', why, whoCan });
  }
}

const overWords: Readonly<Record<TemporaryChange['state'], string>> = {
  open: 'It still runs.',
  asking: 'Its time is over, but somebody changed it meanwhile: an approver has to decide.',
  ended: 'It was put back already.',
  kept: 'It was decided already to leave it as it is.',
  refused: 'The card service refused to put it back.',
  superseded: 'A later change took its place.',
};

/** Asks the policy, and puts on record what was asked. Answers with why it may not be, one sentence; null when it may. */
type PermitDecision = (action: TemporaryChangeAction, temporaryChange: TemporaryChange) => Promise<string | null>;

interface PermitDeps extends Pick<ActionTools, 'record' | 'factsOf'> {
  readonly links: { wasHolderLately(userId: string, acctId: number): Promise<boolean> };
  readonly policyOfCard: (acctId: number) => Promise<ApprovalPolicy>;
}

export function createPermitDecision({ record, factsOf, links, policyOfCard }: PermitDeps): PermitDecision {
  return async function permitDecision(action, { id, acctId, changes }) {
    // Taking back what was lowered for a while is a raise.
    const isRaise = isLooser(reversed(changes));
    const verb = action.verb === 'complete-temporary-change' || isRaise ? 'complete-temporary-change' : 'revert';
    const isOwnCard = await links.wasHolderLately(action.actor.userId, acctId);
    const question = { roles: action.roles, isOwnCard };
    const verdict = decide(limitVerbs[verb].permission, question, await policyOfCard(acctId));
    if (verdict.kind === 'refused') return verdict.why;
    const { cardId } = await factsOf(acctId);
    await record(action, { event: 'asked', isFirst: true, acctId, cardId, detail: id });
    return null;
  };
}
