import { z } from 'zod';
import type { CardApiAssumptions } from './assumptions.ts';
import type { LimitPeriod } from './rule.ts';
import { AnyRecord, Cents, Id, rowsOf, Text } from './schema.ts';

export interface RemainingLimit {
  readonly period: LimitPeriod;
  /** Null where the service names none. */
  readonly limitCents: number | null;
  readonly remainingCents: number | null;
}

export interface RemainingCategoryLimit extends RemainingLimit {
  /** Null where the service names the category without its id. */
  readonly id: number | null;
  readonly name: string;
}

/** What remains of each limit in its current window, whichever form of the answer the service sends. */
export interface RemainingLimits {
  readonly overall: readonly RemainingLimit[];
  readonly categories: readonly RemainingCategoryLimit[];
}

const amounts = { Type: z.string(), Limit: Cents, EnforcedLimit: Cents, Remaining: Cents, RemainingSpend: Cents };
const list = <T extends z.ZodType>(row: T) => rowsOf(row).nullish();
const Overall = z.object(amounts);
const Category = z.object({ ...amounts, Category: Text, MerchantCategoryId: Id.nullish() });
const Answer = z
  .object({
    GlobalLimit: list(Overall),
    GlobalLimits: list(Overall),
    CategoryLimit: list(Category),
    MerchantCategoryLimits: list(Category),
  })
  .refine((answer) => Object.values(answer).some((part) => part !== undefined), 'neither form of the answer');

/** Reads both forms: `GlobalLimit`/`CategoryLimit` and `GlobalLimits`/`MerchantCategoryLimits`. */
export function remainingLimitsSchema({ periodWords }: Pick<CardApiAssumptions, 'periodWords'>) {
  const toLimit = (row: z.infer<typeof Overall>): RemainingLimit[] => {
    const period = periodWords[row.Type.toLowerCase().replace(/[^a-z]/g, '')];
    if (period === undefined) return [];
    const limitCents = row.EnforcedLimit ?? row.Limit;
    return [{ period, limitCents, remainingCents: row.RemainingSpend ?? row.Remaining }];
  };
  return Answer.transform(
    (answer): RemainingLimits => ({
      overall: (answer.GlobalLimits ?? answer.GlobalLimit ?? []).flatMap(toLimit),
      categories: (answer.MerchantCategoryLimits ?? answer.CategoryLimit ?? []).flatMap((row) =>
        toLimit(row).map((limit) => ({ id: row.MerchantCategoryId ?? null, name: row.Category ?? '', ...limit })),
      ),
    }),
  );
}

/** A spending ruleset with its time-based limits. `raw` is all of it, for whoever changes one and writes it back. */
export const Ruleset = AnyRecord.transform((raw, context) => {
  const parsed = RulesetHead.safeParse(raw);
  if (parsed.success) return { ...parsed.data, raw };
  context.addIssue({ code: 'custom', message: 'no ruleset' });
  return z.NEVER;
});
export type Ruleset = z.infer<typeof Ruleset>;

const RulesetHead = z
  .object({ Id: Id.nullish(), RulesetId: Id.nullish(), Name: Text, CardCount: z.int().nullish() })
  .transform((ruleset, context) => {
    const rulesetId = ruleset.Id ?? ruleset.RulesetId;
    if (rulesetId === null || rulesetId === undefined) {
      context.addIssue({ code: 'custom', message: 'no id' });
      return z.NEVER;
    }
    return { rulesetId, name: ruleset.Name, cardCount: ruleset.CardCount ?? null };
  });

/** Answer to a ruleset that was created: its id, under either name. */
export const RulesetCreated = z
  .object({ RulesetId: Id.nullish(), Id: Id.nullish() })
  .transform((created) => ({ rulesetId: created.RulesetId ?? created.Id ?? null }));
export type RulesetCreated = z.infer<typeof RulesetCreated>;
