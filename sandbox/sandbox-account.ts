import { midnight, toServiceTime } from './service-time.ts';
import { type Account, type Card, currentCard, last4 } from './state/account.ts';
import { balancesOf, rulesOf, type World } from './state/world.ts';

/** An account as tests and demos see it: the service's terms, no card number, amounts in dollars. */
export type SandboxAccount = ReturnType<typeof sandboxAccount>;

/** A copy of an account as it is now. */
export function sandboxAccount(world: World, account: Account) {
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
    ...balancesOf(account),
    /** The rules in force: the ruleset's, if the account has one. */
    SpendRules: structuredClone(rulesOf(world, account)),
    CardList: account.cards.map(sandboxCard),
    /** The card that pays unless a purchase names another one. */
    CurrentCard: sandboxCard(currentCard(account) ?? account.cards[0]),
  };
}

function sandboxCard(card: Card) {
  return {
    CardId: card.cardId,
    Last4CardNumber: last4(card),
    CardStatus: card.status,
    CardOrderId: card.cardOrderId,
    IssueDate: toServiceTime(new Date(card.issuedAt)),
    ExpirationDate: midnight(card.expiresOn),
  };
}
