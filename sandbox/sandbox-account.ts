import { toDollars } from './money.ts';
import { toServiceTime } from './service-time.ts';
import { type Account, type CardStatus, last4 } from './state/account.ts';
import type { SpendRules } from './state/spend-rules.ts';
import { availableCents, rulesOf, type World } from './state/world.ts';

/** An account as tests and demos see it: the service's terms, no card number, amounts in dollars. */
export interface SandboxAccount {
  readonly AcctId: number;
  readonly AccountNumber: string;
  readonly AccountStatus: 'OPEN' | 'CLOSED';
  readonly FirstName: string;
  readonly LastName: string;
  readonly CustomId: string | null;
  readonly Email: string;
  readonly IsVirtual: boolean;
  readonly GroupId: number | null;
  readonly SpendingRulesetId: number | null;
  readonly AvailableBalance: number;
  readonly LedgerBalance: number;
  /** The rules in force: the ruleset's, if the account has one. */
  readonly SpendRules: SpendRules;
  readonly CardList: readonly {
    readonly CardId: number;
    readonly Last4CardNumber: string;
    readonly CardStatus: CardStatus;
    readonly CardOrderId: number;
    readonly IssueDate: string;
    readonly ExpirationDate: string;
  }[];
}

/** A copy of an account as it is now. */
export function sandboxAccount(world: World, account: Account): SandboxAccount {
  return {
    AcctId: account.acctId,
    AccountNumber: account.accountNumber,
    AccountStatus: account.status,
    FirstName: account.firstName,
    LastName: account.lastName,
    CustomId: account.customId,
    Email: account.email,
    IsVirtual: account.isVirtual,
    GroupId: account.groupId,
    SpendingRulesetId: account.rulesetId,
    AvailableBalance: toDollars(availableCents(account)),
    LedgerBalance: toDollars(account.ledgerCents),
    SpendRules: structuredClone(rulesOf(world, account)),
    CardList: account.cards.map((card) => ({
      CardId: card.cardId,
      Last4CardNumber: last4(card),
      CardStatus: card.status,
      CardOrderId: card.cardOrderId,
      IssueDate: toServiceTime(new Date(card.issuedAt)),
      ExpirationDate: `${card.expiresOn}T00:00:00`,
    })),
  };
}
