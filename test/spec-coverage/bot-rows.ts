import type { SpecRow } from './sandbox-rows.ts';

const receivers = 'test/flow/receivers.test.ts';
const connections = 'test/flow/receivers-connections.test.ts';
const authenticate = 'test/src/webhooks/authenticate.test.ts';
const transaction = 'test/src/webhooks/transaction.test.ts';
const cardEvents = 'test/src/webhooks/card-events.test.ts';
const kind = 'test/src/webhooks/kind.test.ts';
const identity = 'test/src/webhooks/event-id.test.ts';
const time = 'test/src/core/service-time.test.ts';
const quarantine = 'test/src/webhooks/quarantine.test.ts';
const alerts = 'test/flow/alerts.test.ts';
const stories = 'test/flow/status-stories.test.ts';
const declines = 'test/flow/declines.test.ts';
const cardTemplates = 'test/templates/alerts/card-events.test.ts';
const declineTemplate = 'test/templates/alerts/decline.test.ts';
const client = 'test/src/card-api/client-against-sandbox.test.ts';
const commands = 'test/flow/commands.test.ts';
const replacement = 'test/flow/replacement.test.ts';
const unsure = 'test/flow/unsure-writes.test.ts';
const config = 'test/src/app/config.test.ts';
const virtualOrder = 'test/flow/virtual-order.test.ts';

const row = (text: string, file: string, test: string): SpecRow => ({ row: text, file, test });

/**
 * What the specification asks of whoever receives its webhooks and calls its API, and the test that proves that
 * Cardbell does it. The service's own side is in `sandbox-rows.ts`.
 */
