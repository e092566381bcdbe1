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

/**
 * Reads `04/30/1991` (month first) or `1991-04-30`.
 *
 * @returns `YYYY-MM-DD`; null for what is no day of the last 120 years.
 */
export function readBirthDate(text: string, now: Date): string | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  const american = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text);
  const [year, month, day] = iso?.slice(1) ?? (american === null ? [] : [american[3], american[1], american[2]]);
  if (year === undefined || month === undefined || day === undefined) return null;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = new Date(`${date}T00:00:00.000Z`);
  // February 30 is read as a day of March.
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(date)) return null;
  const years = now.getUTCFullYear() - Number(year);
  return at < now && years <= 120 ? date : null;
}
