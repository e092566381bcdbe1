/** A gap that the specification marks with "not shown", and the assumption that fills it. */
export interface NotShown {
  /** The row in the words of the specification. */
  readonly row: string;
  readonly file: 'sandbox/assumptions.ts' | 'src/card-api/assumptions.ts';
  /** Names of the assumptions in that file. */
  readonly assumptions: readonly string[];
}

const sandbox = 'sandbox/assumptions.ts';
const client = 'src/card-api/assumptions.ts';

/** Every "not shown" of the specification, with the assumptions of the sandbox and of the bot's client. */
export const NOT_SHOWN: readonly NotShown[] = [
  {
    row: 'account onboarding, funding behaviour and business rules',
    file: sandbox,
    assumptions: ['virtualFundingMax', 'emptyCategoryListAllowsAll', 'serviceDisallowedMccs'],
  },
  {
    row: 'numeric type of the time-based limits, and what stands for no limit',
    file: client,
    assumptions: ['noLimit'],
  },
  {
    row: 'whether a longer window’s limit may equal a shorter one’s',
    file: client,
    assumptions: ['longerLimitAboveCents'],
  },
  { row: 'the same, in the sandbox', file: sandbox, assumptions: ['longerLimitMayEqual'] },
  {
    row: 'full field lists of profile, order, group, ruleset and transaction records',
    file: client,
    assumptions: ['spendRulesWrapper', 'businessBalanceField', 'readOnlyRuleFields', 'readOnlyCategoryFields'],
  },
  {
    row: 'other transitions between card statuses',
    file: sandbox,
    assumptions: ['statusOfInactiveMayBeSetActive', 'sameStatusIsNoChange', 'wrongPinsUntilBlocked'],
  },
  {
    row: 'state rules of activation beyond the table',
    file: sandbox,
    assumptions: ['activationRefusedHours', 'activationEndsOtherCards'],
  },
  {
    row: 'the same, as the client explains it',
    file: client,
    assumptions: ['activationRefusedHours', 'statusRefusedTexts'],
  },
  {
    row: 'states of card orders and virtual card orders',
    file: sandbox,
    assumptions: ['cardOrderStatus', 'orderProcessingSeconds'],
  },
  {
    row: 'states of virtual card orders, as the client waits for their results',
    file: client,
    assumptions: ['virtualCardWithinMinutes'],
  },
  {
    row: 'request parameters, bodies and status codes of the endpoints',
    file: client,
    assumptions: ['setCardStatusPaths', 'blockedBody', 'activeBody', 'activateCardPaths', 'getRemainingLimitsPaths'],
  },
  {
    row: 'request parameters, bodies and status codes, the service’s side',
    file: sandbox,
    assumptions: ['putSpendRulesAnswer', 'createSyncAnswersOrder', 'wrongVersionStatus'],
  },
  { row: 'request fields of POST /Card/CreateAsync', file: sandbox, assumptions: ['cardsPerOrderMax'] },
  {
    row: 'request body of POST /VirtualCard/Data',
    file: sandbox,
    assumptions: ['virtualOrderNeedsWebhook', 'virtualCardMessage'],
  },
  { row: 'how API callers authenticate', file: sandbox, assumptions: ['tokenScheme'] },
  {
    row: 'how API callers authenticate, and when a token is dead',
    file: client,
    assumptions: ['getCurrentTokenPaths', 'deadTokenTexts', 'livingTokenTexts'],
  },
  { row: 'error response bodies and status codes', file: sandbox, assumptions: ['shorterAboveLongerText'] },
  {
    row: 'rate limits, page sizes, cards per order, range of queries',
    file: sandbox,
    assumptions: ['callsPerMinute', 'callsOfEndpoint', 'transactionPageSize', 'cardsPerOrderMax', 'queryRangeMonths'],
  },
  {
    row: 'rate limits, as the client keeps them',
    file: client,
    assumptions: ['listCallsPerHour', 'callsPerMinute', 'detailCallsPerMinute'],
  },
];
