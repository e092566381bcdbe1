import { z } from 'zod';
import { toWallClock } from '../core/service-time.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { Retry } from './retry.ts';
import {
  AnyRecord,
  CardOrder,
  CardOrderPlaced,
  NetworkTransactionRows,
  Ruleset,
  RulesetCreated,
  readAs,
  remainingLimitsSchema,
  rowsOf,
  TransactionRows,
  VirtualCardOrderPlaced,
} from './schema.ts';
import { AccountDetails, Business, CurrentToken, GroupMembers, Profile } from './schema-account.ts';
import { readSpendRules, type SpendRules, type SpendRulesRead, toSpendRulesBody } from './spend-rules.ts';

/** The arguments of a call as sent. */
export interface Sent {
  /** By their names in the path. */
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

export interface Endpoint<Args extends readonly unknown[], Answer> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With `{name}` in place of an id. An assumption named after the call (`activateCardPaths`) replaces it. */
  readonly path: string;
  readonly retry: Retry;
  readonly send: (...args: Args) => Sent;
  /** Null: the body does not matter. It may be empty, `{}`, `null` or a date. */
  readonly answer: z.ZodType<Answer> | null;
  /** A list that some statuses report as empty. */
  readonly isList?: boolean;
  /** Fields that we do not know are written back, so a number must stay one, whatever its size. */
  readonly isWrittenBack?: boolean | undefined;
}

export type Endpoints = ReturnType<typeof cardEndpoints>;

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

/** A write whose answer contains needed data. Repeated only after a 429, which means that nothing was done. */
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

/** All calls of the card program's API, by the client's method names. Bodies use the service's own field names. */
export function cardEndpoints(assumptions: CardApiAssumptions, timezone: string) {
  return {
    ping: { ...read('/ping', nothing, z.unknown()), answer: null } satisfies Endpoint<[], void>,
    /** Whose token this is. Checked at startup. */
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
  /** Blocks or unblocks the account's card immediately; a webhook confirms it. */
  setCardStatus: write('PUT', '/Card/Status/{acctId}', 'once', (acctId: number, status: 'ACTIVE' | 'BLOCKED') => ({
    ids: { acctId },
    body: status === 'BLOCKED' ? assumptions.blockedBody : assumptions.activeBody,
  })),
  /** Activates one card, which permanently closes all other cards of the account. Never sent twice. */
  activateCard: write('POST', '/Card/Activate/{acctId}/{cardId}', 'once', (acctId: number, cardId: number) => ({
    ids: { acctId, cardId },
  })),
  getSpendRules: {
    ...read('/Card/SpendRules/{acctId}/Advanced', ofAccount, spendRulesSchema(assumptions)),
    isWrittenBack: true,
  },
  /** Replaces all rules: `raw` from `getSpendRules`, with `applyChanges` applied. */
  putSpendRules: write('PUT', '/Card/SpendRules/{acctId}/Advanced', 'once', (acctId: number, raw: AnyRecord) => ({
    ...ofAccount(acctId),
    body: toSpendRulesBody(raw, assumptions),
  })),
  getProfile: read('/Card/Profile/{acctId}', ofAccount, Profile),
  /** Fields missing in `changes` stay unchanged. */
  updateProfile: write('PUT', '/Card/Profile/{acctId}', 'never', (acctId: number, changes: AnyRecord) => ({
    ...ofAccount(acctId),
    body: changes,
  })),
});

const orderCalls = {
  /** Orders cards (`{ Cards: […] }`). Check for the order before repeating it. */
  createCards: order('/Card/CreateAsync', CardOrderPlaced),
  /** Answers only once the card exists. The answer is undocumented and returned unchanged. */
  createCardSync: order('/Card/CreateSync', AnyRecord),
  getCardOrder: read('/Card/CardOrder/{cardOrderId}', (cardOrderId: number) => ({ ids: { cardOrderId } }), CardOrder),
  /** Orders virtual cards (`{ VirtualCards: […] }`). The cards arrive as webhooks. */
  orderVirtualCards: order('/VirtualCard/Order', VirtualCardOrderPlaced),
  /** Requests a virtual card's webhook again; `data` with `AcctId`. */
  requestVirtualCardData: write('POST', '/VirtualCard/Data', 'never', (data: AnyRecord) => ({ body: data })),
};

