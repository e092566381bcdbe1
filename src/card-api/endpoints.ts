import { z } from 'zod';
import type { CardApiAssumptions } from './assumptions.ts';
import type { Retry } from './retry.ts';
import { AnyRecord, rowsOf } from './schema.ts';
import { AccountDetails, Business, CurrentToken, GroupMembers, Profile } from './schema-account.ts';
import { Ruleset, RulesetCreated, remainingLimitsSchema } from './schema-limits.ts';
import { CardOrder, CardOrderPlaced, TransactionRows, VirtualCardOrderPlaced } from './schema-order.ts';
import { queryOf, type TransactionQuery, type TransactionWindow, windowOf } from './service-window.ts';
import { readSpendRules, type SpendRules, type SpendRulesRead, toSpendRulesBody } from './spend-rules.ts';

/** What the arguments of a call become on the wire. */
export interface Sent {
  /** By their names in the path. */
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Endpoint<Args extends readonly unknown[], Answer> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `{name}` where an id goes. An assumption named after the call (`activateCardPaths`) replaces it. */
  readonly path: string;
  readonly retry: Retry;
  readonly send: (...args: Args) => Sent;
  /** Null: the body does not matter; it may be empty, `{}`, `null` or a date. */
  readonly answer: z.ZodType<Answer> | null;
  /** A list, for which some statuses say that it is empty. */
  readonly isList?: boolean;
}

export type Endpoints = ReturnType<typeof cardEndpoints>;

interface AccountWithRules extends AccountDetails {
  /** Null where the answer holds none that can be read. */
  readonly rules: SpendRules | null;
}

const read = <Args extends readonly unknown[], Answer>(
  path: string,
  send: Endpoint<Args, Answer>['send'],
  answer: z.ZodType<Answer>,
): Endpoint<Args, Answer> => ({ method: 'GET', path, retry: 'safe', send, answer });

const list = <Args extends readonly unknown[], Answer>(
  path: string,
  send: Endpoint<Args, Answer[]>['send'],
  answer: z.ZodType<Answer[]>,
): Endpoint<Args, Answer[]> => ({ ...read(path, send, answer), isList: true });

const write = <Args extends readonly unknown[]>(
  method: 'POST' | 'PUT',
  path: string,
  retry: Retry,
  send: Endpoint<Args, void>['send'],
): Endpoint<Args, void> => ({ method, path, retry, send, answer: null });

/** A write whose answer holds something that is needed. Never sent twice. */
const order = <Answer>(path: string, answer: z.ZodType<Answer>): Endpoint<[body: AnyRecord], Answer> => ({
  method: 'POST',
  path,
  retry: 'never',
  send: (body) => ({ body }),
  answer,
});

const nothing = (): Sent => ({});
const ofAccount = (acctId: number): Sent => ({ ids: { acctId } });
const ofRuleset = (rulesetId: number): Sent => ({ ids: { rulesetId } });

/** All calls of the card program's API, by the name of the client's method. Bodies are in the service's own field names. */
export function cardEndpoints(assumptions: CardApiAssumptions, timezone: string) {
  return {
    ping: { ...read('/ping', nothing, z.unknown()), answer: null } satisfies Endpoint<[], void>,
    /** Whose token this is: a check at start-up. */
    getCurrentToken: read('/Token/Current', nothing, CurrentToken),
    ...cardCalls(assumptions),
    ...orderCalls,
    ...accountCalls(assumptions),
    ...transactionCalls(timezone),
    ...rulesetCalls,
  };
}

/** `/Card`: changes of a card. */
const cardCalls = (assumptions: CardApiAssumptions) => ({
  /** Blocks or unblocks the account's card, at once; a webhook confirms it. */
  setCardStatus: write('PUT', '/Card/Status/{acctId}', 'once', (acctId: number, status: 'ACTIVE' | 'BLOCKED') => ({
    ids: { acctId },
    body: status === 'BLOCKED' ? assumptions.blockedBody : assumptions.activeBody,
  })),
  /** Activates one card, which closes all other cards of the account for good. Never sent twice. */
  activateCard: write('POST', '/Card/Activate/{acctId}/{cardId}', 'once', (acctId: number, cardId: number) => ({
    ids: { acctId, cardId },
  })),
  getSpendRules: read('/Card/SpendRules/{acctId}/Advanced', ofAccount, spendRulesSchema(assumptions)),
  /** Replaces all rules: `raw` as `getSpendRules` gave it, with `applyChanges` applied. */
  putSpendRules: write('PUT', '/Card/SpendRules/{acctId}/Advanced', 'once', (acctId: number, raw: AnyRecord) => ({
    ...ofAccount(acctId),
    body: toSpendRulesBody(raw, assumptions),
  })),
  getProfile: read('/Card/Profile/{acctId}', ofAccount, Profile),
  /** Fields that `changes` leaves out stay as they are. */
  updateProfile: write('PUT', '/Card/Profile/{acctId}', 'never', (acctId: number, changes: AnyRecord) => ({
    ...ofAccount(acctId),
    body: changes,
  })),
});

