import { z } from 'zod';
import { toWallClock } from '../core/service-time.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { Retry } from './retry.ts';
import {
  AnyRecord,
  CardOrder,
  CardOrderPlaced,
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

/** What the arguments of a call become on the wire. */
export interface Sent {
  /** By their names in the path. */
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
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

const spendRulesSchema = (assumptions: CardApiAssumptions) =>
  readAs('no spend rules', (raw): SpendRulesRead | null => {
    const rules = readSpendRules(raw, assumptions);
    return rules === null ? null : { rules, raw };
  });

/** The rules are null where the answer holds none that can be read. */
const accountWithRulesSchema = (assumptions: CardApiAssumptions) =>
  readAs('no account', (raw): (AccountDetails & { readonly rules: SpendRules | null }) | null => {
    const { data } = AccountDetails.safeParse(raw);
    return data === undefined ? null : { ...data, rules: readSpendRules(raw.SpendRules, assumptions) };
  });

/** A stretch of time to ask about. The service takes at most the last twelve months. */
interface TransactionWindow {
  /** An instant, or the `next` of an earlier answer. */
  readonly from: Date | string;
  readonly to: Date;
}

interface TransactionQuery extends TransactionWindow {
  readonly includePendings?: boolean;
  readonly includeDeclines?: boolean;
}

/** A stretch of time as query parameters. */
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
 * Instants → the service's wall clock: `YYYY-MM-DDThh:mm:ss` in its own zone, without offset.
 *
 * In the hours around a clock change one wall time can mean two instants, so the stretch is widened there by up to two
 * hours on each side: the answer may hold more than was asked for, never less.
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
