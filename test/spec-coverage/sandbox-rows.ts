import type { CoverageRow } from './check-coverage.ts';

/** The 27 endpoints as written in the inventory. */
export const ENDPOINT_ROWS = [
  'GET /ping',
  'POST /Card/CreateAsync',
  'POST /Card/CreateSync',
  'POST /Card/Activate{id}/{cardId}',
  'GET /Card/CardOrder/{Id}',
  'GET /Card/Profile/{Id}',
  'PUT /Card/Profile/{Id}',
  'GET /Card/SpendRules/{Id}/Advanced',
  'PUT /Card/SpendRules/{Id}/Advanced',
  'GET /Details/AccountDetails',
  'GET /Details/AccountDetails/{Id}',
  'GET /Details/AccountDetails/{Id}/Advanced',
  'GET /Details/AccountDetails/{Id}/RemainingLimit',
  'GET /Details/TransactionDetails',
  'GET /Details/TransactionDetails/{Id}',
  'GET /Details/AllCardholderTransactions',
  'GET /Details/{Id}/NetworkTransactions',
  'GET /Details/NetworkTransactions',
  'GET /Group/{id}',
  'GET /SpendingRuleset/{Id}/Advanced',
  'GET /SpendingRuleset/{Id}/Advanced/Cards',
  'GET /SpendingRuleset/{Id}/Cards',
  'GET /SpendingRuleset/Advanced',
  'POST /SpendingRuleset/Advanced',
  'PUT /SpendingRuleset/Advanced',
  'POST /VirtualCard/Order',
  'POST /VirtualCard/Data',
] as const;

/** The removed endpoints. */
export const REMOVED_ROWS = [
  'POST /Card/Create',
  'POST /Business/Admin',
  'POST /Business/OneTimeTransfer',
  'DELETE /Business/OneTimeTransfer{Id}',
  'DELETE /Bulk/RemoveAllCardsScheduledFunding',
  'PUT /Bulk/SetAllCardsScheduledFunding',
  'PUT /Bulk/FundAllCards',
  'GET /Bulk/GetSpendingRulesets',
  'PUT /Bulk/SetAllCardsSpendingRuleset',
] as const;

