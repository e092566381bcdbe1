import { CardApiError } from '../core/errors.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { CallOptions, CardCall } from './call.ts';
import { type AnyRecord, rowsOf } from './schema.ts';
import { AccountDetails } from './schema-account.ts';
import { Ruleset, RulesetCreated } from './schema-ruleset.ts';

/** Spending rulesets: rules that several cards share. */
export interface RulesetMethods {
  listRulesets(options?: CallOptions): Promise<Ruleset[]>;
  getRuleset(rulesetId: number, options?: CallOptions): Promise<Ruleset>;
  listRulesetCards(rulesetId: number, options?: CallOptions): Promise<AccountDetails[]>;
  listRulesetCardsAdvanced(rulesetId: number, options?: CallOptions): Promise<AccountDetails[]>;
  /** `ruleset` in the service's own field names. Never sent twice. */
  createRuleset(ruleset: AnyRecord, options?: CallOptions): Promise<RulesetCreated>;
  /** The whole ruleset with its `Id`, in the service's own field names. */
  updateRuleset(ruleset: AnyRecord, options?: CallOptions): Promise<void>;
}

export function rulesetMethods(call: CardCall, assumptions: CardApiAssumptions): RulesetMethods {
  const all = ['/SpendingRuleset/Advanced'];
  const noneIfMissing = async <T>(list: Promise<T[]>): Promise<T[]> => {
    try {
      return await list;
    } catch (error) {
      const isEmpty =
        error instanceof CardApiError && error.status !== null && assumptions.emptyListStatus.includes(error.status);
      if (isEmpty) return [];
      throw error;
    }
  };
  const cards = (operation: string, path: string, rulesetId: number, options: CallOptions | undefined) =>
    noneIfMissing(
      call({ operation, method: 'GET', paths: [path], ids: { rulesetId }, options }, rowsOf(AccountDetails)),
    );

  return {
    listRulesets(options) {
      return noneIfMissing(call({ operation: 'listRulesets', method: 'GET', paths: all, options }, rowsOf(Ruleset)));
    },

    getRuleset(rulesetId, options) {
      const paths = ['/SpendingRuleset/{rulesetId}/Advanced'];
      return call({ operation: 'getRuleset', method: 'GET', paths, ids: { rulesetId }, options }, Ruleset);
    },

    listRulesetCards: (rulesetId, options) =>
      cards('listRulesetCards', '/SpendingRuleset/{rulesetId}/Cards', rulesetId, options),

    listRulesetCardsAdvanced: (rulesetId, options) =>
      cards('listRulesetCardsAdvanced', '/SpendingRuleset/{rulesetId}/Advanced/Cards', rulesetId, options),

    createRuleset(ruleset, options) {
      return call({ operation: 'createRuleset', method: 'POST', paths: all, body: ruleset, options }, RulesetCreated);
    },

    async updateRuleset(ruleset, options) {
      await call({ operation: 'updateRuleset', method: 'PUT', paths: all, body: ruleset, options });
    },
  };
}
