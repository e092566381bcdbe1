import type { CoverageRow } from './check-coverage.ts';

/**
 * The specification's requirements for a webhook receiver and API client, and the tests that prove that Cardbell meets
 * them. The service's side is in `sandbox-rows.ts`.
 */
export const BOT_ROWS: readonly CoverageRow[] = [
  {
    row: 'a webhook kind has its own URL',
    file: 'test/flow/receivers.test.ts',
    title: 'an authentic webhook > of kind %s is redacted and stored before the 200',
  },
  {
    row: 'the receiver answers 200 or 201 within the timeout',
    file: 'test/flow/receivers.test.ts',
    title: 'an authentic webhook > is answered within a tenth of a second while Slack is down',
  },
  {
    row: 'missed events must be retrieved through the API',
    file: 'test/flow/recovery.test.ts',
    title: 'posts events missed while web was down once, marked late, with a count, and their webhooks add nothing',
  },
  {
    row: 'TLS 1.2 or later',
    file: 'test/flow/receivers-tls.test.ts',
    title: 'TLS > is 1.2 or newer and serves the same receivers',
  },
  {
    row: 'envelope: CallbackTime with UTC offset',
    file: 'test/src/webhooks/payload-rows.test.ts',
    title: 'CallbackTime %s keeps its own offset, whatever the zone of the other times',
  },
  {
    row: 'envelope: Data',
    file: 'test/src/webhooks/kind.test.ts',
    title: 'the kind of a webhook > of %s comes from its content',
  },
  {
    row: 'network transaction payload, every field',
    file: 'test/src/webhooks/payload-rows.test.ts',
    title: 'a field of the network transaction payload > %s is either read or known to be irrelevant: %j',
  },
  {
    row: 'network transaction: nullable fields',
    file: 'test/src/webhooks/transaction.test.ts',
    title: 'a network transaction > accepts %s, which is not used: %j',
  },
  {
    row: 'network transaction: Description is informational only',
    file: 'test/src/webhooks/kind.test.ts',
    title: '%s is the same at the receiver for %s',
  },
  {
    row: 'network transaction: MerchantZip and TerminalId may carry trailing spaces',
    file: 'test/src/webhooks/payload-rows.test.ts',
    title: 'a field of the network transaction payload > %s may have trailing spaces',
  },
  {
    row: 'network transaction: NetworkStatus may be null',
    file: 'test/src/webhooks/kind.test.ts',
    title: 'the kind of a webhook > NetworkStatus null: %s is %s, as %s',
  },
  {
    row: 'network transaction: MerchantRequestedAmount differs for partial authorization',
    file: 'test/templates/alerts/money-line.test.ts',
    title: 'a requested amount that differs > is shown next to the amount in a %s',
  },
  {
    row: 'timestamps are Eastern unless noted otherwise',
    file: 'test/src/core/service-time.test.ts',
    title: 'a datetime without offset > is Eastern wall clock %s',
  },
  {
    row: 'card status change payload',
    file: 'test/src/webhooks/card-status.test.ts',
    title: 'a card status change > is stored with only the last four digits',
  },
  {
    row: 'card status change: CardList holds several cards',
    file: 'test/src/webhooks/card-status.test.ts',
    title: 'a card status change > reports every card in its list',
  },
  {
    row: 'card status change: CustomId is optional',
    file: 'test/src/webhooks/card-status.test.ts',
    title: 'a card status change > may have no custom id: %j',
  },
  {
    row: 'card shipping payload',
    file: 'test/src/webhooks/card-shipping.test.ts',
    title: 'a shipment > is stored with the complete tracking number',
  },
  {
    row: 'card shipping: provider, number and card are shown',
    file: 'test/templates/alerts/card-events.test.ts',
    title: 'a shipped card > has a tracking link if the carrier is known',
  },
  {
    row: 'virtual card payload is sensitive and must not be stored',
    file: 'test/src/webhooks/virtual-card.test.ts',
    title: 'a virtual card > is stored without number, code, expiry and account number',
  },
  {
    row: 'additions are backward compatible: unknown fields are tolerated',
    file: 'test/src/webhooks/payload-rows.test.ts',
    title: 'an unknown field changes nothing in a %s webhook',
  },
  {
    row: 'remaining-limit response, announced and released form',
    file: 'test/src/card-api/schema.test.ts',
    title: 'remaining limits > are read in both shapes',
  },
  {
    row: 'remaining limits are shown',
    file: 'test/templates/dispatch/answers.test.ts',
    title: 'a card shows its limits as words and bars',
  },
  {
    row: 'the limits that stopped a purchase are named',
    file: 'test/templates/alerts/decline.test.ts',
    title: 'a declined purchase > names every window that was too small, and the minimum change to each',
  },
  {
    row: 'INACTIVE, ACTIVE, BLOCKED, CLOSED',
    file: 'test/templates/alerts/card-events.test.ts',
    title: 'a status change > to %s is shown as %s in the message and in the fallback text',
  },
  {
    row: 'INACTIVE to BLOCKED sends ACTIVE, then BLOCKED',
    file: 'test/flow/card-lifecycle.test.ts',
    title: 'shows a new card that is blocked as one line, although the service sends two webhooks',
  },
  {
    row: 'the status webhook can be delayed by the queue',
    file: 'test/flow/card-lifecycle.test.ts',
    title: 'states the current status when an older event arrives late',
  },
  { row: 'CLOSED is final', file: 'test/flow/card-lifecycle.test.ts', title: 'says that CLOSED is final' },
  {
    row: 'authorization, settlement, reversal and PIN are told apart, in words',
    file: 'test/templates/alerts/money-line.test.ts',
    title: 'a %s that is a %s is one quiet line: %s',
  },
  {
    row: 'a card is activated through POST /Card/Activate',
    file: 'test/flow/commands.test.ts',
    title: '%s activates a new card',
  },
  {
    row: 'a call that Cardbell makes has a client method',
    file: 'test/src/card-api/endpoints.test.ts',
    title: 'the calls > %s',
  },
  {
    row: 'the client against the service: cards, limits, details, rulesets',
    file: 'test/src/card-api/client-against-sandbox.test.ts',
    title: 'limits > reads the names of the rulesets',
  },
  {
    row: '1. Basic scheme, credential is the shared secret',
    file: 'test/src/webhooks/authenticate.test.ts',
    title: 'the shared secret > is accepted %s',
  },
  {
    row: '2. a mismatch is not to be trusted',
    file: 'test/flow/receivers.test.ts',
    title: 'a refused request > gets 401 and how to authenticate for %s',
  },
  {
    row: '3. the shared secret is stored securely',
    file: 'test/src/app/config.test.ts',
    title: '%s=%s is reported with the expected format, and its value is not repeated',
  },
  {
    row: '3. the shared secret is not written anywhere',
    file: 'test/flow/leaks.test.ts',
    title: 'no planted secret is in the logs, even at trace level',
  },
  {
    row: '4. source addresses are not a valid check',
    file: 'test/src/webhooks/payload-rows.test.ts',
    title: 'a webhook from %s is judged by its secret alone',
  },
  {
    row: '5. Expect: 100-continue',
    file: 'test/flow/receivers-connections.test.ts',
    title: 'a sender that waits for "100 Continue" > gets 100 and then 200 if authentic',
  },
  {
    row: '5. Connection: Keep-Alive',
    file: 'test/flow/receivers-connections.test.ts',
    title:
      'while other connections are idle or slow > a connection from the card service stays open longer than the service might pause',
  },
  {
    row: '5. the version header decides the signs',
    file: 'test/src/webhooks/transaction.test.ts',
    title: 'the direction of money > of %s with version %j is the same, whatever sign that version writes',
  },
  {
    row: 'Authorization, Reversal, Settlement, PIN, Decline by NetworkType and NetworkStatus',
    file: 'test/src/webhooks/kind.test.ts',
    title: '%s is the same at the receiver for %s',
  },
  {
    row: 'declined authorizations and declined PIN transactions are declines',
    file: 'test/flow/alerts.test.ts',
    title: 'every kind of webhook > treats a declined authorization as a decline, even on the authorization path',
  },
  {
    row: 'Card Status Change, Card Shipping, Virtual Card reach their channels',
    file: 'test/flow/alerts.test.ts',
    title: 'every kind of webhook > posts %s to its channel with the holder and the key facts',
  },
  {
    row: 'retries repeat an event',
    file: 'test/src/webhooks/payload.test.ts',
    title: 'the same event again > %s generated again for a retry has the same id',
  },
  {
    row: 'an event delivered again adds nothing',
    file: 'test/flow/alerts.test.ts',
    title: 'every kind of webhook > answers 200 to a repeated delivery and posts nothing new',
  },
  {
    row: 'Errors and Message are empty in a resend',
    file: 'test/src/webhooks/virtual-card.test.ts',
    title: 'a virtual card > from virtual-card-resend with {} ended as resend',
  },
  {
    row: 'resends may be requested at any time',
    file: 'test/src/webhooks/payload.test.ts',
    title: 'another event > is each resend of a virtual card, and each differs from the original order',
  },
  {
    row: 'webhook contents of virtual cards are not stored',
    file: 'test/flow/leaks.test.ts',
    title: 'no planted secret is in the files of Redis',
  },
  {
    row: 'network transactions of one card account for a given duration',
    file: 'test/flow/why.test.ts',
    title: '/card declines > lists declines from the service and from webhooks once, newest first',
  },
  {
    row: 'the twelve decline codes',
    file: 'test/flow/declines.test.ts',
    title: 'explains %s in the service’s words or plainer ones',
  },
  {
    row: 'a decline code that is not listed',
    file: 'test/templates/alerts/decline.test.ts',
    title:
      "the controls > of decline.of.tomorrow come with advice, and with the service's words only if those say more",
  },
  {
    row: 'decline.card.status: its three messages',
    file: 'test/src/alerts/decline-reason.test.ts',
    title: 'refines the card status with %j',
  },
  {
    row: 'virtual card order results: successful, not created, partial',
    file: 'test/templates/alerts/card-events.test.ts',
    title: 'a virtual card > that is %s',
  },
  {
    row: 'virtual card Errors: Group, Ruleset, Activation, Funding',
    file: 'test/templates/alerts/card-events.test.ts',
    title: 'a virtual card > whose Errors name only %s could not be %s, and no other failure is mentioned',
  },
  {
    row: 'API error answers',
    file: 'test/flow/unsure-writes.test.ts',
    title: 'a refusal > is shown in the API’s words, with a note that nothing changed',
  },
  {
    row: 'the last retry comes after an hour, then the notification is gone',
    file: 'test/src/recovery/gap-window.test.ts',
    title:
      'the window to request for a gap > starts a little over an hour before the gap, because the last retry of a webhook may fall into the gap',
  },
  {
    row: 'time-based limits: daily, weekly, monthly, yearly, lifetime',
    file: 'test/flow/commands.test.ts',
    title: 'each command > limit sets a %s limit, and “none” asks to remove it',
  },
  { row: 'CustomId names a card', file: 'test/flow/which-card.test.ts', title: '%s names a card' },
  {
    row: 'activating ends the other cards of the account (assumption)',
    file: 'test/flow/changing-cards.test.ts',
    title:
      'a replacement card > asks first before activating a card that closes another, names that card, and changes nothing yet',
  },
  {
    row: '1. the API version is a path segment',
    file: 'test/src/card-api/endpoints.test.ts',
    title: 'the calls > %s',
  },
  {
    row: '3. signs before and after 2.0.1.3, each kind',
    file: 'test/src/webhooks/transaction.test.ts',
    title: 'the direction of money > of %s with version %j is the same, whatever sign that version writes',
  },
  {
    row: '3. an authorization with a positive amount',
    file: 'test/src/webhooks/transaction.test.ts',
    title:
      'the direction of money > of authorization follows from the kind, even if its sign contradicts the table: 84.1 is debit',
  },
  {
    row: '4. unknown kinds are kept, not lost',
    file: 'test/src/webhooks/quarantine.test.ts',
    title: 'a quarantined webhook > keeps what a replay and a person need',
  },
  {
    row: 'POST /VirtualCard/Order: the result comes asynchronously, with its webhook',
    file: 'test/flow/virtual-order.test.ts',
    title:
      '/card virtual order > orders once and reports the result to the channel and the requester, without the card number',
  },
  {
    row: 'POST /VirtualCard/Data: one virtual card in each request',
    file: 'test/flow/virtual-order.test.ts',
    title: '/card virtual resend > requests the details once and says when they were sent',
  },
  {
    row: 'removed endpoints are never called',
    file: 'test/src/card-api/client-against-sandbox.test.ts',
    title: 'none of these calls used a removed or unknown endpoint',
  },
  {
    row: 'TLS of the API is 1.2 or later',
    file: 'test/src/card-api/client-over-tls.test.ts',
    title: 'a service that only offers %s %s',
  },
  {
    row: 'TransactionTime is when the request was received, or when the step happened',
    file: 'test/src/webhooks/step-times.test.ts',
    title:
      'where TransactionTime is the time of the %s > a settlement has its settlement time, and refers back to the request',
  },
  {
    row: 'SettlementTime is kept for reconciliation',
    file: 'test/src/webhooks/step-times.test.ts',
    title:
      'where TransactionTime is the time of the request > a settlement has its settlement time, and refers back to the request',
  },
  {
    row: 'MerchantLocalTime may be inaccurate',
    file: 'test/src/webhooks/step-times.test.ts',
    title:
      'an unreadable or implausible time > a terminal clock that is %s is ignored for a reversal without a webhook',
  },
  {
    row: 'AuthTransactionId may be absent on reversals',
    file: 'test/src/alerts/purchase-store.test.ts',
    title: 'forms one purchase with one first event from concurrent, repeated events in any order',
  },
  {
    row: 'AuthTransactionId may be unreliable on reversals',
    file: 'test/src/alerts/purchase-timeline.test.ts',
    title:
      'the steps of a purchase > do not match by the authorization id of a reversal if the network’s id contradicts it',
  },
  {
    row: 'several captures of one authorization',
    file: 'test/src/webhooks/step-times.test.ts',
    title:
      'where TransactionTime is the time of the %s > two equal parts that are %s are two events, with the same ids by webhook and by the API',
  },
  {
    row: 'a missed settlement of an older purchase is retrieved',
    file: 'test/src/recovery/recover-gap.test.ts',
    title: 'finds settlements and reversals in the gap, however long ago the purchase was requested',
  },
  {
    row: 'ids are integers of up to 64 bits',
    file: 'test/src/webhooks/receive-webhook.test.ts',
    title: 'keeps every digit of 64-bit ids, which JavaScript numbers cannot hold',
  },
  {
    row: 'CustomId has up to 50 characters',
    file: 'test/src/directory/card-query.test.ts',
    title: 'splitting the card from the rest > %j begins with a CustomId of up to 50 characters',
  },
  {
    row: 'a reversal releases a hold or credits back a PIN debit',
    file: 'test/templates/alerts/money-line.test.ts',
    title: 'a reversal > %s',
  },
];
