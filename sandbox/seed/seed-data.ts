import type { CardStatus } from '../state/account.ts';
import type { Limits, SpendRules } from '../state/spend-rules.ts';
import type { Group } from '../state/state.ts';

/** A card of the seed. */
export interface SeedCard {
  readonly status: CardStatus;
  /** Chosen by the sandbox when omitted. */
  readonly lastFour?: string;
  /** Age at the start. Inactive seed cards are old enough to be activated. */
  readonly ageDays?: number;
}

/** Rules of the seed: changes to a new card's rules. */
export interface SeedRules extends Partial<Limits> {
  readonly international?: boolean;
  readonly cardNotPresent?: boolean;
  readonly businessBalance?: boolean;
  readonly remoteDecision?: boolean;
  /** Only these categories, by id. Limits are null unless given. */
  readonly categories?: readonly ({ readonly id: number; readonly TransactionLimit?: number } & Partial<Limits>)[];
}

/** A past purchase. */
export interface SeedPurchase {
  readonly daysAgo: number;
  readonly amount: number;
  readonly merchant: string;
  readonly mcc: string;
  readonly outcome: 'held' | 'settled' | 'reversed' | 'refunded';
  readonly pin?: boolean;
  readonly online?: boolean;
  readonly country?: string;
}

export interface SeedAccount {
  readonly name: readonly [first: string, last: string];
  readonly customId?: string;
  readonly group?: number;
  readonly ruleset?: number;
  /** Dollars on the card at the start, after the past purchases. */
  readonly balance: number;
  readonly virtual?: boolean;
  readonly cards: readonly SeedCard[];
  readonly rules?: SeedRules;
  readonly history?: readonly SeedPurchase[];
}

/** A complete business to start with. */
export interface SeedData {
  readonly business: { readonly name: string; readonly balance: number };
  readonly groups: readonly Group[];
  readonly rulesets: readonly { readonly id: number; readonly name: string; readonly rules: SeedRules }[];
  readonly accounts: readonly SeedAccount[];
}

/** Applies a seed's rule changes to the given rules. */
export function applySeedRules(base: SpendRules, seed: SeedRules = {}): SpendRules {
  const { international, cardNotPresent, businessBalance, remoteDecision, categories, ...limits } = seed;
  return {
    ...base,
    ...limits,
    InternationalSpendEnabled: international ?? base.InternationalSpendEnabled,
    CardNotPresentUse: cardNotPresent ?? base.CardNotPresentUse,
    UseBusinessBalanceForAuths: businessBalance ?? base.UseBusinessBalanceForAuths,
    UseCustomerAuthDecision: remoteDecision ?? base.UseCustomerAuthDecision,
    MerchantCategories:
      categories === undefined
        ? base.MerchantCategories
        : base.MerchantCategories.flatMap((category) => {
            const wanted = categories.find(({ id }) => id === category.Id);
            if (wanted === undefined) return [];
            const { id: _id, ...own } = wanted;
            return [{ ...category, ...own }];
          }),
  };
}