/** Every row of the specification that the sandbox proves. */
export const SANDBOX_ROWS: readonly CoverageRow[] = [
  ...ENDPOINT_ROWS.map((row) => ({
    row: `Endpoints: ${row}`,
    file: 'test/sandbox/conformance.test.ts',
    title: `conformance > serves ${row}`,
  })),
  { row: 'Endpoints: answers', file: 'test/sandbox/endpoints.test.ts', title: 'the inventory > answers %s' },
  ...REMOVED_ROWS.map((row) => ({
    row: `Removed: ${row}`,
    file: 'test/sandbox/endpoints.test.ts',
    title: `the inventory > answers 410 to ${row} and says what replaces it`,
  })),
  {
    row: 'Resources: envelope, every field of every payload',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > sends every kind with exactly the fields of the specification',
  },
  {
    row: 'Resources: field sets of the five payloads',
    file: 'test/sandbox/conformance.test.ts',
    title: 'conformance > the %s payload has exactly the fields of the specification',
  },
  {
    row: 'Resources: what the fields hold in each kind',
    file: 'test/sandbox/payload-values.test.ts',
    title: '%s of the %s is %s',
  },
  {
    row: 'Resources: MerchantZip and TerminalId may carry trailing spaces',
    file: 'test/sandbox/payload-values.test.ts',
    title: '%s may carry trailing spaces',
  },
  {
    row: 'Resources: CustomId and IsVirtual in the answers that name them',
    file: 'test/sandbox/specification.test.ts',
    title: 'GET %s returns for each account its %j',
  },
  {
    row: 'Resources: timestamps are Eastern, CallbackTime carries its offset',
    file: 'test/sandbox/windows.test.ts',
    title: 'limit windows > write wall time without an offset and callback time with one, in winter and summer',
  },
  {
    row: 'Resources: HoldTime is null for authorizations',
    file: 'test/sandbox/decisions.test.ts',
    title: 'the decision > approves a purchase that no rule forbids, holds the amount, and sends an authorization',
  },
  {
    row: 'Resources: virtual card payload',
    file: 'test/sandbox/orders.test.ts',
    title: 'virtual card orders > report the sensitive data when every step succeeds',
  },
  {
    row: 'Resources: CustomId at most 50 characters',
    file: 'test/sandbox/endpoints.test.ts',
    title: "%s %s with %j gets %s in the service's form",
  },
  {
    row: 'Resources: CustomId, IsVirtual, limits and tags in API answers',
    file: 'test/sandbox/endpoints.test.ts',
    title: 'the inventory > answers %s',
  },
  {
    row: 'Remaining-limit response',
    file: 'test/sandbox/remaining-limit.property.test.ts',
    title: '%s matches the engine to the cent after any history',
  },
  {
    row: 'States: created INACTIVE, one webhook',
    file: 'test/sandbox/card-states.test.ts',
    title:
      'card states > start with an INACTIVE webhook, and a new card cannot be activated within a day unless it was shipped',
  },
  {
    row: 'States: INACTIVE to BLOCKED via ACTIVE, two webhooks',
    file: 'test/sandbox/card-states.test.ts',
    title: 'card states > from %s by %o send one webhook per change',
  },
  {
    row: 'States: any change by any channel, one webhook per change',
    file: 'test/sandbox/card-states.test.ts',
    title: 'card states > change from %s to %s in the portal like in any other channel',
  },
  {
    row: 'States: CLOSED is final',
    file: 'test/sandbox/card-states.test.ts',
    title: 'card states > do not leave %s by %o, and send nothing',
  },
  {
    row: 'States: order of ACTIVE and BLOCKED on the wire',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > sends ACTIVE before BLOCKED, even to a slow receiver',
  },
  {
    row: 'Kinds: authorization holds, release after five days',
    file: 'test/sandbox/windows.test.ts',
    title: 'usage of a limit > at time scale %i the hold at %s is %i cents (%s)',
  },
  {
    row: 'Kinds: PIN debits at once, no authorization event',
    file: 'test/sandbox/decisions.test.ts',
    title: 'the decision > debits a PIN purchase at once and sends no authorization',
  },
  {
    row: 'Kinds: reversal releases a hold',
    file: 'test/sandbox/captures.test.ts',
    title: 'the reversal of an authorization releases the hold, %s, and debits nothing',
  },
  {
    row: 'Kinds: reversal credits back a PIN debit',
    file: 'test/sandbox/captures.test.ts',
    title: 'the reversal of a PIN purchase credits the amount, %s',
  },
  {
    row: 'Kinds: decline of signature and of PIN transactions',
    file: 'test/sandbox/decisions.test.ts',
    title: 'the decision > declines a PIN transaction with NetworkType Pin and a signature one with Auth',
  },
  {
    row: 'Errors: all twelve decline codes with their messages',
    file: 'test/sandbox/decisions.test.ts',
    title: 'the decision > declines with %s (%s)',
  },
  {
    row: 'Errors: the set of codes is complete',
    file: 'test/sandbox/decisions.test.ts',
    title: 'the decision > covers every decline code of the specification',
  },
  {
    row: 'Errors: virtual card successful',
    file: 'test/sandbox/orders.test.ts',
    title: 'virtual card orders > report the sensitive data when every step succeeds',
  },
  {
    row: 'Errors: virtual card not created',
    file: 'test/sandbox/orders.test.ts',
    title: 'virtual card orders > create no account when the card creation fails',
  },
  {
    row: 'Errors: each of Group, Ruleset, Activation, Funding',
    file: 'test/sandbox/orders.test.ts',
    title: 'virtual card orders > partly succeed when %s fails',
  },
  {
    row: 'Errors: API errors as Message',
    file: 'test/sandbox/endpoints.test.ts',
    title: "%s %s with %j gets %s in the service's form",
  },
  {
    row: 'Events 3: two webhooks for INACTIVE to BLOCKED',
    file: 'test/sandbox/card-states.test.ts',
    title: 'card states > from %s by %o send one webhook per change',
  },
  {
    row: 'Events 4: 200 or 201 only',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > for the response %i makes %i attempts',
  },
  {
    row: 'Events 4: timeout 10 s (20 s before)',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > gives a receiver 10 seconds, or 20 if so set, divided by the time scale',
  },
  {
    row: 'Events 4: retries 15, 30, 60, 120, 3600 s, then dropped',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > retries after 15, 30, 60, 120 and 3600 seconds and then drops the webhook',
  },
  {
    row: 'Events 4: stored in an outage, released after it',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > stores webhooks in an outage and releases them all',
  },
  {
    row: 'Events 5: resend has empty Errors and Message',
    file: 'test/sandbox/orders.test.ts',
    title: 'virtual card orders > leave Errors and Message empty in a resend, whatever failed in the order',
  },
  {
    row: 'Events: a kind without URL is not sent',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > sends no webhook of a kind without a URL',
  },
  {
    row: 'Events: card shipping',
    file: 'test/sandbox/orders.test.ts',
    title: 'card orders > ship with one webhook per card, linked by the order id',
  },
  {
    row: 'Authentication 1, 5: Basic shared secret and headers',
    file: 'test/sandbox/delivery.test.ts',
    title:
      'delivery of webhooks > carries the headers of the specification and the bare shared secret as the Basic credential',
  },
  {
    row: 'Authentication 5: Expect 100-continue',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > holds the body until 100 Continue, if it comes in time',
  },
  {
    row: 'Limits: one virtual card per VirtualCard/Data',
    file: 'test/sandbox/endpoints.test.ts',
    title: "%s %s with %j gets %s in the service's form",
  },
  {
    row: 'Limits: daily, weekly, monthly, yearly, lifetime',
    file: 'test/sandbox/windows.test.ts',
    title: '%s: %s is the last second and %s the first of the next (%s)',
  },
  {
    row: 'Limits: rate limits behind a switch',
    file: 'test/sandbox/server.test.ts',
    title:
      "rate limits > refuse the eleventh list of accounts within an hour in the service's form without Retry-After",
  },
  {
    row: 'Versioning 1: version segment',
    file: 'test/sandbox/endpoints.test.ts',
    title: 'the edges of the API > checks the version segment',
  },
  {
    row: 'Versioning 2, 3: X-SERVICE-Version and the signs of each kind',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > in version %s uses the sign of that version (debits %i)',
  },
  {
    row: 'Network endpoints return all five kinds',
    file: 'test/sandbox/specification.test.ts',
    title: 'network transactions are authorizations, settlements, reversals, PIN transactions and declines',
  },
  {
    row: 'Network endpoints exclude card funding',
    file: 'test/sandbox/specification.test.ts',
    title: 'network transactions exclude card funding, which transaction details include',
  },
  {
    row: 'MetadataApprovalStatus: Approved, Rejected, Ignored, Not Reviewed',
    file: 'test/sandbox/specification.test.ts',
    title: 'MetadataApprovalStatus is one of the values of the specification',
  },
  {
    row: 'CreateAsync leads to an INACTIVE webhook',
    file: 'test/sandbox/specification.test.ts',
    title: 'a card ordered with CreateAsync causes a webhook with the status INACTIVE',
  },
  {
    row: 'V1 webhooks are discontinued',
    file: 'test/sandbox/specification.test.ts',
    title: 'only the second version of the webhooks is delivered',
  },
  {
    row: 'TransactionTime: when the authorization request was received',
    file: 'test/sandbox/captures.test.ts',
    title:
      'the time of a later step > a %s repeats the request time of the authorization and has its own time in other fields',
  },
  {
    row: 'Settlement captures authorized funds, in one part or several',
    file: 'test/sandbox/captures.test.ts',
    title: 'several captures of one authorization > are settlements with separate ids, and their amounts add up',
  },
  {
    row: 'MerchantRequestedAmount: in reversals, settlements, PIN transactions and declines',
    file: 'test/sandbox/delivery.test.ts',
    title: 'delivery of webhooks > states the amount the merchant requested in authorizations: %s',
  },
  {
    row: 'Virtual card Status: active or inactive',
    file: 'test/sandbox/orders.test.ts',
    title:
      'virtual card orders > report a virtual card with the status %s as %s in a resend, which has only two states',
  },
];
