import { formatCents } from '../alert/money.ts';
import type { Action, LimitWish } from '../authority/action.ts';
import { formatDuration } from '../authority/duration.ts';
import type { Lease } from '../store/leases.ts';
import type { PerformDeps } from './deps.ts';

/**
 * Starts the end of a temporary limit.
 *
 * Where the limit was temporary already and that time is over first, this one goes back to what was there before both:
 * otherwise two short raises would leave a lasting one behind.
 *
 * @param isChanged false before the change is sent: it must end also when nobody ever hears whether it was made.
 * @returns a sentence that says what happens when.
 */
export async function openLease(
  action: Action,
  wish: LimitWish,
  acctId: number,
  beforeCents: number | null,
  deps: PerformDeps,
  isChanged = true,
): Promise<string> {
  const durationMs = wish.durationMs ?? 0;
  const endsAt = new Date(deps.now().getTime() + durationMs).toISOString();
  const earlier = (await leasesOf(wish, acctId, deps)).find(
    (lease) => lease.id !== action.id && lease.setCents === beforeCents && lease.endsAt <= endsAt,
  );
  const back = earlier === undefined ? beforeCents : earlier.beforeCents;
  await deps.leases.open({
    id: action.id,
    acctId,
    period: wish.period,
    categoryId: wish.category?.id ?? null,
    beforeCents: back,
    setCents: wish.limitCents,
    by: action.actor,
    endsAt,
  });
  await deps.scheduleLeaseEnd(action.id, Date.parse(endsAt));
  if (isChanged && earlier !== undefined) await deps.leases.close(earlier.id);
  return `Goes back to ${back === null ? 'no limit' : formatCents(back)} by itself in ${formatDuration(durationMs)}.`;
}

/**
 * Somebody wants a limit as it is, or changed it for good: what was temporary about it ends, or lasts longer.
 *
 * @returns a sentence that says so; empty when nothing was temporary.
 */
export async function settleLeases(
  action: Action,
  wish: LimitWish,
  acctId: number,
  deps: PerformDeps,
): Promise<string> {
  const leases = await leasesOf(wish, acctId, deps);
  const own = leases.find(({ setCents }) => setCents === wish.limitCents);
  if (wish.durationMs === null) {
    for (const lease of leases) await deps.leases.close(lease.id);
    return own === undefined ? '' : 'It was temporary; now it stays until it is changed.';
  }
  if (own === undefined) return '';
  await deps.leases.close(own.id);
  return await openLease(action, wish, acctId, own.beforeCents, deps);
}

/** Open leases of the limit that is meant. */
async function leasesOf(wish: LimitWish, acctId: number, { leases }: PerformDeps): Promise<Lease[]> {
  const categoryId = wish.category?.id ?? null;
  return (await leases.all()).filter(
    (lease) => lease.acctId === acctId && lease.period === wish.period && lease.categoryId === categoryId,
  );
}
