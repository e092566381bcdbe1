import { type Action, alertIdOf } from '../actions/action.ts';
import type { PerformDeps } from '../actions/deps.ts';
import type { Result } from '../actions/result.ts';
import { formatDuration } from '../core/duration.ts';
import { endOfTerm, type Term, type Wish } from './change-request.ts';
import { purchaseOf } from './raise-amount.ts';
import {
  isSameValue,
  joined,
  type RuleChange,
  type RuleValue,
  type Single,
  singlesOf,
  targetOf,
  targetsOf,
  wantedOf,
} from './rule-change.ts';
import { stateWords } from './rule-words.ts';
import { staysWords, takeOver } from './supersede.ts';
import type { Lease } from './temporary-change-store.ts';

/** What a result says of a temporary change: when it ends, and that it can be taken back. */
export type Opened = Pick<Result, 'note' | 'control'>;

/** The request that a change was made for, if there was one. */
interface OfRequest {
  readonly requestId: string;
}

/** A temporary change that somebody has decided about, or has to: not for us to open again. */
const settledStates: readonly Lease['state'][] = ['replaced', 'asking', 'left', 'refused'];

/**
 * A change is made: starts its end, or settles what was temporary about the rules that stay from now on. The same
 * whether the card service answered, or somebody found out later.
 *
 * @param before what the rules were.
 * @returns what to say of it; null when there is nothing to say.
 */
export async function settleTerm(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: PerformDeps,
): Promise<Opened | null> {
  if (wish.term.kind === 'permanent') return await settleLeases(action, wish, acctId, before, approval, deps);
  const known = await deps.leases.get(action.id);
  // A later change, or a person, had the last word about it since it was sent.
  if (known !== null && settledStates.includes(known.state)) return null;
  // Or about some of the rules: its end is about the others only.
  const left = targetsOf(known?.change ?? wish.change);
  const kept = joined(singlesOf(wish.change, before).filter(({ change }) => left.includes(targetOf(change))));
  if (kept === null) return null;
  return await openLease(action, { ...wish, change: kept.change }, acctId, kept.value, approval, deps);
}

/**
 * Forgets the end of a change that is not there: nothing stands as it set it, and nothing else goes back to that.
 *
 * Of several limits some may stand as they were set: these still end, or people are asked.
 */
export async function forgetIfGone(
  leaseId: string,
  change: RuleChange,
  acctId: number,
  current: RuleValue,
  { leases }: PerformDeps,
): Promise<void> {
  const others = (await leases.all()).filter((lease) => lease.acctId === acctId && lease.id !== leaseId);
  const backs = others.flatMap((lease) => singlesOf(lease.change, lease.before));
  const stands = singlesOf(change, current).some(
    (now) =>
      now.value === wantedOf(now.change) ||
      backs.some((back) => targetOf(back.change) === targetOf(now.change) && back.value === wantedOf(now.change)),
  );
  if (!stands) await leases.forget(leaseId);
}

/**
 * Starts the end of a temporary change.
 *
 * Where one of the rules was changed for a time already and that time is over first, this one goes back to what was there
 * before both: otherwise two short raises would leave a lasting one behind.
 *
 * @param isChanged false before the change is sent: it must end also when nobody ever hears whether it was made.
 */
