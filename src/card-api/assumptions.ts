import { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { type LimitPeriod, limitPeriods } from './rule.ts';

/**
 * The merchant codes (MCC) of the card service's categories. The service publishes the names only; the codes follow from the
 * names and from the card networks' list. Codes that no name covers are left out: their category is then not known.
 */
export const categoryCodes: Readonly<Record<string, readonly string[]>> = {
  'Fuel Pump Only': ['5542'],
  'Fuel and Convenience Stores': ['5499', '5541', '5983'],
  Restaurants: ['5811-5814'],
  'Grocery Stores': ['5411-5462'],
  'Hardware Stores': ['5072', '5200-5261'],
  'Automotive Dealers': ['5511-5533', '5551-5599', '7531-7549'],
  'Healthcare and Childcare Services': ['5912', '8011-8099', '8351'],
  'Educational Services': ['8211-8299'],
  Entertainment: ['7829-7841', '7911-7999'],
  'Associations and Organizations': ['8398-8699'],
  'Travel and Transportation': ['3000-3999', '4011-4789', '7011-7033', '7512-7523'],
  'Professional Services': ['1520-1799', '7276', '7311-7399', '8111', '8911-8999'],
  // Shops of every other kind.
  'Retail Stores': ['5000-5999'],
};

/** Variants of a path, tried in order while the service answers 404 or 405. Remembers the one that works. */
const pathForms = (...forms: [string, ...string[]]) => z.array(z.string().startsWith('/')).min(1).default(forms);

const texts = (...defaults: string[]) => z.array(z.string().min(1)).default(defaults);

/** The service's names for the window of a limit, lowercase letters only. */
const periodWords: Record<string, LimitPeriod> = {
  perday: 'daily',
  daily: 'daily',
  day: 'daily',
  perweek: 'weekly',
  weekly: 'weekly',
  week: 'weekly',
  permonth: 'monthly',
  monthly: 'monthly',
  month: 'monthly',
  peryear: 'yearly',
  yearly: 'yearly',
  year: 'yearly',
  perannum: 'yearly',
  annual: 'yearly',
  annually: 'yearly',
  lifetime: 'lifetime',
  perlifetime: 'lifetime',
  total: 'lifetime',
};

/**
 * Everything that the specification leaves open and that the card API client relies on.
 *
 * Each entry has a realistic default and can be overridden without a new release through the environment variable
 * `CARD_API_ASSUMPTIONS`, a JSON object with any of these names. An entry `…Paths` lists variants of a call's path.
 */
export const CardApiAssumptions = z.strictObject({
  pingPaths: pathForms('/ping', '/Details/Ping').describe(
    'The liveness call; only its status counts, any body is accepted.',
  ),
  getCurrentTokenPaths: pathForms('/Token/Current').describe('Returns the owner and the expiry of the token.'),
  setCardStatusPaths: pathForms('/Card/Status/{acctId}').describe(
    'Block and unblock; takes the card account id, not the card id.',
  ),
  activateCardPaths: pathForms('/Card/Activate/{acctId}/{cardId}', '/Card/Activate{acctId}/{cardId}').describe(
    'The specification writes it without the slash after Activate; the form with the slash is tried first.',
  ),
  getRemainingLimitsPaths: pathForms(
    '/Details/AccountDetails/{acctId}/RemainingLimit',
    '/Details/AccountDetails/{acctId}/RemainingLimits',
  ).describe('Announced in the singular; both paths and both shapes of the answer are supported.'),
  activationRefusedHours: z
    .int()
    .nonnegative()
    .default(24)
    .describe(
      'For how many hours after a card was made the service may refuse to activate it. Whoever is refused reads this. 0: it always activates cards.',
    ),
  statusRefusedTexts: texts('cannot change status').describe(
    'An activation that is refused with one of these (any case), or without a message, may have come too early.',
  ),
  blockedBody: z
    .record(z.string(), z.unknown())
    .default({ Status: 'Blocked' })
    .describe('Body of the status call that blocks. The service may also take the number 2.'),
  activeBody: z
    .record(z.string(), z.unknown())
    .default({ Status: 'Active' })
    .describe('Body of the status call that unblocks. The service may also take the number 0.'),
  spendRulesWrapper: z
    .string()
    .default('AdvancedSpendRules')
    .describe(
      'Name of the wrapper around the rules in GET; answers without it are read too, and PUT is sent without it.',
    ),
  businessBalanceField: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'The flag of the rules which says that purchases are paid from the balance of the business, not of the card. Null: the one that is named like UseBusinessBalanceForAuths, with any words before “Balance” but “Card”. Missing: not known.',
    ),
  readOnlyRuleFields: texts().describe(
    'Fields of the rules that GET returns and PUT must not contain. Empty: everything that was read is written back.',
  ),
  readOnlyCategoryFields: texts().describe(
    'Fields of a merchant category that GET returns and PUT must not contain. Empty: see above.',
  ),
  noLimit: z
    .union([z.null(), z.literal(0)])
    .default(null)
    .describe(
      'The value that means "no limit" in spend rules, in both directions. The other one is then an ordinary value. In the remaining-limit answer both mean no limit where the rules have none.',
    ),
  noCategoryAllowsAll: z
    .boolean()
    .default(true)
    .describe(
      'A card whose spend rules list no merchant category may be used in all categories; otherwise in none. A category is allowed if it is listed.',
    ),
  categoryCodes: z
    .record(z.string(), z.array(z.string().regex(/^\d{3,4}(?:-\d{3,4})?$/)))
    .default(categoryCodes as Record<string, string[]>)
    .describe(
      'The merchant codes (MCC) of each of the service’s merchant categories, as `5812` or `5811-5814`: a decline by the limit of a category does not say which one. The first category that has a code is the one it belongs to.',
    ),
  longerLimitAboveCents: z
    .int()
    .nonnegative()
    .default(0)
    .describe(
      'How many cents the limit of a longer window must be above that of a shorter one. 0: they may be equal; the public wording ("lower than") may also mean 1.',
    ),
  rulesetMayOverrule: z
    .boolean()
    .default(true)
    .describe(
      'What its own rules mean for a card that follows a spending ruleset: they can be written, and the ruleset may overrule them. Otherwise they apply like those of any other card.',
    ),
  paddingCountsAgainstLimits: z
    .boolean()
    .default(true)
    .describe(
      'The amount reserved on top of a purchase (PaddingAmount: fuel, restaurants) counts against limits like the purchase itself. Otherwise a limit only needs room for the purchase.',
    ),
  paddingCountsAgainstBalance: z
    .boolean()
    .default(true)
    .describe(
      'The same amount is taken from the balance of the card like the purchase itself. Otherwise the balance only needs to cover the purchase.',
    ),
  laterStepsWithinDays: z
    .int()
    .min(0)
    .max(364)
    .default(10)
    .describe(
      'How many days after an authorization request its settlements and reversals may come: holds usually last five days, and vary by merchant. The service finds network transactions by TransactionTime, which is the time of that request, so recovery looks this far back. 0: TransactionTime is the time of each step.',
    ),
  virtualCardWithinMinutes: z
    .number()
    .positive()
    .max(7 * 24 * 60)
    .default(90)
    .describe(
      'How many minutes after an order of a virtual card, or a request to resend its details, its webhook may come: an order takes minutes, and the last retry follows the first try after 64. Whoever asked is then told that none came.',
    ),
  periodWords: z
    .record(z.string(), z.enum(limitPeriods))
    .default(periodWords)
    .describe(
      'Words for the windows of a limit in the remaining-limit answer. What is left of a limit with another word is not known, as if the answer left it out.',
    ),
  deadTokenTexts: texts(
    'token expired',
    'token does not exist',
    'does not exist or expired',
    'invalid token',
    'password has changed',
    'user is not active',
    'authorization header',
    'authorization scheme',
    'invalid appid',
  ).describe('A 401 or 403 whose message contains one of these (any case) means: this token will not work again.'),
  livingTokenTexts: texts('card account id').describe('A 401 with one of these concerns the request, not the token.'),
  listCallsPerHour: z.int().positive().default(10).describe('How often the list of all accounts may be requested.'),
  callsPerMinute: z.int().positive().default(120).describe('Calls of all kinds that the service accepts per minute.'),
  detailCallsPerMinute: z.int().positive().default(60).describe('Our own share of these for filling the directory.'),
});
export type CardApiAssumptions = z.infer<typeof CardApiAssumptions>;

export function apiQuotaOf(assumptions: CardApiAssumptions) {
  const perMinute = Math.min(assumptions.detailCallsPerMinute, assumptions.callsPerMinute);
  return {
    listEveryMs: Math.ceil(3_600_000 / assumptions.listCallsPerHour),
    detailsPerMinute: perMinute,
    detailsBurst: perMinute,
  };
}

/** Reads `CARD_API_ASSUMPTIONS`. @throws ConfigError that names the bad entries, never their values or any other input. */
export function parseAssumptions(json?: string): CardApiAssumptions {
  let overrides: unknown = {};
  try {
    overrides = json === undefined || json.trim() === '' ? {} : JSON.parse(json);
  } catch {
    throw new ConfigError(['CARD_API_ASSUMPTIONS: expected a JSON object']);
  }
  const parsed = CardApiAssumptions.safeParse(overrides);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => `CARD_API_ASSUMPTIONS: expected ${whatWasExpected(issue)}`));
}

function whatWasExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'only entries from src/card-api/assumptions.ts';
  const form = issue.code === 'invalid_type' ? issue.expected : 'an accepted form';
  return issue.path.length === 0 ? `a JSON ${form}` : `${form} in ${issue.path.map(String).join('.')}`;
}
