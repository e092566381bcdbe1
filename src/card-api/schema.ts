import { z } from 'zod';
import { maskCardNumbers } from '../core/card-number.ts';
import { CardStatus } from '../core/event.ts';
import { toCents } from '../core/money.ts';

/** Ids are whole numbers; some services write them as text. */
export const Id = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** Text that may be missing, empty or null: trimmed, null when there is none. */
export const Text = z
  .string()
  .nullish()
  .transform((text) => {
    const trimmed = text?.trim();
    return trimmed === undefined || trimmed === '' ? null : trimmed;
  });

/** Text that the customer's own people chose, such as a CustomId: it may look like a card number, and is masked then. */
export const OwnText = Text.transform((text) => (text === null ? null : maskCardNumbers(text)));

/** Decimal dollars → whole cents; null when missing. */
export const Cents = z
  .number()
  .nullish()
  .transform((amount) => (amount === null || amount === undefined ? null : toCents(amount)));

export const Flag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? null);

/** The service's numbers for a status, where it sends no word. */
const statusNumbers: Record<number, CardStatus> = {
  0: 'ACTIVE',
  1: 'INACTIVE',
  2: 'BLOCKED',
  5: 'CLOSED',
  11: 'CLOSED',
};

/** `Active` and `ACTIVE` are one status. Null for a word that we do not know. */
export function toCardStatus(value: string | number | null | undefined): CardStatus | null {
  if (typeof value === 'number') return statusNumbers[value] ?? null;
  const parsed = CardStatus.safeParse(value?.trim().toUpperCase());
  return parsed.success ? parsed.data : null;
}

export const AnyCardStatus = z.union([z.string(), z.number()]).nullish().transform(toCardStatus);

/** Everything as the service sent it; for rows that are parsed further elsewhere. */
export const AnyRecord = z.record(z.string(), z.unknown());
export type AnyRecord = z.infer<typeof AnyRecord>;

/**
 * A list in which one bad row does not spoil the others: rows that do not fit are left out.
 *
 * When no row at all fits, the list as a whole does not.
 */
export function rowsOf<T extends z.ZodType>(row: T) {
  return z.array(z.unknown()).transform((rows, context): z.output<T>[] => {
    const parsed = rows.map((candidate) => row.safeParse(candidate));
    const good = parsed.flatMap((result) => (result.success ? [result.data] : []));
    if (good.length === 0 && parsed.length > 0) {
      for (const issue of parsed[0]?.error?.issues ?? [])
        context.addIssue({ code: 'custom', path: issue.path, message: issue.code });
    }
    return good;
  });
}
