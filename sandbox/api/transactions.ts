import { z } from 'zod';
import { toDollars } from '../money.ts';
import { ServiceError } from '../service-error.ts';
import { toServiceTime } from '../service-time.ts';
import type { NetworkRow, Purchase, Transfer } from '../state/transaction.ts';
import { findAccount, type World } from '../state/world.ts';
import { LocalTime, NetworkData } from '../webhook/schema.ts';
import { type DateRange, DateRangeQuery, dateRangeOf, Flag, flagOf, idOf, isWithin } from './request-parts.ts';
import { dollars, id, maybeId, maybeText, maybeTime } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

const MERCHANT_FIELDS = {
  MerchantName: true,
  MerchantCity: true,
  MerchantState: true,
  MerchantZip: true,
  MerchantCountry: true,
  MCCCode: true,
} as const;
const TransactionPage = z.strictObject({
  TransactionList: z.array(
    NetworkData.pick(MERCHANT_FIELDS).extend({
      TransactionId: id,
      AcctId: id,
      TransactionTime: LocalTime,
      TransactionAmount: dollars,
      PaddingAmount: dollars,
      TransactionNotes: z.array(z.unknown()),
      SourceCurrencyCodeDescription: z.null(),
      SourceCurrencyNumericCode: z.null(),
      SourceAmount: z.null(),
      MerchantLocalTime: maybeTime,
      HoldTime: maybeTime,
      SettlementTime: maybeTime,
      AuthTransactionId: id,
      TransactionType: z.enum(['Network', 'Transfer']),
      Description: z.string(),
      IsPending: z.boolean(),
      IsDecline: z.boolean(),
      IsCardPresent: z.boolean().optional(),
      TransferToOrFromAccountId: maybeId,
      AuthIdentityResponseCode: maybeText,
      MerchantId: maybeText,
      TerminalId: maybeText,
      NetworkTransactionId: maybeId,
      TransactionTags: z.record(z.string(), z.unknown()),
      MetadataApprovalStatus: z.enum(['Ignored', 'Not Reviewed']),
      TransactionTypeCategory: z.string(),
    }),
  ),
  Pages: z.strictObject({
    PageSize: z.int(),
    TotalRecords: z.int(),
    NumberOfPages: z.int(),
    LastTimeRetrieved: maybeTime,
  }),
});

const PageQuery = DateRangeQuery.extend({ IncludePendings: Flag.optional(), IncludeDeclines: Flag.optional() });

/** Transaction details: network transactions and transfers in the shape of statements, in pages. */
export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/Details/TransactionDetails',
    does: 'Transactions of the business',
    query: DateRangeQuery,
    response: TransactionPage,
    answer: ofBusiness,
  },
  {
    method: 'GET',
    path: '/Details/TransactionDetails/{Id}',
    does: 'Transactions of one account',
    query: PageQuery,
    response: TransactionPage,
    answer: ofAccount,
  },
  {
    method: 'GET',
    path: '/Details/AllCardholderTransactions',
    does: 'Transactions of all cards',
    query: PageQuery,
    response: TransactionPage,
    answer: (request) => page(request, cardItems(request)),
  },
];

/** A tag that has not been filled in yet. */
const TAGS = { Tags: [{ FieldId: '1', Value: null, Name: 'Cost center' }], State: 'Initial', FieldsVersion: 1 };

interface Item {
  readonly at: string;
  readonly body: object;
}

/** An administrator's token sees the business account here, not the cards. */
function ofBusiness(request: ApiRequest): ApiAnswer {
  return page(
    request,
    request.world.state.transfers.map((transfer) => transferItem(request.world, transfer, true)),
  );
}

function ofAccount(request: ApiRequest): ApiAnswer {
  const id = idOf(request.params[0]);
  if (id === request.world.state.business.businessAccountId) return ofBusiness(request);
  if (findAccount(request.world, id) === undefined) throw new ServiceError(403, 'Invalid card account ID');
  return page(request, cardItems(request, id));
}

function cardItems({ world, query }: ApiRequest, acctId?: number): Item[] {
  const withPendings = flagOf(query, 'IncludePendings');
  const withDeclines = flagOf(query, 'IncludeDeclines');
  const isWanted = (each: { acctId: number }): boolean => acctId === undefined || each.acctId === acctId;
  const purchases = world.state.purchases
    .filter(isWanted)
    .filter(({ state, postedCents }) =>
      state === 'held' ? withPendings : state === 'declined' ? withDeclines : postedCents !== 0,
    )
    .map((made) => purchaseItem(world, made));
  const transfers = world.state.transfers.filter(isWanted);
  return [...purchases, ...transfers.map((transfer) => transferItem(world, transfer, false))];
}

