import { z } from 'zod';
import { CardStatus } from '../core/event.ts';
import { toCents } from '../core/money.ts';
import { redactOwnId, redactText } from '../core/redact-text.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { LimitPeriod } from './rule.ts';

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

/**
 * An id chosen by the customer's own people, which may be a number. A card is found by it, so webhooks are read with the
 * same rule.
 */
export const OwnId = z
  .union([z.string(), z.int()])
  .nullish()
  .transform((id) => redactOwnId(String(id ?? '').trim()) || null);

/** A name chosen by the customer's own people, who may write anything into it: redacted like a webhook's. */
export const OwnName = Text.transform((text) => (text === null ? null : redactText(text)));

/** The last four digits, even if the service puts the full number into that field. Null for anything else. */
export const LastFour = z
  .union([z.string(), z.int()])
  .nullish()
  .catch(null)
  .transform((digits) => /\d{4}$/.exec(String(digits ?? '').trim())?.[0] ?? null);

/** Decimal dollars; some services write them as text. Too short for a card number. */
export const Dollars = z.union([
  z.number(),
  z
    .string()
    .regex(/^\s*-?\d{1,10}(\.\d{1,6})?\s*$/)
    .transform(Number),
]);

/** Decimal dollars → whole cents; null when missing. */
export const Cents = Dollars.nullish().transform((amount) =>
  amount === null || amount === undefined ? null : toCents(amount),
);

export const Flag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? null);

/** The service's numbers for a status, used when it sends no word. */
const statusNumbers: Record<number, CardStatus> = {
  0: 'ACTIVE',
  1: 'INACTIVE',
  2: 'BLOCKED',
  5: 'CLOSED',
  11: 'CLOSED',
};

/** `Active` and `ACTIVE` are the same status, and a removed card is closed. Null for an unknown word. */
export function toCardStatus(value: string | number | null | undefined): CardStatus | null {
  if (typeof value === 'number') return statusNumbers[value] ?? null;
  const word = value?.trim().toUpperCase();
  const parsed = CardStatus.safeParse(word === 'REMOVED' ? 'CLOSED' : word);
  return parsed.success ? parsed.data : null;
}

export const AnyCardStatus = z.union([z.string(), z.number()]).nullish().catch(null).transform(toCardStatus);

/** Everything as the service sent it, for rows that are parsed elsewhere. */
export const AnyRecord = z.record(z.string(), z.unknown());
export type AnyRecord = z.infer<typeof AnyRecord>;

/**
 * A list that tolerates bad rows: rows that do not match are counted as unreadable.
 *
 * If no row matches, the list is rejected.
 */
function readableRowsOf<T extends z.ZodType>(row: T) {
  return z.array(z.unknown()).transform((rows, context): { readonly rows: z.output<T>[]; unreadable: number } => {
    const parsed = rows.map((candidate) => row.safeParse(candidate));
    const good = parsed.flatMap((result) => (result.success ? [result.data] : []));
    if (good.length === 0 && parsed.length > 0) {
      for (const issue of parsed[0]?.error?.issues ?? [])
        context.addIssue({ code: 'custom', path: issue.path, message: issue.code });
    }
    return { rows: good, unreadable: rows.length - good.length };
  });
}

/** The same, where nobody asks how many rows were left out. */
export const rowsOf = <T extends z.ZodType>(row: T) => readableRowsOf(row).transform(({ rows }) => rows);

/** A list without rows may be null or missing. */
const orEmpty = <T extends z.ZodType>(list: T) => z.preprocess((sent) => sent ?? [], list);

export const readableListOf = <T extends z.ZodType>(row: T) => orEmpty(readableRowsOf(row));

/** A list that is rejected if it is missing, or if one of its rows cannot be read. */
export const completeListOf = <T extends z.ZodType>(row: T) =>
  z
    .array(row)
    .nullable()
    .transform((rows) => rows ?? []);