/** `/Details`: information about accounts. */
const accountCalls = (assumptions: CardApiAssumptions) => ({
  /** The business with every account. Limited to ten calls an hour, so only the directory uses it. */
  listAccounts: read('/Details/AccountDetails', nothing, Business),
  /** One account with every card ever issued to it, without first and last name. */
  getAccount: read('/Details/AccountDetails/{acctId}', ofAccount, AccountDetails),
  /** The same, with the spend rules. */
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
  return {
    /** Transactions of the business account itself, not of the cards. */
    listBusinessTransactions: read('/Details/TransactionDetails', byQuery, TransactionRows),
    listAccountTransactions: read(
      '/Details/TransactionDetails/{acctId}',
      (acctId: number, query: TransactionQuery) => ({ ...ofAccount(acctId), ...byQuery(query) }),
      TransactionRows,
    ),
    listAllCardholderTransactions: read('/Details/AllCardholderTransactions', byQuery, TransactionRows),
    /** Network transactions of one account, with the same fields as the webhooks. Used to find missed ones. */
    listAccountNetworkTransactions: read(
      '/Details/{acctId}/NetworkTransactions',
      (acctId: number, window: TransactionWindow) => ({ ...ofAccount(acctId), ...inWindow(window) }),
      NetworkTransactionRows,
    ),
    /** Network transactions of all accounts. */
    listNetworkTransactions: read('/Details/NetworkTransactions', inWindow, NetworkTransactionRows),
  };
};

const rulesetCalls = {
  listRulesets: list('/SpendingRuleset/Advanced', nothing, rowsOf(Ruleset)),
  getRuleset: read('/SpendingRuleset/{rulesetId}/Advanced', ofRuleset, Ruleset),
  listRulesetCards: list('/SpendingRuleset/{rulesetId}/Cards', ofRuleset, rowsOf(AccountDetails)),
  listRulesetCardsAdvanced: list('/SpendingRuleset/{rulesetId}/Advanced/Cards', ofRuleset, rowsOf(AccountDetails)),
  createRuleset: order('/SpendingRuleset/Advanced', RulesetCreated),
  /** The complete ruleset with its `Id`. */
  updateRuleset: write('PUT', '/SpendingRuleset/Advanced', 'never', (ruleset: AnyRecord) => ({ body: ruleset })),
};

const spendRulesSchema = (assumptions: CardApiAssumptions) =>
  readAs('no spend rules', (raw): SpendRulesRead | null => {
    const rules = readSpendRules(raw, assumptions);
    return rules === null ? null : { rules, raw };
  });

/** The rules are null when the answer has none that can be read. */
const accountWithRulesSchema = (assumptions: CardApiAssumptions) =>
  readAs('no account', (raw): (AccountDetails & { readonly rules: SpendRules | null }) | null => {
    const { data } = AccountDetails.safeParse(raw);
    return data === undefined ? null : { ...data, rules: readSpendRules(raw.SpendRules, assumptions) };
  });

/** A period to ask about. The service accepts at most the last twelve months. */
interface TransactionWindow {
  /** An instant, or `next` from an earlier answer. */
  readonly from: Date | string;
  readonly to: Date;
}

interface TransactionQuery extends TransactionWindow {
  readonly includePendings?: boolean;
  readonly includeDeclines?: boolean;
}

function windowOf({ from, to }: TransactionWindow, timezone: string): Record<string, string> {
  const { start, end } = toServiceWindow(from, to, timezone);
  return { StartDate: start, EndDate: end };
}

function queryOf(query: TransactionQuery, timezone: string): Record<string, string> {
  const { includePendings, includeDeclines } = query;
  return {
    ...windowOf(query, timezone),
    ...(includePendings !== undefined && { IncludePendings: String(includePendings) }),
    ...(includeDeclines !== undefined && { IncludeDeclines: String(includeDeclines) }),
  };
}

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

/**
 * Converts instants to the service's wall clock: `YYYY-MM-DDThh:mm:ss` in its own zone, without offset.
 *
 * Around a clock change one wall time can mean two instants, so the period is widened by up to two hours on each side:
 * the answer may contain more than requested, never less.
 */
export function toServiceWindow(
  from: Date | string,
  to: Date,
  timezone: string,
): { readonly start: string; readonly end: string } {
  const start = typeof from === 'string' ? from : toWallClock(clearOfClockChange(from, timezone, -1), timezone);
  return { start, end: toWallClock(clearOfClockChange(roundUp(to), timezone, 1), timezone) };
}

function roundUp(instant: Date): Date {
  return new Date(Math.ceil(instant.getTime() / 1000) * 1000);
}

function clearOfClockChange(instant: Date, timezone: string, direction: -1 | 1): Date {
  const before = new Date(instant.getTime() - TWO_HOURS_MS);
  const after = new Date(instant.getTime() + TWO_HOURS_MS);
  if (offsetMs(before, timezone) === offsetMs(after, timezone)) return instant;
  return direction === -1 ? before : after;
}

function offsetMs(instant: Date, timezone: string): number {
  return Date.parse(`${toWallClock(instant, timezone)}Z`) - Math.floor(instant.getTime() / 1000) * 1000;
}
