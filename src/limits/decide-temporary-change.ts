import type { Action } from '../actions/action.ts';
import type { PerformDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import { judge } from '../policy/decide.ts';
import { putBack } from './end-temporary-change.ts';
import { showEnd, tellEnd } from './notify-end.ts';
import { isOwnCardOf } from './raise-amount.ts';
import { isLooser, wantedOf } from './rule-change.ts';
import { ruleName } from './rule-words.ts';
import type { Lease } from './temporary-change-store.ts';

/**
 * *Take back now*, and the answer to "somebody changed it meanwhile": put back, or leave it.
 *
 * Runs under the account's lock, so of two people who press at once the second finds it done.
 *
 * @throws CardApiError when the job should run again.
 */
export async function decideLease(action: Action, deps: PerformDeps): Promise<void> {
  const leaseId = action.target.kind === 'lease' ? action.target.leaseId : '';
  const known = await deps.leases.get(leaseId);
  if (known === null) return await no(action, 'This change is too old.', 'Look at the card.', deps);
  await deps.withLock(`account:${known.acctId}`, async () => {
    const lease = await deps.leases.get(leaseId);
    if (lease === null) return;
    const isExpected = action.verb === 'settle_lease' ? lease.state === 'asking' : lease.state === 'open';
    // Done by this very click, before a crash.
    const isOwnEnd = lease.closedBy === action.actor.userId && (await deps.journal.read(action.id)) !== null;
    if (isOwnEnd) return await showEnd(lease, deps);
    if (!isExpected) return await no(action, overWords[lease.state], 'Nothing is left to be done.', deps);
    // Taking back what was lowered for a while is a raise.
    const isRaise = isLooser(wantedOf(lease.change), lease.before);
    const deed = action.verb === 'settle_lease' || isRaise ? 'settle_lease' : 'take_back';
    const isOwnCard = await isOwnCardOf(action.actor.userId, lease.acctId, deps);
    const verdict = judge({ deed, roles: action.roles, isOwnCard }, deps);
    if (verdict.kind === 'refused') return await no(action, verdict.why, 'Ask an approver.', deps);
    await askedOnce(action, lease, deps);
    if (action.verb === 'settle_lease' && action.approve !== true) {
      const over = { closedAt: deps.now().toISOString(), closedBy: action.actor.userId };
      return await tellEnd({ ...lease, ...over, state: 'left' }, action, deps);
    }
    const after = await putBack(lease, action.actor, deps);
    await tellEnd(after, action, deps);
    if (after.state !== 'asking') return;
    const why = `Somebody changed the ${ruleName(lease.change)} meanwhile, so I left it.`;
    await no(action, why, 'The question is in the channel for requests.', deps);
  });
}

const overWords: Readonly<Record<Lease['state'], string>> = {
  open: 'It still runs.',
  asking: 'Its time is over, but somebody changed it meanwhile: an approver has to decide.',
  ended: 'It was put back already.',
  left: 'It was decided already to leave it as it is.',
  refused: 'The card service refused to put it back.',
  replaced: 'A later change took its place.',
};

async function askedOnce(action: Action, lease: Lease, deps: PerformDeps): Promise<void> {
  if ((await deps.journal.read(action.id)) !== null) return;
  const { cardId } = deps.toFacts(lease.acctId, await deps.directory.account(lease.acctId));
  await deps.audit.append(auditRecord(action, 'asked', { acctId: lease.acctId, cardId, detail: lease.id }, deps));
  await deps.journal.write(action.id, { state: 'asked' });
}

async function no(action: Action, why: string, whoCan: string, deps: PerformDeps): Promise<void> {
  await refuse(action, { what: 'Taking it back', why, whoCan }, deps);
}
