import { z } from 'zod';
import { remainingCategoryLimits, remainingLimits } from '../engine/remaining-limit.ts';
import { toDollars } from '../money.ts';
import { toServiceTime, type Window } from '../service-time.ts';
import { currentCard } from '../state/account.ts';
import { availableCents, type World } from '../state/world.ts';
import { LocalTime, NetworkData } from '../webhook/schema.ts';
import { AccountDetails, AccountList, AdvancedAccountDetails, accountDetails, accountLine } from './account-view.ts';
import { accountOf, DateRangeQuery, dateRangeOf, isTextWithin } from './request-parts.ts';
import { dollars, id } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

const Announced = z.enum(['Daily', 'Weekly', 'Monthly', 'Annual', 'Lifetime']);
const announced = { Type: Announced, Limit: dollars, Remaining: dollars };
const AnnouncedLimits = z.strictObject({
  CardId: id,
  GlobalLimit: z.array(z.strictObject(announced)),
  CategoryLimit: z.array(z.strictObject({ ...announced, Category: z.string() })),
});
const Released = z.enum(['PerDay', 'PerWeek', 'PerMonth', 'PerYear', 'Lifetime']);
const released = { Type: Released, EnforcedLimit: dollars, RemainingSpend: dollars };
const ReleasedLimits = z.strictObject({
  AccountId: id,
  GlobalLimits: z.array(z.strictObject(released)),
  MerchantCategoryLimits: z.array(z.strictObject({ MerchantCategoryId: id, Category: z.string(), ...released })),
});
const NetworkTransactions = z.strictObject({ TransactionList: z.array(NetworkData) });

/** Account details, remaining limits and network transactions. */
export const detailsRoutes: readonly Route[] = [
  { method: 'GET', path: '/ping', open: true, does: 'The time of the service', response: LocalTime, answer: ping },
  {
    method: 'GET',
    path: '/Details/Ping',
    open: true,
    does: 'The time of the service',
    response: LocalTime,
    answer: ping,
  },
  {
    method: 'GET',
    path: '/Details/Version',
    open: true,
    does: 'The version of the service',
    response: z.string(),
    answer: () => ok('4.0.0.0'),
  },
  { method: 'GET', path: '/Details/AccountDetails', does: 'All accounts', response: AccountList, answer: list },
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}',
    does: 'One account with its cards and basic spend rules',
    response: AccountDetails,
    answer: ({ world, params }) => ok(accountDetails(world, accountOf(world, params[0]), false)),
  },
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}/Advanced',
    does: 'One account with its cards and advanced spend rules',
    response: AdvancedAccountDetails,
    answer: advanced,
  },
  // One change notice spells the path like this.
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}/Advance',
    does: 'The same',
    response: AdvancedAccountDetails,
    answer: advanced,
  },
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}/RemainingLimit',
    does: 'What remains of each limit, as announced',
    response: AnnouncedLimits,
    answer: announcedLimits,
  },
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}/RemainingLimits',
    does: 'What remains of each limit, as released',
    response: ReleasedLimits,
    answer: releasedLimits,
  },
  {
    method: 'GET',
    path: '/Details/NetworkTransactions',
    does: 'Network transactions of all cards',
    query: DateRangeQuery,
    response: NetworkTransactions,
    answer: (request) => networkTransactions(request),
  },
  {
    method: 'GET',
    path: '/Details/{Id}/NetworkTransactions',
    does: 'Network transactions of one account',
    query: DateRangeQuery,
    response: NetworkTransactions,
    answer: (request) => networkTransactions(request, accountOf(request.world, request.params[0]).acctId),
  },
];

function ping({ world }: ApiRequest): ApiAnswer {
  return ok(toServiceTime(world.now()));
}

function advanced({ world, params }: ApiRequest): ApiAnswer {
  return ok(accountDetails(world, accountOf(world, params[0]), true));
}

