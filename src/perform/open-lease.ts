import { type RuleValue, targetOf, valueWord, wantedOf } from '../alert/rule-change.ts';
import { type Action, alertIdOf } from '../authority/action.ts';
import { formatDuration } from '../authority/duration.ts';
import type { Result } from '../authority/result.ts';
import { endOfTerm, type Term, type Wish } from '../authority/wish.ts';
import type { Lease } from '../store/leases.ts';
import type { Approval } from './change-rule.ts';
import type { PerformDeps } from './deps.ts';
import { purchaseOf } from './exposure.ts';

/** What a result says of a temporary change: when it ends, and that it can be taken back. */
type Opened = Pick<Result, 'note' | 'control'>;

/**
 * Starts the end of a temporary change.
 *
 * Where the rule was changed for a time already and that time is over first, this one goes back to what was there before
 * both: otherwise two short raises would leave a lasting one behind.
 *
 * @param isChanged false before the change is sent: it must end also when nobody ever hears whether it was made.
 */
export async function openLease(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  approval: Approval | null,
  deps: PerformDeps,
  isChanged = true,
): Promise<Opened> {
  const { change, term } = wish;
  const now = deps.now();
  const known = await deps.leases.get(action.id);
  // The end stays where it was first set, also when a crash has this done again.
  const endsAt = known?.endsAt ?? (endOfTerm(term, now, deps.serviceDays) ?? now).toISOString();
  const earlier = (await leasesOf(wish, acctId, deps)).find(
    (lease) => lease.id !== action.id && wantedOf(lease.change) === before && lease.endsAt <= endsAt,
  );
  const back = known?.before ?? (earlier === undefined ? before : earlier.before);
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
    if (earlier !== undefined) await replace(earlier, deps);
    await show(lease, deps);
  }
  return {
    note: `Goes back to ${valueWord(back) === 'none' ? 'no limit' : valueWord(back)} by itself ${whenWords(term)}.`,
    control: { kind: 'take_back', id: lease.id, until: endsAt },
  };
}

/**
 * Somebody wants a rule as it is, or changed it for good: what was temporary about it ends, or lasts longer.
 *
 * @returns what to say of it; null when nothing was temporary.
 */
export async function settleLeases(
  action: Action,
  wish: Wish,
  acctId: number,
  approval: Approval | null,
  deps: PerformDeps,
): Promise<Opened | null> {
  const leases = await leasesOf(wish, acctId, deps);
  const own = leases.find(({ change }) => wantedOf(change) === wantedOf(wish.change));
  if (wish.term.kind === 'permanent') {
    for (const lease of leases) await replace(lease, deps);
    return own === undefined ? null : { note: 'It was temporary; now it stays until it is changed.', control: null };
  }
  if (own === undefined) return null;
  const opened = await openLease(action, wish, acctId, own.before, approval, deps);
  if (own.id !== action.id) await replace(own, deps);
  return opened;
}

/** A change that shows on no alert and on no request gets a message of its own, with its end and *Take back now*. */
async function show(lease: Lease, deps: PerformDeps): Promise<void> {
  if (lease.alertId === null && lease.requestId === null) await deps.postLease(lease);
}

/** A later change took its place: nothing is put back when its time is over. */
async function replace(lease: Lease, deps: PerformDeps): Promise<void> {
  await deps.leases.save({ ...lease, state: 'replaced', closedAt: deps.now().toISOString() });
  await deps.updateLease(lease.id);
}

/** Open leases of the rule that is meant. */
async function leasesOf(wish: Wish, acctId: number, { leases }: PerformDeps): Promise<Lease[]> {
  const target = targetOf(wish.change);
  return (await leases.all()).filter(
    (lease) => lease.acctId === acctId && lease.state === 'open' && targetOf(lease.change) === target,
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
