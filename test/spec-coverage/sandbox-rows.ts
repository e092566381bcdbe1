/** A row of the specification and the test of the sandbox that proves it. */
export interface SpecRow {
  /** Section and row, in the words of the specification. */
  readonly row: string;
  readonly file: string;
  /** Name of the test, as written there. */
  readonly test: string;
}

const endpoints = 'test/sandbox/endpoints.test.ts';
const states = 'test/sandbox/card-states.test.ts';
const decisions = 'test/sandbox/decisions.test.ts';
const windows = 'test/sandbox/windows.test.ts';
const delivery = 'test/sandbox/delivery.test.ts';
const orders = 'test/sandbox/orders.test.ts';
const property = 'test/sandbox/remaining-limit.property.test.ts';
const server = 'test/sandbox/server.test.ts';
const conformance = 'test/sandbox/conformance.test.ts';

const ANSWERS = 'answers %s';

/** The 27 endpoints, as the inventory writes them. */
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

/** The endpoints that were removed. */
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
export const SANDBOX_ROWS: readonly SpecRow[] = [
  ...ENDPOINT_ROWS.map((row) => ({ row: `Endpoints: ${row}`, file: endpoints, test: ANSWERS })),
  ...REMOVED_ROWS.map((row) => ({
    row: `Removed: ${row}`,
    file: endpoints,
    test: 'answers 410 to %s %s and says what replaces it',
  })),

  {
    row: 'Resources: envelope, every field of every payload',
    file: delivery,
    test: 'sends every kind with exactly the fields of the specification',
  },
  {
    row: 'Resources: field sets of the five payloads',
    file: conformance,
    test: 'the %s payload has the fields of the specification, no more, no fewer',
  },
  {
    row: 'Resources: timestamps are Eastern, CallbackTime carries its offset',
    file: windows,
    test: 'writes wall time without, and callback time with its offset, in winter and summer',
  },
  {
    row: 'Resources: HoldTime is null for authorizations',
    file: decisions,
    test: 'approves what no rule forbids, holds it, and tells an authorization',
  },
  { row: 'Resources: virtual card payload', file: orders, test: 'tell the sensitive data once all went well' },
  {
    row: 'Resources: CustomId at most 50 characters',
    file: endpoints,
    test: "%s %s with %j gets %s in the service's form",
  },
  { row: 'Resources: CustomId, IsVirtual, limits and tags in API answers', file: endpoints, test: ANSWERS },
  {
    row: 'Remaining-limit response',
    file: property,
    test: '%s is to the cent what the engine enforces, after any history',
  },

  {
    row: 'States: created INACTIVE, one webhook',
    file: states,
    test: 'creation tells INACTIVE, and a new card is not activated within a day unless it was shipped',
  },
  {
    row: 'States: INACTIVE to BLOCKED via ACTIVE, two webhooks',
    file: states,
    test: 'from %s by %o tells one webhook per change',
  },
  {
    row: 'States: any change by any channel, one webhook per change',
    file: states,
    test: 'the portal takes a card from %s to %s like any other channel',
  },
  { row: 'States: CLOSED is final', file: states, test: 'refuses to leave %s by %o and tells nothing' },
  {
    row: 'States: order of ACTIVE and BLOCKED on the wire',
    file: delivery,
    test: 'keeps ACTIVE before BLOCKED on the wire, even with a slow receiver',
  },
  {
    row: 'Kinds: authorization holds, release after five days',
    file: windows,
    test: 'at time scale %i the hold at %s is %i cents (%s)',
  },
  {
    row: 'Kinds: PIN debits at once, no authorization event',
    file: decisions,
    test: 'debits a PIN purchase at once and tells no authorization',
  },
  {
    row: 'Kinds: reversal releases a hold or credits a PIN debit',
    file: windows,
    test: 'gives back what is reversed, in part or whole',
  },
  {
    row: 'Kinds: decline of signature and of PIN transactions',
    file: decisions,
    test: 'declines a PIN transaction with NetworkType Pin and a signature one with Auth',
  },

  { row: 'Errors: all twelve decline codes with their messages', file: decisions, test: 'declines with %s (%s)' },
  {
    row: 'Errors: the set of codes is complete',
    file: decisions,
    test: 'knows every decline code of the specification',
  },
  { row: 'Errors: virtual card successful', file: orders, test: 'tell the sensitive data once all went well' },
  { row: 'Errors: virtual card not created', file: orders, test: 'make no account when the card itself fails' },
  { row: 'Errors: each of Group, Ruleset, Activation, Funding', file: orders, test: 'half succeed when %s fails' },
  { row: 'Errors: API errors as Message', file: endpoints, test: "%s %s with %j gets %s in the service's form" },

  {
    row: 'Events 3: two webhooks for INACTIVE to BLOCKED',
    file: states,
    test: 'from %s by %o tells one webhook per change',
  },
  { row: 'Events 4: 200 or 201 only', file: delivery, test: 'after the answer %i there are %i attempts' },
  {
    row: 'Events 4: timeout 10 s (20 s before)',
    file: delivery,
    test: 'gives a receiver 10 seconds, and 20 where that is set, shorter by the time scale',
  },
  {
    row: 'Events 4: retries 15, 30, 60, 120, 3600 s, then dropped',
    file: delivery,
    test: 'tries again after 15, 30, 60, 120 and 3600 seconds and then forgets the webhook',
  },
  {
    row: 'Events 4: stored in an outage, released after it',
    file: delivery,
    test: 'stores webhooks in an outage and releases them all',
  },
  {
    row: 'Events 5: resend has empty Errors and Message',
    file: orders,
    test: 'leave Errors and Message empty in a resend, whatever the order met',
  },
  { row: 'Events: a kind without URL is not sent', file: delivery, test: 'does not send a kind without URL' },
  { row: 'Events: card shipping', file: orders, test: 'ship with one webhook for each card, linked by the order id' },

  {
    row: 'Authentication 1, 5: Basic shared secret and headers',
    file: delivery,
    test: 'carries the headers of the specification and the bare shared secret as Basic credential',
  },
  { row: 'Authentication 5: Expect 100-continue', file: delivery, test: 'sends the body only after 100 Continue' },
  {
    row: 'Limits: one virtual card per VirtualCard/Data',
    file: endpoints,
    test: "%s %s with %j gets %s in the service's form",
  },
  {
    row: 'Limits: daily, weekly, monthly, yearly, lifetime',
    file: windows,
    test: '%s: %s is the last second and %s the first of the next (%s)',
  },
  {
    row: 'Limits: rate limits behind a switch',
    file: server,
    test: "stop the eleventh list of accounts within an hour, in the service's form and without Retry-After",
  },
  { row: 'Versioning 1: version segment', file: endpoints, test: 'checks the version segment' },
  {
    row: 'Versioning 2, 3: X-SERVICE-Version and the signs of each kind',
    file: delivery,
    test: 'version %s writes its own sign (debits %i)',
  },
];
