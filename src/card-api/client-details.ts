import type { CardApiAssumptions } from './assumptions.ts';
import type { CallOptions, CardCall } from './call.ts';
import { badAnswer } from './errors.ts';
import { AnyRecord } from './schema.ts';
import type { GroupMember } from './schema-account.ts';
import { AccountDetails, Business, GroupMembers } from './schema-account.ts';
import { type RemainingLimits, remainingLimitsSchema } from './schema-limits.ts';
import { TransactionRows } from './schema-order.ts';
import { toServiceWindow } from './service-window.ts';
import { readSpendRules, type SpendRules } from './spend-rules.ts';

/** A stretch of time to ask about. The service takes at most the last twelve months. */
export interface TransactionWindow {
  /** An instant, or the `next` of an earlier answer. */
  readonly from: Date | string;
  readonly to: Date;
}

export interface TransactionQuery extends TransactionWindow {
  readonly includePendings?: boolean;
  readonly includeDeclines?: boolean;
}

export interface AccountWithRules extends AccountDetails {
  /** Null where the answer holds none that can be read. */
  readonly rules: SpendRules | null;
}

/** What the service calls Details, and groups. */
export interface DetailsMethods {
  /** The business with every account. At most ten times an hour: only the directory asks this. */
  listAccounts(options?: CallOptions): Promise<Business>;
  /** One account with every card ever issued to it. Holds no first and last name. */
  getAccount(acctId: number, options?: CallOptions): Promise<AccountDetails>;
  /** The same with the time-based limits. */
  getAccountAdvanced(acctId: number, options?: CallOptions): Promise<AccountWithRules>;
  getRemainingLimits(acctId: number, options?: CallOptions): Promise<RemainingLimits>;
  /** Of the business account itself, not of the cards. */
  listBusinessTransactions(query: TransactionQuery, options?: CallOptions): Promise<TransactionRows>;
  listAccountTransactions(acctId: number, query: TransactionQuery, options?: CallOptions): Promise<TransactionRows>;
  listAllCardholderTransactions(query: TransactionQuery, options?: CallOptions): Promise<TransactionRows>;
  /** Network transactions of one account, in the fields of the webhooks: what finds missed ones. */
  listAccountNetworkTransactions(
    acctId: number,
    window: TransactionWindow,
    options?: CallOptions,
  ): Promise<AnyRecord[]>;
  /** Network transactions of all accounts. */
  listNetworkTransactions(window: TransactionWindow, options?: CallOptions): Promise<AnyRecord[]>;
  getGroup(groupId: number, options?: CallOptions): Promise<GroupMember[]>;
}

export function detailsMethods(call: CardCall, assumptions: CardApiAssumptions, timezone: string): DetailsMethods {
  const remainingLimits = remainingLimitsSchema(assumptions);
  const get = (
    operation: string,
    paths: readonly string[],
    ids: Record<string, number>,
    options: CallOptions | undefined,
  ) => ({
    operation,
    method: 'GET' as const,
    paths,
    ids,
    options,
  });
  const windowQuery = ({ from, to }: TransactionWindow) => {
    const window = toServiceWindow(from, to, timezone);
    return { StartDate: window.start, EndDate: window.end };
  };
  const fullQuery = (query: TransactionQuery) => ({
    ...windowQuery(query),
    ...(query.includePendings === undefined ? {} : { IncludePendings: String(query.includePendings) }),
    ...(query.includeDeclines === undefined ? {} : { IncludeDeclines: String(query.includeDeclines) }),
  });

  return {
    listAccounts(options) {
      return call(get('listAccounts', ['/Details/AccountDetails'], {}, options), Business);
    },

    getAccount(acctId, options) {
      return call(get('getAccount', ['/Details/AccountDetails/{acctId}'], { acctId }, options), AccountDetails);
    },

    async getAccountAdvanced(acctId, options) {
      const operation = 'getAccountAdvanced';
      const raw = await call(get(operation, assumptions.accountAdvancedPaths, { acctId }, options), AnyRecord);
      const details = AccountDetails.safeParse(raw);
      if (!details.success) throw badAnswer(operation, 200, 'no account');
      return { ...details.data, rules: readSpendRules(raw.SpendRules, assumptions) };
    },

    getRemainingLimits(acctId, options) {
      return call(get('getRemainingLimits', assumptions.remainingLimitPaths, { acctId }, options), remainingLimits);
    },

    listBusinessTransactions(query, options) {
      const request = get('listBusinessTransactions', ['/Details/TransactionDetails'], {}, options);
      return call({ ...request, query: fullQuery(query) }, TransactionRows);
    },

    listAccountTransactions(acctId, query, options) {
      const request = get('listAccountTransactions', ['/Details/TransactionDetails/{acctId}'], { acctId }, options);
      return call({ ...request, query: fullQuery(query) }, TransactionRows);
    },

    listAllCardholderTransactions(query, options) {
      const request = get('listAllCardholderTransactions', ['/Details/AllCardholderTransactions'], {}, options);
      return call({ ...request, query: fullQuery(query) }, TransactionRows);
    },

    async listAccountNetworkTransactions(acctId, window, options) {
      const request = get(
        'listAccountNetworkTransactions',
        ['/Details/{acctId}/NetworkTransactions'],
        { acctId },
        options,
      );
      return (await call({ ...request, query: windowQuery(window) }, TransactionRows)).rows;
    },

    async listNetworkTransactions(window, options) {
      const request = get('listNetworkTransactions', ['/Details/NetworkTransactions'], {}, options);
      return (await call({ ...request, query: windowQuery(window) }, TransactionRows)).rows;
    },

    getGroup(groupId, options) {
      return call(get('getGroup', ['/Group/{groupId}'], { groupId }, options), GroupMembers);
    },
  };
}