export async function openLease(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: PerformDeps,
  isChanged = true,
): Promise<Opened> {
  const { change, term } = wish;
  const now = deps.now();
  const known = await deps.leases.get(action.id);
  // The end stays where it was first set, also when a crash has this done again.
  const endsAt = known?.endsAt ?? (endOfTerm(term, now, deps.serviceDays) ?? now).toISOString();
  const ending = (await leasesOf(wish, acctId, deps)).filter((one) => one.id !== action.id && one.endsAt <= endsAt);
  const taken = singlesOf(change, before).map((now) => ({ now, from: ending.find((one) => hasSet(one, now)) }));
  const backs = taken.map(({ now, from }) => (from === undefined ? now : earlierOf(from, now)));
  const back = known?.before ?? joined(backs)?.value ?? before;
  const purchase = term.kind === 'purchase' ? await purchaseOf(action, deps) : null;
  const lease: Lease = {
    id: action.id,
    acctId,
    change,
    before: back,
    term,
    by: action.actor,
    openedAt: known?.openedAt ?? now.toISOString(),
    endsAt,
    purchase:
      purchase === null
        ? null
        : { merchantId: purchase.merchant.id, merchant: purchase.merchant.name, maxCents: purchase.amountCents },
    alertId: alertIdOf(action),
    requestId: approval?.requestId ?? null,
    state: 'open',
    found: null,
    closedAt: null,
    closedBy: null,
    refs: known?.refs ?? [],
  };
  await deps.leases.save(lease);
  await deps.scheduleLeaseEnd(action.id, Date.parse(endsAt));
  if (isChanged) {
    for (const earlier of ending) {
      await takeOver(
        earlier,
        taken.filter(({ from }) => from === earlier).map(({ now }) => now.change),
        deps,
      );
    }
    await show(lease, deps);
  }
  return {
    note: `Goes back to ${stateWords(change, back)} by itself ${whenWords(term)}.`,
    control: { kind: 'take_back', id: lease.id, until: endsAt },
  };
}

/**
 * Somebody wants rules as they are, or changed them for good: what was temporary about them ends, or lasts longer.
 *
 * @param before what they were before it was changed, or are.
 * @returns what to say of it; null when nothing was temporary.
 */
export async function settleLeases(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: PerformDeps,
): Promise<Opened | null> {
  const rules = singlesOf(wish.change, wantedOf(wish.change));
  const leases = await leasesOf(wish, acctId, deps);
  const own = rules.map((rule) => leases.find((lease) => hasSet(lease, rule)));
  const isTemporary = own.some((lease) => lease !== undefined);
  if (wish.term.kind === 'permanent') {
    const kept = rules.map(({ change }) => change);
    const lifted: string[] = [];
    for (const lease of leases) lifted.push(...(await takeOver(lease, kept, deps, true)));
    const stays = staysWords(
      kept.filter((_rule, index) => own[index] !== undefined),
      kept.length,
    );
    const note = [...(stays === null ? [] : [stays]), ...lifted].join(' ');
    return note === '' ? null : { note, control: null };
  }
  if (!isTemporary) return null;
  const backs = singlesOf(wish.change, before).map((now, index) => {
    const lease = own[index];
    return lease === undefined ? now : earlierOf(lease, now);
  });
  const opened = await openLease(action, wish, acctId, joined(backs)?.value ?? before, approval, deps);
  for (const lease of leases) {
    const theirs = rules.filter((_rule, index) => own[index] === lease).map(({ change }) => change);
    if (lease.id !== action.id) await takeOver(lease, theirs, deps);
  }
  return opened;
}

/** The lease set this rule to this value. */
function hasSet(lease: Lease, { change, value }: Single): boolean {
  const rule = singlesOf(lease.change, lease.before).find((one) => targetOf(one.change) === targetOf(change));
  return rule !== undefined && isSameValue(wantedOf(rule.change), value);
}

/** What a rule was before the lease. */
function earlierOf(lease: Lease, single: Single): Single {
  return (
    singlesOf(lease.change, lease.before).find((one) => targetOf(one.change) === targetOf(single.change)) ?? single
  );
}

/** A change that shows on no alert and on no request gets a message of its own, with its end and *Take back now*. */
async function show(lease: Lease, deps: PerformDeps): Promise<void> {
  if (lease.alertId === null && lease.requestId === null) await deps.postLease(lease);
}

/** Open leases of any of the rules that are meant. */
async function leasesOf(wish: Wish, acctId: number, { leases }: PerformDeps): Promise<Lease[]> {
  const targets = targetsOf(wish.change);
  return (await leases.all()).filter(
    (lease) =>
      lease.acctId === acctId &&
      lease.state === 'open' &&
      targetsOf(lease.change).some((target) => targets.includes(target)),
  );
}

/** `in 4 hours`, `at midnight Eastern time`. */
function whenWords(term: Term): string {
  switch (term.kind) {
    case 'duration':
      return `in ${formatDuration(term.ms)}`;
    case 'purchase':
      return 'after this purchase, or in 15 minutes';
    case 'midnight':
      return 'at midnight Eastern time';
    case 'day':
      return `with the end of ${term.day}, Eastern time`;
    case 'permanent':
      return 'never';
  }
}
