import type { CardStatus } from './state/account.ts';

/**
 * Everything the sandbox does that the specification marks "not shown".
 *
 * One line each: the value and its source ("facts" is the project's page of public facts, "spec" the specification
 * itself). Override any of them with `startSandbox({ assumptions })` or `--assume NAME=VALUE`.
 */
function assume<T>(value: T, source: string): { readonly value: T; readonly source: string } {
  return { value, source };
}

/** The table of assumptions: each with its value and source. */
export const ASSUMPTIONS = {
  // Cards and their states
  activationRefusedHours: assume<number>(
    24,
    'facts 2, "Activation rules: refused within 24 h of creation"; a shipped card is past it',
  ),
  activationEndsOtherCards: assume<boolean>(
    true,
    'facts 2, "activating immediately and irreversibly terminates all other cards on that account"',
  ),
  statusOfInactiveMayBeSetActive: assume<boolean>(
    false,
    'facts 2, "Cannot change status"; spec States: only INACTIVE to BLOCKED is shown',
  ),
  sameStatusIsNoChange: assume<boolean>(
    true,
    'spec Events 3, one webhook per change: setting the current status changes nothing and sends nothing',
  ),
  statusCardList: assume<'changed' | 'all'>(
    'changed',
    'facts 5, the sample CardList carries one card; spec: one webhook per change',
  ),
  virtualCardSendsCardStatus: assume<boolean>(
    true,
    'spec States: status changes by any channel send a webhook; virtual orders are not named',
  ),
  wrongPinsUntilBlocked: assume<number>(5, 'facts 2, "Wrong PIN five times: service blocks the card for fraud"'),

  // Orders
  orderProcessingSeconds: assume<number>(
    2,
    'facts 3, CreateAsync answers before the cards exist; the wait itself is not shown',
  ),
  cardOrderStatus: assume<{ pending: string; done: string; failed: string }>(
    { pending: 'Pending', done: 'Successful', failed: 'Failed' },
    'facts 3, CardOrder: only "failed" and "successful" in prose',
  ),
  cardsPerOrderMax: assume<number>(500, 'spec Limits: maximum cards per order not shown'),
  createSyncAnswersOrder: assume<boolean>(
    true,
    'spec Endpoints: POST /Card/CreateSync creates a card order; its answer is not shown',
  ),
  virtualFundingMax: assume<number>(50_000, 'facts 3, FundCardAmount 0 to 50,000'),
  virtualOrderNeedsWebhook: assume<boolean>(
    false,
    'facts 3, 403 webhook not registered; off, because spec Events allows a kind without a URL',
  ),

  // The decision
  declineMessageActivation: assume<string>(
    'New Card Pending Activation',
    'spec decline.card.status, word for word; facts 5 show it as "Card Status New Card Pending Activation"',
  ),
  declineMessageBlocked: assume<string>(
    'Card Status Inactive',
    'spec BLOCKED declines all; no separate text is listed anywhere (facts 5), the inactive one is the closest',
  ),
  declineMessageClosed: assume<string>('Card Status Closed', 'spec decline.card.status; facts 5, exact messages'),
  velocityMessage: assume<string>(
    'Transaction exceeded daily spend limit',
    'spec decline.rule.velocity: the one text listed, used for longer windows too',
  ),
  transactionTime: assume<'request' | 'step'>(
    'request',
    'spec TransactionTime: when the authorization request was received, so settlements and reversals repeat that of their purchase; "step" gives each its own time',
  ),
  capturesOfOneAuthorization: assume<'several' | 'one'>(
    'several',
    'spec Settlement: captures the authorized funds; whether at once or in several parts, as goods are shipped, is not shown',
  ),
  refundRestoresLimit: assume<boolean>(false, 'spec Limits: not shown; a merchant credit is a separate transaction'),
  holdDays: assume<number>(5, 'spec Limits: authorization hold period, typically five days'),
  padAuthorizations: assume<boolean>(
    false,
    'facts 4 pads fuel and restaurants, the sample (MCC 5812) carries PaddingAmount 0.0',
  ),
  paddingCountsAgainstLimits: assume<boolean>(
    true,
    'facts 4, padding: the padding is held like the purchase; whether limits count it is not shown',
  ),
  domesticCountries: assume<readonly string[]>(
    ['US', 'USA', '840', ''],
    'spec decline.rule.location: merchant outside the United States; MerchantCountry may be empty',
  ),
  serviceDisallowedMccs: assume<readonly string[]>(
    ['4829', '5933', '6010', '6011', '6012', '6051', '6211', '7273', '7800', '7801', '7802', '7995', '9223'],
    'spec decline.mcc: the service disallows certain merchant types; which ones is not shown',
  ),
  emptyCategoryListAllowsAll: assume<boolean>(true, 'facts 3, UseMerchantCategory false: no category rule at all'),
  defaultMcc: assume<string>('5812', 'facts 5, MCCCode of every network sample'),

  // Spend rules
  putSpendRulesAnswer: assume<'object' | 'empty'>(
    'object',
    'facts 3, PUT SpendRules/Advanced: 200 with no body documented',
  ),
  shorterAboveLongerText: assume<string>(
    'Shorter period spend limit exceeds longer period spend limit',
    'facts 3, Limit windows: exact error text not found',
  ),
  longerLimitMayEqual: assume<boolean>(
    true,
    'facts 3, Limit windows: a shorter period must be lower than a longer one; whether equal is allowed is not shown',
  ),
  ruleOfRulesetWriteUnassigns: assume<boolean>(
    true,
    'spec: not shown; writing card rules takes the card out of its ruleset with the rules it had',
  ),

  // Webhooks
  webhookVersion: assume<string>('2.0.1.3', 'spec Versioning 3: the first version with the signs after Dec 27, 2017'),
  oldSignsVersion: assume<string>('2.0.1.1', 'spec Versioning 3: any version before 2.0.1.3'),
  retrySeconds: assume<readonly number[]>(
    [15, 30, 60, 120, 3600],
    'spec Events 4 and Limits; each counted from the attempt before',
  ),
  timeoutFloorMs: assume<number>(100, 'of our own: a large time scale must not demand the impossible of receivers'),
  reversalNetworkStatus: assume<'Approved' | null>(
    null,
    'spec NetworkStatus: null in the examples (one statement says Approved)',
  ),
  webhookBalances: assume<'before' | 'after'>(
    'before',
    'facts 5, Balances: the authorization sample carries the balance before the hold',
  ),
  virtualCardStatus: assume<Readonly<Record<CardStatus, 'ACTIVE' | 'INACTIVE'>>>(
    { ACTIVE: 'ACTIVE', INACTIVE: 'INACTIVE', BLOCKED: 'INACTIVE', CLOSED: 'INACTIVE' },
    'spec Status: active or inactive, upper case in the examples; its value for a blocked or closed card is not shown',
  ),
  requestedAmountOfAuthorizations: assume<boolean>(
    false,
    'spec MerchantRequestedAmount: present in the reversal, settlement, PIN and decline payloads; the sample of facts 5 has it in the authorization too',
  ),
  virtualCardMessage: assume<string>(
    'Account Creation Successful',
    'facts 5, virtual card sample; spec: text stating success',
  ),

  // API
  tokenScheme: assume<readonly string[]>(
    ['token', 'bearer'],
    'facts 1, Authorization: token T or Bearer, case-insensitive',
  ),
  wrongVersionStatus: assume<number>(404, 'spec Versioning 1 names v4 alone'),
  transactionPageSize: assume<number>(30_000, 'facts 4, transaction endpoints page at 30,000'),
  queryRangeMonths: assume<number>(12, 'facts 3, span no more than 12 months'),
  callsPerMinute: assume<number>(120, 'facts 4, rate limits of 2018'),
  callsOfEndpoint: assume<Readonly<Record<string, { calls: number; minutes: number }>>>(
    {
      'GET /Details/TransactionDetails': { calls: 1, minutes: 1 },
      'GET /Details/AccountDetails': { calls: 10, minutes: 60 },
      'GET /Details/AllCardholderTransactions': { calls: 10, minutes: 60 },
    },
    'facts 4, rate limits of 2018',
  ),
} as const;

/** The assumed values by name. */
export type Assumptions = { readonly [K in keyof typeof ASSUMPTIONS]: (typeof ASSUMPTIONS)[K]['value'] };

/** Whether a value can stand for an assumption: a list for a list, a number for a number, and so on. */
export function fitsAssumption(name: keyof Assumptions, value: unknown): boolean {
  return isLike(value, ASSUMPTIONS[name].value);
}

function isLike(value: unknown, model: unknown): boolean {
  if (model === null) return value === null || typeof value === 'string';
  if (Array.isArray(model)) return Array.isArray(value) && value.every((each) => isLike(each, model[0]));
  return typeof value === typeof model && value !== null && !Array.isArray(value);
}

/** The assumed values with some of them overridden. */
export function assumptionsWith(overrides: Partial<Assumptions> = {}): Assumptions {
  const values = Object.fromEntries(Object.entries(ASSUMPTIONS).map(([name, { value }]) => [name, value]));
  return { ...values, ...overrides } as Assumptions;
}