export const BOT_ROWS: readonly SpecRow[] = [
  // What the service does
  row('a webhook kind has its own URL', receivers, 'of kind %s is stored, redacted, before the answer 200'),
  row(
    'the receiver answers 200 or 201 within the timeout',
    receivers,
    'is answered while Slack is away, within a tenth of a second',
  ),
  row(
    'missed events must be retrieved through the API',
    'test/flow/recovery.test.ts',
    'events missed while web was down are posted once, marked late',
  ),
  row('TLS 1.2 or later', 'test/flow/receivers-process.test.ts', 'is 1.2 or newer, and carries the same receivers'),

  // Resources and their fields
  row(
    'envelope: CallbackTime with UTC offset',
    kind,
    'takes a CallbackTime without offset for the wall clock of the service',
  ),
  row('envelope: Data', kind, 'is not guessed from %s'),
  row('network transaction payload, every field', transaction, 'is kept as our own small shape'),
  row('network transaction: nullable fields', transaction, 'does not mind %s, which is not used'),
  row('network transaction: Description is informational only', kind, '%s is the same at the receiver for %s'),
  row('network transaction: MerchantZip and TerminalId may carry trailing spaces', transaction, 'trimmed texts'),
  row('network transaction: NetworkStatus may be null', kind, 'the kind of a webhook'),
  row(
    'network transaction: MerchantRequestedAmount differs for partial authorization',
    declineTemplate,
    'shows the requested amount only where it differs',
  ),
  row('timestamps are Eastern unless noted otherwise', time, 'is Eastern wall clock %s'),
  row('card status change payload', cardEvents, 'is kept with the last four digits only'),
  row('card status change: CardList holds several cards', cardEvents, 'tells of every card in its list'),
  row('card status change: CustomId is optional', cardEvents, 'may have no custom id'),
  row('card shipping payload', cardEvents, 'is kept with the whole tracking number'),
  row(
    'card shipping: provider, number and card are shown',
    cardTemplates,
    'can be followed where the carrier is known',
  ),
  row(
    'virtual card payload is sensitive and must not be stored',
    cardEvents,
    'is kept without number, code, expiry and account number',
  ),
  row('additions are backward compatible: unknown fields are tolerated', receivers, 'is taken with %s'),
  row(
    'remaining-limit response, announced and released form',
    'test/src/card-api/client-shapes.test.ts',
    'are read in both shapes',
  ),
  row(
    'remaining limits are shown',
    'test/templates/dispatch/answers.test.ts',
    'a card shows its limits as words and bars',
  ),
  row(
    'the limits that stopped a purchase are named',
    declineTemplate,
    'names every window that was too small, and the smallest change to each',
  ),

  // States and transitions
  row('INACTIVE, ACTIVE, BLOCKED, CLOSED', cardTemplates, 'to %s is told as %s, to eyes and ears'),
  row(
    'INACTIVE to BLOCKED sends ACTIVE, then BLOCKED',
    stories,
    'a new card that is blocked is one line, although the service sends two webhooks',
  ),
  row(
    'the status webhook can be delayed by the queue',
    stories,
    'an older event that arrives late says what the status is now',
  ),
  row('CLOSED is final', stories, 'CLOSED says that it is final'),
  row(
    'authorization, settlement, reversal and PIN are told apart, in words',
    'test/templates/alerts/money-line.test.ts',
    'a %s that is a %s is one quiet line: %s',
  ),
  row('a card is activated through POST /Card/Activate', commands, '%s activates a new card'),

  // Endpoints
  row(
    'every endpoint of the inventory has a client method',
    'test/src/card-api/client-shapes.test.ts',
    'it.each(inventory)',
  ),
  row(
    'the client against the service: cards, limits, details, rulesets',
    client,
    'reads and writes rulesets and lists their cards',
  ),

  // Webhook authentication
  row('1. Basic scheme, credential is the shared secret', authenticate, 'is known %s'),
  row('2. a mismatch is not to be trusted', receivers, 'for %s is told 401 and how to authenticate'),
  row('3. the shared secret is stored securely', config, '%s=%s is named with what was expected, and not repeated'),
  row('4. source addresses are not a valid check', receivers, 'is taken with %s'),
  row('5. Expect: 100-continue', connections, 'is told to continue when it is authentic, and then 200'),
  row(
    '5. Connection: Keep-Alive',
    connections,
    'a connection of the service stays open for longer than the service might pause',
  ),
  row('5. the version header decides the signs', transaction, 'is the same, whatever sign that version writes'),

  // Events
  row(
    'Authorization, Reversal, Settlement, PIN, Decline by NetworkType and NetworkStatus',
    kind,
    '%s is the same at the receiver for %s',
  ),
  row(
    'declined authorizations and declined PIN transactions are declines',
    alerts,
    'treats a declined authorization as a decline, whichever path it came by',
  ),
  row('Card Status Change, Card Shipping, Virtual Card reach their channels', alerts, 'every kind of webhook'),
  row('retries repeat an event', identity, 'produced anew for a retry has the same id'),
  row('an event delivered again adds nothing', alerts, 'answers 200 to a repeated delivery and posts nothing new'),
  row('Errors and Message are empty in a resend', cardEvents, 'with %j is kept with %j'),
  row('resends may be requested at any time', identity, 'is another resend of a virtual card'),
  row(
    'webhook contents of virtual cards are not stored',
    'test/flow/leaks.test.ts',
    'no planted secret is in the files of Redis',
  ),

  // Errors
  row(
    'network transactions of one card account for a given duration',
    'test/flow/why.test.ts',
    'counts declines of the service and of webhooks once, newest first',
  ),
  row('the twelve decline codes', declines, '$code says why'),
  row('a decline code that is not listed', declineTemplate, 'decline.of.tomorrow'),
  row(
    'decline.card.status: its three messages',
    'test/src/alerts/decline-reason.test.ts',
    'Card Status New Card Pending',
  ),
  row('virtual card order results: successful, not created, partial', cardTemplates, "['not_created', []"),
  row(
    'virtual card Errors: Group, Ruleset, Activation, Funding',
    cardTemplates,
    'whose Errors name %s alone could not be %s, and nothing else is said to have failed',
  ),
  row('API error answers', unsure, 'is shown in the API’s own words, with the note that nothing changed'),

  // Limits
  row(
    'the last retry comes after an hour, then the notification is gone',
    'test/src/core/gap.test.ts',
    'begins an hour and a little earlier',
  ),
  row(
    'time-based limits: daily, weekly, monthly, yearly, lifetime',
    commands,
    "['daily', 'weekly', 'monthly', 'yearly', 'lifetime']",
  ),
  row('CustomId names a card', 'test/flow/which-card.test.ts', '%s names a card'),
  row(
    'activating ends the other cards of the account (assumption)',
    replacement,
    'activating a card that ends another one asks first, names it, and changes nothing',
  ),

  // Versioning
  row('1. the API version is a path segment', 'test/src/card-api/client-shapes.test.ts', 'it.each(inventory)'),
  row('3. signs before and after 2.0.1.3, each kind', transaction, 'is the same, whatever sign that version writes'),
  row(
    '3. an authorization with a positive amount',
    transaction,
    'follows from the kind, also when its sign contradicts the table',
  ),
  row('4. unknown kinds are kept, not lost', quarantine, 'keeps what a replay and a person need'),
  row(
    'POST /VirtualCard/Order: the result comes asynchronously, with its webhook',
    virtualOrder,
    'orders once and tells the result to the channel and the person who asked, never the number',
  ),
  row('POST /VirtualCard/Data: one virtual card in each request', virtualOrder, 'asks once and says when it was sent'),
];
