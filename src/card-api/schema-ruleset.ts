import { z } from 'zod';
import { AnyRecord, Id, Text } from './schema.ts';

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
