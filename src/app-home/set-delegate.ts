import { delegateEnded, delegateNamed, delegateSet } from '../../templates/app-home/delegate.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { setTo } from '../actions/record.ts';
import { addDays } from '../core/calendar-words.ts';
import { RolesUnreadError } from '../core/errors.ts';
import type { Lease } from '../core/lock.ts';
import type { Delegations } from '../policy/delegation-store.ts';
import type { Delegation } from '../policy/policy.ts';
import type { Roles } from '../policy/roles.ts';
import { type DelegateAction, delegateUsage, type EndDelegationAction } from './verbs.ts';

interface SetDeps extends Pick<ActionTools, 'record' | 'notifyDirectly' | 'setInOrder'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly delegations: Pick<Delegations, 'of' | 'set'>;
  /** Whom the policy itself names, whatever the approver does. */
  readonly policyDelegates: (userId: string) => readonly Delegation[];
  /** By the card service's clock: `2026-11-20`. */
  readonly today: () => string;
}

/** Replaces or ends somebody's own delegation, unless they have made another choice since. Idempotent. */
export function createSetDelegate(deps: SetDeps) {
  const { delegations, record, responses, notifyDirectly } = deps;

  return async function setDelegate(action: DelegateAction | EndDelegationAction): Promise<void> {
    await deps.setInOrder(`delegate:${action.actor.userId}`, action, (lease) => set(action, lease));
  };

  async function set(action: DelegateAction | EndDelegationAction, lease: Lease): Promise<void> {
    const { delegate } = action;
    const { userId } = action.actor;
    const previous = await delegations.of(userId);
    const [before, after] = [words(previous), words(delegate)];
    const line =
      delegate === null
        ? { did: 'ended the delegation' }
        : { did: 'named', whom: { userId: delegate.to, to: 'as a delegate' } };
    const isSame = before === after;
    await record(action, setTo(before, after, line));
    // Told before it is set: after that nobody knows what it was.
    if (previous !== null && previous.to !== delegate?.to) await notifyEnded(action, previous);
    if (delegate !== null && !isSame)
      await notifyDirectly(delegate.to, `delegate-${action.id}`, delegateNamed({ by: userId, ...delegate }));
    await lease.confirm();
    await delegations.set(userId, delegate === null ? null : { for: userId, ...delegate });
    await responses.answer(action, delegateSet(delegate, deps.policyDelegates(userId)));
  }

  /** A delegation whose last day has passed ended by itself. */
  async function notifyEnded(
    { id, actor, delegate }: DelegateAction | EndDelegationAction,
    { to, until }: Delegation,
  ): Promise<void> {
    if (until < deps.today()) return;
    const message = delegateEnded({ by: actor.userId, instead: delegate?.to ?? null });
    await notifyDirectly(to, `delegate-ended-${id}`, message);
  }
}

interface NameDeps extends Pick<ActionTools, 'hasBegun' | 'person'>, Pick<SetDeps, 'today'> {
  readonly responses: Pick<Responses, 'refuse' | 'refuseUnclear'>;
  readonly rolesOf: Roles['rolesOf'];
  /** The people that approvers may name, by the current policy. */
  readonly ownDelegates: () => readonly string[];
  readonly setDelegate: (action: DelegateAction) => Promise<void>;
}

/** A longer delegation belongs in the policy. */
const DAYS_MAX = 92;

/**
 * Lets an approver name a delegate from the policy's list. The delegate gets the roles that the approver has at that
 * moment: roles that the approver lost, or only holds as a delegate, are not passed on. Whoever named one may end that.
 * Idempotent.
 *
 * The returned function throws RolesUnreadError when Slack does not return the user groups.
 */
export function createNameDelegate(deps: NameDeps) {
  const { responses } = deps;

  return async function nameDelegate(action: DelegateAction): Promise<void> {
    // After a crash, the last day may have passed since it was permitted.
    if (await deps.hasBegun(action)) return await deps.setDelegate(action);
    const { delegate } = action;
    const { userId } = action.actor;
    const mistake = whyNot(delegate, userId, deps.today());
    if (mistake !== null) return await responses.refuseUnclear(action, { why: mistake, usage: delegateUsage });
    const no = whyNotListed(delegate.to, userId, deps.ownDelegates()) ?? (await whyNotPassedOn(userId, deps));
    if (no !== null) return await responses.refuse(action, no, { isNotPermitted: true });
    const unable = await whyUnable(delegate.to, deps);
    if (unable !== null) return await responses.refuse(action, unable);
    await deps.setDelegate(action);
  };
}

/** A role that somebody only holds as a delegate is not passed on. */
async function whyNotPassedOn(userId: string, { rolesOf }: Pick<NameDeps, 'rolesOf'>): Promise<Refusal | null> {
  const { roles, isComplete } = await rolesOf(userId, { mayNot: async () => true });
  if (roles.includes('approver')) return null;
  if (!isComplete) throw new RolesUnreadError();
  const why = 'You are an approver only as a delegate, which cannot be passed on.';
  return { why, whoCan: 'The person you stand in for can name somebody else.' };
}

function whyNotListed(to: string, userId: string, ownDelegates: readonly string[]): Refusal | null {
  const allowed = ownDelegates.filter((id) => id !== userId);
  if (allowed.length === 0)
    return {
      why: 'The policy lists nobody whom you could name.',
      whoCan: 'Whoever keeps the policy lists them in own_delegates.',
    };
  if (allowed.includes(to)) return null;
  return { why: 'The policy doesn’t let you name this person.', whoCan: 'App Home shows whom you can name.' };
}

/** The policy may still list somebody who has left. Nobody would act in place of the approver. */
async function whyUnable(to: string, deps: Pick<NameDeps, 'person'>): Promise<Refusal | null> {
  const person = await deps.person(to);
  if (person?.isDeactivated === true)
    return { why: 'This person’s Slack account is deactivated.', whoCan: 'Name somebody else.' };
  if (person?.isBot === true) return { why: 'A bot can’t be a delegate.', whoCan: 'Name a person.' };
  return person?.isExternal === true
    ? { why: 'People of other companies can’t be delegates.', whoCan: 'Name a colleague.' }
    : null;
}

function whyNot({ to, from, until }: DelegateAction['delegate'], userId: string, today: string) {
  if (to === userId) return 'You can’t be your own delegate.';
  if (until < from) return 'The last day is before the first.';
  if (until < today) return 'That date has passed.';
  if (until > addDays(from, DAYS_MAX))
    return `A delegate can be named for ${DAYS_MAX} days at most. For longer, somebody has to change the policy.`;
  return null;
}

/** `U0BEN from 2026-12-24 until 2027-01-02`. */
function words(delegation: DelegateAction['delegate'] | null): string {
  if (delegation === null) return 'no delegate';
  const { to, from, until } = delegation;
  return `${to} from ${from} until ${until}`;
}