/** One page, oldest rows first. The next page starts at `LastTimeRetrieved` and repeats that row. */
function page({ world, query }: ApiRequest, items: readonly Item[]): ApiAnswer {
  const range: DateRange = dateRangeOf(world, query);
  const size = world.assume.transactionPageSize;
  const within = items.filter(({ at }) => isWithin(range, new Date(at))).sort((a, b) => a.at.localeCompare(b.at));
  const shown = within.slice(0, size);
  const last = shown.at(-1);
  return ok({
    TransactionList: shown.map(({ body }) => body),
    Pages: {
      PageSize: size,
      TotalRecords: within.length,
      NumberOfPages: Math.max(1, Math.ceil(within.length / size)),
      LastTimeRetrieved: last === undefined ? null : toServiceTime(new Date(last.at)),
    },
  });
}

function purchaseItem(world: World, made: Purchase): Item {
  const isDecline = made.state === 'declined';
  const isPending = made.state === 'held';
  const isCredit = made.kind === 'Credit';
  const cents = isPending ? made.openCents : isDecline ? made.amountCents : made.postedCents;
  return {
    at: made.at,
    body: {
      ...common(made.transactionId, made.acctId, made.at, isCredit ? cents : -cents),
      MerchantLocalTime: toServiceTime(new Date(made.at)),
      HoldTime: isDecline || made.kind !== 'Auth' ? null : toServiceTime(new Date(made.at)),
      SettlementTime: made.settledAt === null ? null : toServiceTime(new Date(made.settledAt)),
      AuthTransactionId: made.transactionId,
      TransactionType: 'Network',
      // Declines give their reason here.
      Description: isDecline ? (declineText(world, made) ?? 'Declined') : made.merchant.MerchantName,
      IsPending: isPending,
      IsDecline: isDecline,
      ...made.merchant,
      TransferToOrFromAccountId: null,
      AuthIdentityResponseCode: made.authCode,
      NetworkTransactionId: made.networkTransactionId,
      TransactionTags: TAGS,
      MetadataApprovalStatus: isDecline ? 'Ignored' : 'Not Reviewed',
      TransactionTypeCategory: isCredit ? 'NetworkCredit' : made.kind === 'Pin' ? 'NetworkPin' : 'NetworkSignature',
    },
  };
}

function declineText(world: World, made: Purchase): string | null | undefined {
  const found: NetworkRow | undefined = world.state.rows.find(
    ({ row }) => row.NetworkTransactionId === made.networkTransactionId,
  )?.row;
  return found?.Message;
}

/** A transfer as the card sees it, or as the business does: with the sign and the two accounts reversed. */
function transferItem(world: World, transfer: Transfer, forBusiness: boolean): Item {
  const { businessAccountId } = world.state.business;
  const [own, other] = forBusiness ? [businessAccountId, transfer.acctId] : [transfer.acctId, businessAccountId];
  const local = toServiceTime(new Date(transfer.at));
  return {
    at: transfer.at,
    body: {
      ...common(transfer.transactionId, own, transfer.at, forBusiness ? -transfer.amountCents : transfer.amountCents),
      MerchantLocalTime: null,
      HoldTime: null,
      SettlementTime: local,
      AuthTransactionId: 0,
      TransactionType: 'Transfer',
      Description: transfer.description,
      IsPending: false,
      IsDecline: false,
      MerchantName: '',
      MerchantCity: '',
      MerchantState: '',
      MerchantZip: '',
      MerchantCountry: '',
      MCCCode: '',
      TransferToOrFromAccountId: other,
      AuthIdentityResponseCode: null,
      MerchantId: null,
      TerminalId: null,
      NetworkTransactionId: null,
      TransactionTags: TAGS,
      MetadataApprovalStatus: 'Ignored',
      TransactionTypeCategory: transfer.category,
    },
  };
}

function common(transactionId: number, acctId: number, at: string, cents: number) {
  return {
    TransactionId: transactionId,
    AcctId: acctId,
    TransactionTime: toServiceTime(new Date(at)),
    TransactionAmount: toDollars(cents),
    PaddingAmount: 0,
    TransactionNotes: [],
    SourceCurrencyCodeDescription: null,
    SourceCurrencyNumericCode: null,
    SourceAmount: null,
  };
}