const orderCalls = {
  /** Orders cards (`{ Cards: […] }`). Look for the order before you repeat it. */
  createCards: order('/Card/CreateAsync', CardOrderPlaced),
  /** The form that answers once the card exists. Its answer is not documented and returned as it is. */
  createCardSync: order('/Card/CreateSync', AnyRecord),
  getCardOrder: read('/Card/CardOrder/{cardOrderId}', (cardOrderId: number) => ({ ids: { cardOrderId } }), CardOrder),
  /** Orders virtual cards (`{ VirtualCards: […] }`). The cards themselves come as webhooks. */
  orderVirtualCards: order('/VirtualCard/Order', VirtualCardOrderPlaced),
  /** Asks for one virtual card's webhook again; `data` with `AcctId`. */
  requestVirtualCardData: write('POST', '/VirtualCard/Data', 'never', (data: AnyRecord) => ({ body: data })),
};

/** `/Details`: what is known of accounts. */
const accountCalls = (assumptions: CardApiAssumptions) => ({
  /** The business with every account. At most ten times an hour, so only the directory calls it. */
  listAccounts: read('/Details/AccountDetails', nothing, Business),
  /** One account with every card ever issued to it, without first and last name. */
  getAccount: read('/Details/AccountDetails/{acctId}', ofAccount, AccountDetails),
  /** The same with the spend rules. */
  getAccountAdvanced: read('/Details/AccountDetails/{acctId}/Advanced', ofAccount, accountWithRulesSchema(assumptions)),
  getRemainingLimits: read(
    '/Details/AccountDetails/{acctId}/RemainingLimit',
    ofAccount,
    remainingLimitsSchema(assumptions),
  ),
  getGroup: read('/Group/{groupId}', (groupId: number) => ({ ids: { groupId } }), GroupMembers),
});

const transactionCalls = (timezone: string) => {
  const inWindow = (window: TransactionWindow): Sent => ({ query: windowOf(window, timezone) });
  const byQuery = (query: TransactionQuery): Sent => ({ query: queryOf(query, timezone) });
  const networkRows = TransactionRows.transform(({ rows }) => rows);
  return {
    /** Of the business account itself, not of the cards. */
    listBusinessTransactions: read('/Details/TransactionDetails', byQuery, TransactionRows),
    listAccountTransactions: read(
      '/Details/TransactionDetails/{acctId}',
      (acctId: number, query: TransactionQuery) => ({ ...ofAccount(acctId), ...byQuery(query) }),
      TransactionRows,
    ),
    listAllCardholderTransactions: read('/Details/AllCardholderTransactions', byQuery, TransactionRows),
    /** Network transactions of one account, in the fields of the webhooks: what finds missed ones. */
    listAccountNetworkTransactions: read(
      '/Details/{acctId}/NetworkTransactions',
      (acctId: number, window: TransactionWindow) => ({ ...ofAccount(acctId), ...inWindow(window) }),
      networkRows,
    ),
    /** Network transactions of all accounts. */
    listNetworkTransactions: read('/Details/NetworkTransactions', inWindow, networkRows),
  };
};

const rulesetCalls = {
  listRulesets: list('/SpendingRuleset/Advanced', nothing, rowsOf(Ruleset)),
  getRuleset: read('/SpendingRuleset/{rulesetId}/Advanced', ofRuleset, Ruleset),
  listRulesetCards: list('/SpendingRuleset/{rulesetId}/Cards', ofRuleset, rowsOf(AccountDetails)),
  listRulesetCardsAdvanced: list('/SpendingRuleset/{rulesetId}/Advanced/Cards', ofRuleset, rowsOf(AccountDetails)),
  createRuleset: order('/SpendingRuleset/Advanced', RulesetCreated),
  /** The whole ruleset with its `Id`. */
  updateRuleset: write('PUT', '/SpendingRuleset/Advanced', 'never', (ruleset: AnyRecord) => ({ body: ruleset })),
};

function spendRulesSchema(assumptions: CardApiAssumptions) {
  return AnyRecord.transform((raw, context): SpendRulesRead => {
    const rules = readSpendRules(raw, assumptions);
    if (rules !== null) return { rules, raw };
    context.addIssue({ code: 'custom', message: 'no spend rules' });
    return z.NEVER;
  });
}

function accountWithRulesSchema(assumptions: CardApiAssumptions) {
  return AnyRecord.transform((raw, context): AccountWithRules => {
    const details = AccountDetails.safeParse(raw);
    if (details.success) return { ...details.data, rules: readSpendRules(raw.SpendRules, assumptions) };
    context.addIssue({ code: 'custom', message: 'no account' });
    return z.NEVER;
  });
}
