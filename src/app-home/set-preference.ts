import { delegateEnded, delegateNamed, delegateSet, delegateSetSince } from '../../templates/app-home/delegate.ts';
import { ownDigestSet, preferenceSet, quietHoursSet } from '../../templates/app-home/preferences.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { setTo } from '../actions/record.ts';
import { RolesUnreadError } from '../core/errors.ts';
import type { Lease } from '../core/lock.ts';
import { localDate } from '../core/service-time.ts';
import type { SettingOrder } from '../core/setting-order.ts';
import type { Links } from '../holders/link-store.ts';
import type { Preferences } from '../holders/preference-store.ts';
import type { Delegations } from '../policy/delegation-store.ts';
import type { Permissions } from '../policy/permissions.ts';
import type { Delegation } from '../policy/policy.ts';
import type { QuietHoursStore } from '../routing/channel-rules-store.ts';
import { parseQuiet, printQuiet, quietWords } from '../routing/quiet-hours.ts';
import { type DelegateAction, delegateUsage, type EndDelegationAction, type PreferenceAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'openDirect' | 'zone'> {
  readonly responses: Pick<Responses, 'answer' | 'refuseUnclear'>;
  readonly preferences: Pick<Preferences, 'isOn' | 'set' | 'ownDigest' | 'setOwnDigest'>;
  readonly links: Pick<Links, 'ofUser'>;
  readonly quietHours: Pick<QuietHoursStore, 'get' | 'set' | 'remove'>;
  /** Applies the quiet hours to messages that are already held. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
}

/** Sets which direct messages someone gets, and when. People can only change their own. Idempotent. */
export function createSetPreference(deps: Deps) {
  const { preferences, quietHours, responses, record } = deps;
  const hasCard = async (userId: string): Promise<boolean> => (await deps.links.ofUser(userId)).length > 0;

  return async function setPreference(action: PreferenceAction): Promise<void> {
    const { preference } = action;
    if (preference.kind === 'quiet') return await setQuiet(action, preference.hours);
    if (preference.kind === 'digest') return await setDigest(action, preference.often);
    const { what, isOn } = preference;
    const { userId } = action.actor;
    const words = (is: boolean): string => `${what} ${is ? 'on' : 'off'}`;
    const before = words(await preferences.isOn(userId, what));
    await record(action, setTo(before, words(isOn)));
    await preferences.set(userId, what, isOn);
    await responses.answer(action, preferenceSet({ what, isOn, hasCard: await hasCard(userId) }));
  };

  async function setDigest(action: PreferenceAction, often: 'daily' | 'weekly' | 'off'): Promise<void> {
    const { userId } = action.actor;
    const replaced = await preferences.ownDigest(userId);
    const before = `digest ${replaced?.often ?? 'off'}`;
    await record(action, setTo(before, `digest ${often}`));
    const startedAt = replaced?.startedAt ?? replaced?.since;
    const since = replaced?.often === often ? replaced.since : action.askedAt;
    await preferences.setOwnDigest(userId, often === 'off' ? null : { often, since, startedAt });
    await responses.answer(action, ownDigestSet({ often, hasCard: await hasCard(userId) }));
  }

  async function setQuiet(action: PreferenceAction, hours: string): Promise<void> {
    const parsed = parseQuiet(hours, deps.zone);
    const why = parsed.kind === 'unclear' ? parsed.why : exceptIn(parsed);
    if (why !== null)
      return await responses.refuseUnclear(action, {
        why,
        usage: 'notify quiet 22:00-07:00 [Europe/Berlin] [weekdays] | off',
      });
    const channel = await deps.openDirect(action.actor.userId);
    const set = await quietHours.get(channel);
    const before = set === null ? null : printQuiet(set.window);
    const window = parsed.kind === 'hours' ? parsed.window : null;
    const after = window === null ? null : printQuiet(window);
    await record(action, setTo(before, after));
    if (window === null) await quietHours.remove(channel);
    else await quietHours.set({ channel, window, except: null, by: action.actor.userId, at: action.askedAt });
    await deps.holdAsQuiet(channel);
    await responses.answer(action, quietHoursSet({ words: window === null ? null : quietWords(window) }));
  }
}

function exceptIn(parsed: ReturnType<typeof parseQuiet>): string | null {
  const hasExcept = parsed.kind === 'hours' && parsed.except !== null;
  return hasExcept ? 'Your own quiet hours have no exceptions: suspected fraud always comes at once.' : null;
}

interface DelegateDeps
  extends Pick<ActionTools, 'record' | 'hasBegun' | 'notifyDirectly' | 'withLock' | 'person' | 'zone' | 'now'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse' | 'refuseUnclear'>;
  readonly delegations: Pick<Delegations, 'of' | 'set'>;
  readonly rolesOf: Permissions['rolesOf'];
  /** The people that approvers may name, by the current policy. */
  readonly ownDelegates: () => readonly string[];
  /** Whom the policy itself names, whatever the approver does. */
  readonly policyDelegates: (userId: string) => readonly Delegation[];
  readonly settingOrder: SettingOrder;
}

/** A longer delegation belongs in the policy. */
const DAYS_MAX = 92;
const DAY_MS = 24 * 3_600_000;

/**
 * Lets an approver name a delegate from the policy's list. The delegate gets the roles that the approver has at that
 * moment: roles that the approver lost, or only holds as a delegate, are not passed on. Whoever named one may end that.
 * Idempotent.
 *
 * The returned function throws RolesUnreadError when Slack does not return the user groups.
 */
export function createSetDelegate(deps: DelegateDeps) {
  const { delegations, settingOrder, responses, record, zone, now } = deps;

  return async function setDelegate(action: DelegateAction | EndDelegationAction): Promise<void> {
    const { delegate } = action;
    const { userId } = action.actor;
    // After a crash, the last day may have passed since it was permitted.
    const isNew = delegate !== null && !(await deps.hasBegun(action));
    const mistake = isNew ? whyNot(delegate, userId, localDate(now(), zone)) : null;
    if (mistake !== null) return await responses.refuseUnclear(action, { why: mistake, usage: delegateUsage });
    const no = isNew
      ? (whyNotListed(delegate.to, userId, deps.ownDelegates()) ?? (await whyNotPassedOn(userId, deps)))
      : null;
    if (no !== null) return await deps.responses.refuse(action, no, { isByRights: true });
    const unable = isNew ? await whyUnable(delegate.to, deps) : null;
    if (unable !== null) return await deps.responses.refuse(action, unable);
    await deps.withLock(`delegate:${userId}`, (lease) => set(action, lease));
  };

  async function set(action: DelegateAction | EndDelegationAction, lease: Lease): Promise<void> {
    const { delegate } = action;
    const { userId } = action.actor;
    if (!(await settingOrder.begin(`delegate:${userId}`, action))) {
      await record(action, { event: 'superseded', detail: 'they have made another choice since' });
      return await responses.answer(action, delegateSetSince());
    }
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
      await deps.notifyDirectly(delegate.to, `delegate-${action.id}`, delegateNamed({ by: userId, ...delegate }));
    await lease.confirm();
    await delegations.set(userId, delegate === null ? null : { for: userId, ...delegate });
    await responses.answer(action, delegateSet(delegate, deps.policyDelegates(userId)));
  }

  /** A delegation whose last day has passed ended by itself. */
  async function notifyEnded(
    { id, actor, delegate }: DelegateAction | EndDelegationAction,
    { to, until }: Delegation,
  ): Promise<void> {
    if (until < localDate(now(), zone)) return;
    const message = delegateEnded({ by: actor.userId, instead: delegate?.to ?? null });
    await deps.notifyDirectly(to, `delegate-ended-${id}`, message);
  }
}

/** A role that somebody only holds as a delegate is not passed on. */
async function whyNotPassedOn(userId: string, { rolesOf }: Pick<DelegateDeps, 'rolesOf'>): Promise<Refusal | null> {
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
async function whyUnable(to: string, deps: Pick<DelegateDeps, 'person'>): Promise<Refusal | null> {
  const person = await deps.person(to);
  if (person?.isDeactivated === true)
    return { why: 'This person’s Slack account is deactivated.', whoCan: 'Name somebody else.' };
  if (person?.isBot === true) return { why: 'A bot can’t be a delegate.', whoCan: 'Name a person.' };
  return person?.isExternal === true
    ? { why: 'People of other companies can’t be delegates.', whoCan: 'Name a colleague.' }
    : null;
}

/** @param today by the card service's clock: `2026-11-20`. */
function whyNot({ to, from, until }: NonNullable<DelegateAction['delegate']>, userId: string, today: string) {
  if (to === userId) return 'You can’t be your own delegate.';
  if (until < from) return 'The last day is before the first.';
  if (until < today) return 'That date has passed.';
  if (Date.parse(until) - Date.parse(from) > DAYS_MAX * DAY_MS)
    return `A delegate can be named for ${DAYS_MAX} days at most. For longer, somebody has to change the policy.`;
  return null;
}

/** `U0BEN from 2026-12-24 until 2027-01-02`. */
function words(delegation: DelegateAction['delegate'] | null): string {
  if (delegation === null) return 'no delegate';
  const { to, from, until } = delegation;
  return `${to} from ${from} until ${until}`;
}
