import { toCents } from '../money.ts';
import type { World } from '../state/world.ts';
import type { PurchaseRequest } from './purchase-request.ts';

/** Fuel is padded by 49.00 and restaurants by a fifth, where the assumption is switched on. */
export function padding(world: World, request: PurchaseRequest): number {
  if (!world.assume.padAuthorizations || request.Pin !== undefined) return 0;
  const mccCode = request.MCCCode ?? world.assume.defaultMcc;
  if (mccCode === '5542') return 4900;
  return ['5811', '5812', '5813', '5814'].includes(mccCode) ? Math.round(toCents(request.Amount) * 0.2) : 0;
}

/** What of the padding limits count, in whole cents. */
export function countedPadding(world: World, paddingCents: number): number {
  return world.assume.paddingCountsAgainstLimits ? paddingCents : 0;
}
