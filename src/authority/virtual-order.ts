import { z } from 'zod';

const line = (most: number) => z.string().min(1).max(most);

/** One virtual card to be ordered. Never stored in clear: it holds a date of birth and an address. */
export const VirtualOrder = z.strictObject({
  firstName: line(23),
  lastName: line(23),
  /** `YYYY-MM-DD`. */
  dateOfBirth: z.string(),
  phone: line(20),
  email: line(254),
  address: z.strictObject({
    line1: line(26),
    line2: z.string().max(26),
    city: line(25),
    state: z.string(),
    postalCode: z.string(),
  }),
  /** Whole cents; 0: not funded. */
  fundCents: z.int().nonnegative(),
  groupId: z.int().positive().nullable(),
  rulesetId: z.int().positive().nullable(),
});
export type VirtualOrder = z.infer<typeof VirtualOrder>;