function list({ world, options }: ApiRequest): ApiAnswer {
  const { business, accounts, groups } = world.state;
  const open = accounts.filter(({ status }) => status === 'OPEN');
  const newer = {
    BusinessAccountNumber: String(business.businessAccountId).padStart(14, '0'),
    OpenCardholdersCount: open.filter(({ isVirtual }) => !isVirtual).length,
    OpenVendorCardsCount: open.filter(({ isVirtual }) => isVirtual).length,
    UserGroups: [],
  };
  return ok({
    BusinessAccountId: business.businessAccountId,
    BusinessName: business.name,
    BusinessAccountStatus: business.status,
    BusinessAccountBalance: toDollars(availableCents(business)),
    PendingTransferAmount: 0,
    BankAccountList: [
      {
        ExternalBankAcctId: 7001,
        RoutingNumber: '000000000',
        BankAccountNumber: '6789',
        BankName: 'First Example Bank',
        BankAccountType: 'ACH',
        IsActive: true,
      },
    ],
    CHAccountList: accounts.map((account) => accountLine(world, account, options.listShape)),
    CardholderGroups: groups.map(({ id, name }) => ({ Id: id, Name: name })),
    ...(options.listShape === 'newer' ? newer : {}),
  });
}

const ANNOUNCED: Record<Window, string> = {
  Daily: 'Daily',
  Weekly: 'Weekly',
  Monthly: 'Monthly',
  Yearly: 'Annual',
  Lifetime: 'Lifetime',
};
const RELEASED: Record<Window, string> = {
  Daily: 'PerDay',
  Weekly: 'PerWeek',
  Monthly: 'PerMonth',
  Yearly: 'PerYear',
  Lifetime: 'Lifetime',
};

/** The shape announced for May 29, 2019. */
function announcedLimits({ world, params }: ApiRequest): ApiAnswer {
  const account = accountOf(world, params[0]);
  const at = world.now();
  return ok({
    CardId: currentCard(account)?.cardId ?? 0,
    GlobalLimit: remainingLimits(world, account, at).map(({ window, limitCents, remainingCents }) => ({
      Type: ANNOUNCED[window],
      Limit: toDollars(limitCents),
      Remaining: toDollars(remainingCents),
    })),
    CategoryLimit: remainingCategoryLimits(world, account, at).map(
      ({ window, categoryName, limitCents, remainingCents }) => ({
        Type: ANNOUNCED[window],
        Category: categoryName,
        Limit: toDollars(limitCents),
        Remaining: toDollars(remainingCents),
      }),
    ),
  });
}

/** The released shape, under the plural path. */
function releasedLimits({ world, params }: ApiRequest): ApiAnswer {
  const account = accountOf(world, params[0]);
  const at = world.now();
  return ok({
    AccountId: account.acctId,
    GlobalLimits: remainingLimits(world, account, at).map(({ window, limitCents, remainingCents }) => ({
      Type: RELEASED[window],
      EnforcedLimit: toDollars(limitCents),
      RemainingSpend: toDollars(remainingCents),
    })),
    MerchantCategoryLimits: remainingCategoryLimits(world, account, at).map((left) => ({
      MerchantCategoryId: left.categoryId,
      Category: left.categoryName,
      Type: RELEASED[left.window],
      EnforcedLimit: toDollars(left.limitCents),
      RemainingSpend: toDollars(left.remainingCents),
    })),
  });
}

/**
 * Authorizations, PIN transactions, settlements, reversals and declines, all at once, in order of arrival. The range
 * applies to TransactionTime: a settlement whose purchase was earlier is not included, however recently it arrived.
 */
function networkTransactions({ world, query }: ApiRequest, acctId?: number): ApiAnswer {
  const range = dateRangeOf(world, query);
  return ok({ TransactionList: rowsWithin(world, range, acctId) });
}

function rowsWithin(world: World, range: ReturnType<typeof dateRangeOf>, acctId?: number): object[] {
  return world.state.rows
    .filter(({ row }) => (acctId === undefined || row.AcctId === acctId) && isTextWithin(range, row.TransactionTime))
    .map(({ row }) => row);
}
