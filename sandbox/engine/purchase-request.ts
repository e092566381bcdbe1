import { z } from 'zod';
import { AMOUNT_MAX, isAmount, toCents } from '../money.ts';
import type { World } from '../state/world.ts';

/** Dollars, positive, at most two decimals. */
export const PositiveAmount = z.number().positive().max(AMOUNT_MAX).refine(isAmount, 'no more than two decimals');

/** Longer than any merchant's, so that receivers can be tested with what they do not expect. */
const text = z.string().max(1000);

/** A merchant's request. Everything except the account and the amount has a realistic default. */
export const PurchaseRequest = z.strictObject({
  AcctId: z.int().positive(),
  Amount: PositiveAmount,
  CardId: z.int().positive().optional(),
  MerchantName: text.min(1).optional(),
  MerchantCity: text.optional(),
  MerchantState: text.optional(),
  MerchantZip: text.optional(),
  MerchantCountry: text.optional(),
  MerchantId: text.optional(),
  MCCCode: z
    .string()
    .regex(/^\d{4}$/, 'four digits')
    .optional(),
  IsCardPresent: z.boolean().optional(),
  /** Makes it a PIN transaction. */
  Pin: z.enum(['correct', 'wrong']).optional(),
  /** The answer of the customer's own decision service, for accounts that use one. Default: the sandbox's setting. */
  RemoteDecision: z.enum(['approve', 'decline']).optional(),
  /** A reason without a specific rule: code `decline`. */
  DoNotHonor: z.boolean().optional(),
});
export type PurchaseRequest = z.infer<typeof PurchaseRequest>;

/** The answer to the merchant's terminal. */
export const PurchaseAnswer = z.strictObject({
  Approved: z.boolean(),
  MessageCode: z.string().nullable(),
  Message: z.string().nullable(),
  NetworkTransactionId: z.int(),
});
export type PurchaseAnswer = z.infer<typeof PurchaseAnswer>;

/** A step after the purchase: which purchase, and what amount (all of it when omitted). */
export const FollowUp = z.strictObject({
  NetworkTransactionId: z.int().positive(),
  Amount: PositiveAmount.optional(),
});
export type FollowUp = z.infer<typeof FollowUp>;

export const FollowUpAnswer = z.strictObject({ NetworkTransactionId: z.int() });
export type FollowUpAnswer = z.infer<typeof FollowUpAnswer>;

/** Pads fuel by 49.00 and restaurants by a fifth, if the assumption is enabled. */
export function padding(world: World, request: PurchaseRequest): number {
  if (!world.assume.padAuthorizations || request.Pin !== undefined) return 0;
  const mccCode = request.MCCCode ?? world.assume.defaultMcc;
  if (mccCode === '5542') return 4900;
  return ['5811', '5812', '5813', '5814'].includes(mccCode) ? Math.round(toCents(request.Amount) * 0.2) : 0;
}

/** The part of the padding that counts against limits, in whole cents. */
export function countedPadding(world: World, paddingCents: number): number {
  return world.assume.paddingCountsAgainstLimits ? paddingCents : 0;
}
