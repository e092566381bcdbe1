import { toEastern, type Window } from '../eastern-time.ts';
import { remainingCategoryLimits, remainingLimits } from '../engine/remaining-limit.ts';
import { toDollars } from '../money.ts';
import { currentCard } from '../state/account.ts';
import type { World } from '../state/world.ts';
import { accountDetails, accountLine } from './account-view.ts';
import { accountOf, dateRangeOf, isTextWithin } from './request-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

/** Account details, remaining limits and network transactions. */
export const detailsRoutes: readonly Route[] = [
  { method: 'GET', path: '/ping', open: true, answer: ping },
  { method: 'GET', path: '/Details/Ping', open: true, answer: ping },
  { method: 'GET', path: '/Details/Version', open: true, answer: () => ok('4.0.0.0') },
  { method: 'GET', path: '/Details/AccountDetails', answer: list },
  {
    method: 'GET',
    path: '/Details/AccountDetails/{Id}',
    answer: ({ world, params }) => ok(accountDetails(world, accountOf(world, params[0]), false)),
  },
  { method: 'GET', path: '/Details/AccountDetails/{Id}/Advanced', answer: advanced },
  // One change notice writes the path like this.
  { method: 'GET', path: '/Details/AccountDetails/{Id}/Advance', answer: advanced },
  { method: 'GET', path: '/Details/AccountDetails/{Id}/RemainingLimit', answer: announcedLimits },
  { method: 'GET', path: '/Details/AccountDetails/{Id}/RemainingLimits', answer: releasedLimits },
  { method: 'GET', path: '/Details/NetworkTransactions', answer: (request) => networkTransactions(request) },
  {
    method: 'GET',
    path: '/Details/{Id}/NetworkTransactions',
    answer: (request) => networkTransactions(request, accountOf(request.world, request.params[0]).acctId),
  },
];

function ping({ world }: ApiRequest): ApiAnswer {
  return ok(toEastern(world.now()));
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
    BusinessAccountBalance: toDollars(business.ledgerCents - business.heldCents),
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

/** The shape that was released, under the path in the plural. */
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
 * Authorizations, PIN transactions, settlements, reversals and declines; all at once, in the order in which they came.
 * The range is one of TransactionTime: a settlement whose purchase was before it is not in it, however lately it came.
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
