import type { Action } from '../actions/action.ts';
import { isLooser, reversed } from '../card-api/rule-change.ts';
import { decide } from '../policy/decide.ts';
import type { LimitDeps } from './deps.ts';
import { restore } from './end-temporary-change.ts';
import { notifyEnd, showEnd } from './notify-end.ts';
import { ruleNames } from './rule-words.ts';
import type { TemporaryChange } from './temporary-change-store.ts';
import { limitVerbs, type TemporaryChangeAction } from './verbs.ts';

/**
 * *Take back now*, and the answer to "somebody changed it meanwhile": restore the rules, or leave them.
 *
 * Runs under the account's lock, so of two people who press at once the second finds it done.
 *
 * @throws CardApiError when the job should run again.
 */
export async function decideTemporaryChange(action: TemporaryChangeAction, deps: LimitDeps): Promise<void> {
  const { temporaryChangeId } = action.target;
  const known = await deps.temporaryChanges.get(temporaryChangeId);
  if (known === null) return await no(action, 'This change is too old.', 'Look at the card.', deps);
  await deps.withLock(`account:${known.acctId}`, async () => {
    const temporaryChange = await deps.temporaryChanges.get(temporaryChangeId);
    if (temporaryChange === null) return;
    const isExpected =
      action.verb === 'settle_lease' ? temporaryChange.state === 'asking' : temporaryChange.state === 'open';
    // Done by this very click, before a crash.
    const isOwnEnd = temporaryChange.closedBy === action.actor.userId && (await deps.progress.read(action.id)) !== null;
    if (isOwnEnd) return await showEnd(temporaryChange, deps);
    if (!isExpected) return await no(action, overWords[temporaryChange.state], 'Nothing is left to be done.', deps);
    // Taking back what was lowered for a while is a raise.
    const isRaise = isLooser(reversed(temporaryChange.changes));
    const verb = action.verb === 'settle_lease' || isRaise ? 'settle_lease' : 'take_back';
    const isOwnCard = await deps.links.wasHolderLately(action.actor.userId, temporaryChange.acctId);
    const verdict = decide(limitVerbs[verb].permission, { roles: action.roles, isOwnCard }, deps);
    if (verdict.kind === 'refused') return await no(action, verdict.why, 'Ask an approver.', deps);
    await askedOnce(action, temporaryChange, deps);
    if (action.verb === 'settle_lease' && !action.restore) {
      const over = { closedAt: deps.now().toISOString(), closedBy: action.actor.userId };
      return await notifyEnd({ ...temporaryChange, ...over, state: 'kept' }, action, deps);
    }
    const after = await restore(temporaryChange, action.actor, deps);
    await notifyEnd(after, action, deps);
    if (after.state !== 'asking') return;
    const why = `Somebody changed the ${ruleNames(temporaryChange.changes)} meanwhile, so I left it.`;
    await no(action, why, 'The question is in the channel for requests.', deps);
  });
}

const overWords: Readonly<Record<TemporaryChange['state'], string>> = {
  open: 'It still runs.',
  asking: 'Its time is over, but somebody changed it meanwhile: an approver has to decide.',
  ended: 'It was put back already.',
  kept: 'It was decided already to leave it as it is.',
  refused: 'The card service refused to put it back.',
  superseded: 'A later change took its place.',
};

async function askedOnce(action: Action, temporaryChange: TemporaryChange, deps: LimitDeps): Promise<void> {
  const { id: detail, acctId } = temporaryChange;
  const { cardId } = await deps.factsOf(acctId);
  await deps.record(action, { event: 'asked', isFirst: true, acctId, cardId, detail });
}

async function no(action: Action, why: string, whoCan: string, deps: LimitDeps): Promise<void> {
  await deps.refuse(action, { what: 'Taking it back', why, whoCan });
}
