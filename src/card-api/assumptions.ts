import { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import { type LimitPeriod, limitPeriods } from './rule.ts';

/** Forms of a path, tried in order while the service answers 404 or 405. The one that works is remembered. */
const pathForms = (...forms: [string, ...string[]]) => z.array(z.string().startsWith('/')).min(1).default(forms);

const texts = (...defaults: string[]) => z.array(z.string().min(1)).default(defaults);

/** The service's names for the window of a limit, in lower case and letters only. */
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
 * Each entry is the realistic default; each can be overridden without a new release through the environment variable
 * `CARD_API_ASSUMPTIONS`, a JSON object with any of these names. An entry `…Paths` holds the ways to write the path of the
 * call before it, and takes the place of that call's path in the table of endpoints.
 */
export const CardApiAssumptions = z.strictObject({
  pingPaths: pathForms('/ping', '/Details/Ping').describe(
    'The liveness call; only its status counts, any body is accepted.',
  ),
  getCurrentTokenPaths: pathForms('/Token/Current').describe('Says whose token it is and until when it lives.'),
  setCardStatusPaths: pathForms('/Card/Status/{acctId}').describe(
    'Block and unblock; takes the card account id, not the card id.',
  ),
  activateCardPaths: pathForms('/Card/Activate/{acctId}/{cardId}', '/Card/Activate{acctId}/{cardId}').describe(
    'The specification writes it without the slash after Activate; the form with the slash is tried first.',
  ),
  getAccountAdvancedPaths: pathForms(
    '/Details/AccountDetails/{acctId}/Advanced',
    '/Details/AccountDetails/{acctId}/Advance',
  ).describe('One change notice writes the path ending as Advance.'),
  getRemainingLimitsPaths: pathForms(
    '/Details/AccountDetails/{acctId}/RemainingLimit',
    '/Details/AccountDetails/{acctId}/RemainingLimits',
  ).describe('Announced in the singular; both forms and both shapes of the answer are read.'),
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
    .describe('Name under which GET wraps the rules; answers without the wrapper are read too, PUT goes without.'),
  readOnlyRuleFields: texts().describe(
    'Fields of the rules that GET shows and PUT must not get. None: everything that was read is written back.',
  ),
  readOnlyCategoryFields: texts().describe(
    'Fields of a merchant category that GET shows and PUT must not get. None, as above.',
  ),
  noLimit: z
    .union([z.null(), z.literal(0)])
    .default(null)
    .describe('What stands for "no limit" in spend rules, read and written. The other one is then an ordinary value.'),
  noCategoryAllowsAll: z
    .boolean()
    .default(true)
    .describe(
      'A card whose spend rules list no merchant category may be used at all of them; otherwise at none. A category is allowed by standing in the list.',
    ),
  longerLimitAboveCents: z
    .int()
    .nonnegative()
    .default(0)
    .describe(
      'How many cents the limit of a longer window must be above that of a shorter one. 0: they may be equal; the public words ("lower than") may also mean 1.',
    ),
  rulesetMayOverrule: z
    .boolean()
    .default(true)
    .describe(
      'What rules of its own mean for a card that follows a spending ruleset: they can be written, and the ruleset may overrule them. Otherwise they count as those of any other card.',
    ),
  paddingCountsAgainstLimits: z
    .boolean()
    .default(true)
    .describe(
      'What is set aside on top of a purchase (PaddingAmount: fuel, restaurants) counts against limits as the purchase itself does. Otherwise a limit need only leave room for the purchase.',
    ),
  laterStepsWithinDays: z
    .int()
    .min(0)
    .max(364)
    .default(10)
    .describe(
      'How many days after the request of an authorization its settlements and reversals may come: holds last five days as a rule, and vary by merchant. TransactionTime, by which the service looks up network transactions, is the time of that request, so what is missed is looked for this far back. 0: TransactionTime is the time of each step.',
    ),
  periodWords: z
    .record(z.string(), z.enum(limitPeriods))
    .default(periodWords)
    .describe('Words for the windows of a limit in the remaining-limit answer; a word that is not listed is left out.'),
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
  livingTokenTexts: texts('card account id').describe(
    'A 401 with one of these is about the request, not about the token.',
  ),
  emptyListStatus: z
    .array(z.int())
    .default([404])
    .describe('Statuses with which lists of rulesets and their cards say "there are none".'),
  listCallsPerHour: z.int().positive().default(10).describe('How often the list of all accounts may be asked for.'),
  callsPerMinute: z.int().positive().default(120).describe('Calls of all kinds that the service takes in a minute.'),
  detailCallsPerMinute: z.int().positive().default(60).describe('Our own share of that for filling the directory.'),
});
export type CardApiAssumptions = z.infer<typeof CardApiAssumptions>;

/** The API quota of the directory. */
export function apiQuotaOf(assumptions: CardApiAssumptions): {
  listEveryMs: number;
  detailsPerMinute: number;
  detailsBurst: number;
} {
  const perMinute = Math.min(assumptions.detailCallsPerMinute, assumptions.callsPerMinute);
  return {
    listEveryMs: Math.ceil(3_600_000 / assumptions.listCallsPerHour),
    detailsPerMinute: perMinute,
    detailsBurst: perMinute,
  };
}

/** Reads `CARD_API_ASSUMPTIONS`. @throws ConfigError that names the entries which do not fit, never their values or what else was written. */
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
  if (issue.code === 'unrecognized_keys') return 'no other entries than those of src/card-api/assumptions.ts';
  const form = issue.code === 'invalid_type' ? issue.expected : 'an accepted form';
  return issue.path.length === 0 ? `a JSON ${form}` : `${form} in ${issue.path.map(String).join('.')}`;
}
