import { z } from 'zod';
import { isAmount } from '../money.ts';

/** Dollars, positive, no more than two decimals. */
export const PositiveAmount = z.number().positive().refine(isAmount, 'no more than two decimals');

/** What a merchant asks for. Everything but the account and the amount has a believable default. */
export const PurchaseRequest = z.strictObject({
  AcctId: z.int().positive(),
  Amount: PositiveAmount,
  CardId: z.int().positive().optional(),
  MerchantName: z.string().min(1).max(60).optional(),
  MerchantCity: z.string().max(40).optional(),
  MerchantState: z.string().max(3).optional(),
  MerchantZip: z.string().max(10).optional(),
  MerchantCountry: z.string().max(3).optional(),
  MerchantId: z.string().max(20).optional(),
  MCCCode: z
    .string()
    .regex(/^\d{4}$/, 'four digits')
    .optional(),
  IsCardPresent: z.boolean().optional(),
  /** Makes it a PIN transaction. */
  Pin: z.enum(['correct', 'wrong']).optional(),
  /** What the customer's own decision service answers, for accounts that ask it; else the sandbox's setting. */
  RemoteDecision: z.enum(['approve', 'decline']).optional(),
  /** A reason without a rule of its own: code `decline`. */
  DoNotHonor: z.boolean().optional(),
});
export type PurchaseRequest = z.infer<typeof PurchaseRequest>;