/** An object of the service with its fields under our own names: `{ acctId: ['AccountId', Id] }`. */
export function renamed<const Fields extends Readonly<Record<string, readonly [sent: string, schema: z.ZodType]>>>(
  fields: Fields,
) {
  type Renamed = { [Name in keyof Fields]: z.output<Fields[Name][1]> };
  const entries = Object.entries(fields);
  return z
    .object(Object.fromEntries(entries.map(([, [sent, schema]]) => [sent, schema])))
    .transform((answer) => Object.fromEntries(entries.map(([name, [sent]]) => [name, answer[sent]])) as Renamed);
}

/** An order of cards, without the cards. */
export const CardOrder = renamed({ cardOrderId: ['CardOrderId', Id], orderedAt: ['OrderDateTime', Text] });

/** Answer to an order of virtual cards. The card itself follows as a webhook. */
export const VirtualCardOrderPlaced = renamed({ virtualCardOrderId: ['VirtualCardOrderId', Id] });

/**
 * Network transactions have the webhooks' fields and go through the same redaction. The service does not page them, so an
 * answer with more pages is refused: part of them would be taken for all.
 */
export const NetworkTransactionRows = z
  .object({
    TransactionList: orEmpty(rowsOf(AnyRecord)),
    Pages: z.object({ NumberOfPages: z.number().nullish() }).nullish(),
  })
  .refine(({ Pages }) => (Pages?.NumberOfPages ?? 1) <= 1, 'more pages than one')
  .transform(({ TransactionList }) => TransactionList);

/** What remains of each limit in its current window, for both forms of the service's answer. */
export interface RemainingLimits {
  readonly overall: readonly RemainingLimit[];
  /** The id is null when the service names the category without it. */
  readonly categories: readonly (RemainingLimit & { readonly id: number | null; readonly name: string })[];
}

export interface RemainingLimit {
  readonly period: LimitPeriod;
  /** Null when the service names none. */
  readonly limitCents: number | null;
  readonly remainingCents: number | null;
}

const amounts = { Type: z.string(), Limit: Cents, EnforcedLimit: Cents, Remaining: Cents, RemainingSpend: Cents };
const rowsIn = <T extends z.ZodType>(row: T) => rowsOf(row).nullish();
const Overall = z.object(amounts);
const Category = z.object({ ...amounts, Category: Text, MerchantCategoryId: Id.nullish() });
const RemainingAnswer = z
  .object({
    GlobalLimit: rowsIn(Overall),
    GlobalLimits: rowsIn(Overall),
    CategoryLimit: rowsIn(Category),
    MerchantCategoryLimits: rowsIn(Category),
  })
  .refine((answer) => Object.values(answer).some((part) => part !== undefined), 'neither form of the answer');

/** Reads both forms: `GlobalLimit`/`CategoryLimit` and `GlobalLimits`/`MerchantCategoryLimits`. */
export function remainingLimitsSchema({ periodWords }: Pick<CardApiAssumptions, 'periodWords'>) {
  const toLimit = (row: z.infer<typeof Overall>): RemainingLimit[] => {
    const period = periodWords[row.Type.toLowerCase().replace(/[^a-z]/g, '')];
    if (period === undefined) return [];
    const limitCents = row.EnforcedLimit ?? row.Limit;
    const remainingCents = row.RemainingSpend ?? row.Remaining;
    // A window without a limit may be listed with null. With 0, it is told from a limit of $0 by the rules.
    return limitCents === null && remainingCents === null ? [] : [{ period, limitCents, remainingCents }];
  };
  return RemainingAnswer.transform(
    (answer): RemainingLimits => ({
      overall: (answer.GlobalLimits ?? answer.GlobalLimit ?? []).flatMap(toLimit),
      categories: (answer.MerchantCategoryLimits ?? answer.CategoryLimit ?? []).flatMap((row) =>
        toLimit(row).map((limit) => ({ id: row.MerchantCategoryId ?? null, name: row.Category ?? '', ...limit })),
      ),
    }),
  );
}

/** A spending ruleset. Its id may have either name. */
export const Ruleset = z.union([
  renamed({ rulesetId: ['Id', Id], name: ['Name', Text] }),
  renamed({ rulesetId: ['RulesetId', Id], name: ['Name', Text] }),
]);
