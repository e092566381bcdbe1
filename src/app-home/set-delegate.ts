import { delegateSet } from '../../templates/app-home/delegate.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { toWallClock } from '../core/service-time.ts';
import type { Delegations } from '../policy/delegation-store.ts';
import { type DelegateAction, delegateUsage } from './verbs.ts';

interface Deps {
  readonly delegations: Pick<Delegations, 'of' | 'set'>;
  /** Whom approvers may name, by the policy in force. */
  readonly ownDelegates: () => readonly string[];
  readonly reply: Pick<ActionTools, 'answer' | 'record' | 'refuseUnclear'>;
  /** IANA name of the zone in which the days of the policy are meant. */
  readonly zone: string;
  readonly now: () => Date;
}

/** A delegate for longer belongs into the policy. */
const DAYS_MAX = 92;
const DAY_MS = 24 * 3_600_000;

/**
 * An approver names who stands in for them, where the policy lists that person. What a delegate may do is what the approver
 * may at that moment: roles that the approver has lost, or was lent, are not passed on. Safe to repeat.
 */
export function createSetDelegate({ delegations, ownDelegates, reply, zone, now }: Deps) {
  return async function setDelegate(action: DelegateAction): Promise<void> {
    const { delegate } = action;
    const { userId } = action.actor;
    const why = delegate === null ? null : whyNot(delegate, userId);
    if (why !== null) return await reply.refuseUnclear(action, { why, usage: delegateUsage });
    const before = words(await delegations.of(userId));
    const line =
      delegate === null
        ? { did: 'ended the delegation' }
        : { did: 'named', whom: { userId: delegate.to, to: 'as a delegate' } };
    await reply.record(action, { event: 'done', isFirst: true, before, after: words(delegate), line });
    await delegations.set(userId, delegate === null ? null : { for: userId, ...delegate });
    await reply.answer(action, delegateSet(delegate));
  };

  function whyNot({ to, from, until }: NonNullable<DelegateAction['delegate']>, userId: string): string | null {
    const today = toWallClock(now(), zone).slice(0, 10);
    const allowed = ownDelegates().filter((id) => id !== userId);
    if (to === userId) return 'You can’t be your own delegate.';
    if (allowed.length === 0) return 'The policy lists nobody whom you could name (own_delegates).';
    if (!allowed.includes(to)) return 'The policy doesn’t let you name this person. App Home shows whom you can name.';
    if (until < from) return 'The last day is before the first.';
    if (until < today) return 'That date has passed.';
    if (Date.parse(until) - Date.parse(from) > DAYS_MAX * DAY_MS)
      return `A delegate can be named for ${DAYS_MAX} days at most. For longer, somebody has to change the policy.`;
    return null;
  }
}

/** `U0BEN from 2026-12-24 until 2027-01-02`. */
function words(delegation: DelegateAction['delegate']): string {
  if (delegation === null) return 'no delegate';
  const { to, from, until } = delegation;
  return `${to} from ${from} until ${until}`;
}
