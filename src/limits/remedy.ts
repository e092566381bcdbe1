import type { CardClient } from '../card-api/client.ts';
import type { LimitPeriod, LimitWindow } from '../card-api/rule.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import type { CardLimits, SpendRules } from '../card-api/spend-rules.ts';
import type { AlsoNeeds } from '../core/also-needs.ts';
import { declineCode, isByRule, lackingCents, type TransactionEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import { isAbroad } from '../core/merchant-category.ts';
import { foldName } from '../directory/card-query.ts';
import { checkLimits } from './binding-limit.ts';
import { hasReset } from './limit-window.ts';
import type { FitsMerchant } from './merchant-fit.ts';
import { isIncomplete, isOfRules, neededIn, type Remedy, withBalanceNow } from './remedy-change.ts';
import { areAllClosed, byStatus, type KnownCard } from './status-check.ts';
import { type RemainedLimits, remainingAt } from './stopping-category.ts';

/** An alert that names the limit is better than one that does not, but a late alert is worse. */
const ADVICE_TIMEOUT_MS = 600;
/** Someone is waiting with an open form. */
const FORM_ADVICE_TIMEOUT_MS = 5000;

interface Deps {
  readonly card: Pick<CardClient, 'getAccount' | 'getRemainingLimits' | 'getSpendRules'>;
  /** `mayBeOverruled`: it follows a spending ruleset, which may overrule the card's own rules. */
  readonly accountOf: (
    acctId: number,
  ) => Promise<{ readonly cards: readonly KnownCard[]; readonly mayBeOverruled: boolean }>;
  readonly hasFraudCase: (acctId: number) => Promise<boolean>;
  /** The merchant category and the period of the limit that a decline names; null: none. */
  readonly namedIn: (decline: NonNullable<TransactionEvent['decline']>) => {
    readonly category: string | null;
    readonly period: LimitPeriod | null;
  };
  readonly fitsMerchant: FitsMerchant;
  /** A merchant category's number by its name, from other rules of the program. `away`: they could not be read. */
  readonly categoryId: (name: string) => Promise<number | null | 'away'>;
  readonly now: () => Date;
  readonly log: Log;
}

/** What would let a declined purchase pass. */
export interface Advice {
  /** Null: no rule was the reason, nothing tells it, or the card API did not answer in time. */
  readonly remedy: Remedy | null;
  /** Some card API data is missing, so it is worth asking again later. */
  readonly isIncomplete: boolean;
}

/** Whether a declined purchase would pass now, and what it takes if not. */
export type PurchaseCheck =
  /** `isPartial`: what else it needs could not be read in full. */
  | { readonly state: 'stopped'; readonly remedy: Remedy; readonly isPartial?: true }
  /** No limit, no rule, no block and no balance stops it, as far as is known. */
  | { readonly state: 'passes' }
  /**
   * `away`: the card API did not answer. `unclear`: all was read and does not tell what stops it. `ruleset`: what declined it
   * is allowed by the card's own rules, and its ruleset may not allow it. `balance`: all rules let it pass, and the card's
   * balance did not cover it.
   * `status`: none of its cards is active. `closed`: all of them are closed. Otherwise no change would help.
   */
  | {
      readonly state: 'unknown';
      readonly why?: 'away' | 'unclear' | 'ruleset' | 'balance' | 'status' | 'closed';
      /** What stops it besides its ruleset. */
      readonly alsoNeeds?: AlsoNeeds;
    };

/** @param options.isBalanceRead false: the caller compares the balance of now itself, so that of the decline will do here. */
export type CheckPurchase = (
  event: TransactionEvent,
  options?: { readonly isBalanceRead: boolean },
) => Promise<PurchaseCheck>;

/**
 * What would let a declined purchase pass, based on the card's current data: the smallest change that the API can make.
 */
export function createRemedies(deps: Deps) {
  const look = createLook(deps);
  async function advise(event: TransactionEvent, deadlineMs: number): Promise<Advice> {
    const check = await look(event, deadlineMs, 'then');
    const isSameWindow = (period: LimitWindow): boolean => !hasReset(period, event.occurredAt, deps.now());
    if (check.state === 'unknown') return { remedy: inPortal(check), isIncomplete: check.why === 'away' };
    if (check.state === 'passes') return { remedy: { kind: 'retry' }, isIncomplete: false };
    return { remedy: check.remedy, isIncomplete: isIncomplete(check.remedy, isSameWindow) };
  }
  const checkPurchase: CheckPurchase = (event, options) => look(event, FORM_ADVICE_TIMEOUT_MS, 'now', options);
  return {
    /** What would have let a declined purchase pass. Answers fast, because an alert waits for it. */
    adviceFor: (event: TransactionEvent): Promise<Advice> => advise(event, ADVICE_TIMEOUT_MS),
    /** The same for an alert that was sent with incomplete advice. May take as long as a form. */
    adviceAgain: (event: TransactionEvent): Promise<Advice> => advise(event, FORM_ADVICE_TIMEOUT_MS),
    /** The same for the card's current state, for someone who is about to act. It may have been blocked since. */
    checkPurchase,
  };
}

function inPortal({ why, alsoNeeds }: Extract<PurchaseCheck, { readonly state: 'unknown' }>): Remedy | null {
  if (why !== 'ruleset' && why !== 'balance') return null;
  return { kind: 'portal', why, ...(alsoNeeds !== undefined && { alsoNeeds }) };
}

/** Whether the amounts that were left when the purchase was declined count, or those of now. */
type Time = 'then' | 'now';

const passes = { state: 'passes' } as const;
const away = { state: 'unknown', why: 'away' } as const;
const unclear = { state: 'unknown', why: 'unclear' } as const;
const byRuleset = { state: 'unknown', why: 'ruleset' } as const;
const byBalance = { state: 'unknown', why: 'balance' } as const;
const closed = { state: 'unknown', why: 'closed' } as const;

/** A purchase and what its card allows. Each is read once, when it is needed first; null: it could not be read. */
interface Purchase {
  readonly event: TransactionEvent;
  readonly rules: () => Promise<SpendRules | null>;
  readonly remaining: () => Promise<RemainingLimits | null>;
  /** In whole cents: when it was declined, or now. */
  readonly balance: () => Promise<number | null>;
}

function createLook(deps: Deps) {
  const { card, log } = deps;
  return async function look(
    event: TransactionEvent,
    deadlineMs: number,
    time: Time,
    { isBalanceRead } = { isBalanceRead: time === 'now' },
  ): Promise<PurchaseCheck> {
    const { acctId } = event;
    if (time === 'now' && (await areAllClosed(acctId, deps))) return closed;
    const purchase = {
      event,
      rules: once(async () => (await readOrLog(card.getSpendRules(acctId, { deadlineMs }), log))?.rules ?? null),
      remaining: once(() => readOrLog(card.getRemainingLimits(acctId, { deadlineMs }), log)),
      balance: once(async () => {
        const account = !isBalanceRead ? null : await readOrLog(card.getAccount(acctId, { deadlineMs }), log);
        return account?.availableCents ?? event.availableCents;
      }),
    };
    const check = await byCode(purchase, time, deps);
    // That a card is active by now needs no call of the card API for its alert.
    if (check.state === 'passes' && time === 'then' && !isByRule(event.decline)) return { state: 'unknown' };
    const found = check.state === 'passes' ? await byAllElse(purchase, time, deps) : check;
    return await withAlsoNeeded(found, purchase, time, deps);
  };
}

/** Only the first of all that stops a purchase is its remedy. An alert does not wait for what is left of the limits. */
async function withAlsoNeeded(
  check: PurchaseCheck,
  purchase: Purchase,
  time: Time,
  deps: Deps,
): Promise<PurchaseCheck> {
  const { event, ...read } = purchase;
  const isByRuleset = check.state === 'unknown' && check.why === 'ruleset';
  if (!isByRuleset && (check.state !== 'stopped' || !isOfRules(check.remedy))) return check;
  const kind = check.state === 'stopped' ? check.remedy.kind : null;
  const rules = await read.rules();
  if (rules === null) return check.state === 'stopped' ? { ...check, isPartial: true } : check;
  const isLookedAt = isByRuleset || (time === 'now' && kind !== 'raise_limit');
  const remaining = isLookedAt ? await read.remaining() : null;
  const byLimits =
    remaining === null ? passes : byLimitNow(event, { remaining, rules }, await deps.accountOf(event.acctId), deps);
  const needed = [...byKind(event, rules), byLimits].flatMap((other) =>
    other.state === 'stopped' && other.remedy.kind !== kind ? neededIn(other.remedy) : [],
  );
  const alsoNeeds = withBalanceNow(needed, await isBalanceTooLow(purchase, rules));
  const besides = alsoNeeds.length > 0 && { alsoNeeds };
  if (check.state === 'unknown') return { ...check, ...besides };
  const isPartial = isLookedAt && (remaining === null || byLimits.state === 'unknown');
  return { state: 'stopped', remedy: { ...check.remedy, ...besides }, ...(isPartial && { isPartial }) };
}

/** The card pays from its own balance, which does not cover the purchase. */
async function isBalanceTooLow({ event, balance }: Purchase, rules: SpendRules): Promise<boolean> {
  return rules.usesBusinessBalance === false && lackingCents(event, await balance()) > 0;
}

/** Whether what declined the purchase stops it. */
async function byCode(purchase: Purchase, time: Time, deps: Deps): Promise<PurchaseCheck> {
  const { event } = purchase;
  const code = declineCode(event.decline);
  switch (code) {
    case 'decline.card.status':
      // The service says that the card could not be used then, so its own report of the change may be late.
      return await byStatus(event, deps, 'now');
    case 'decline.rule.velocity':
    case 'decline.rule.velocity.mcc':
      return await byLimit(purchase, time, deps);
    case 'decline.rule.mcc':
      return await byCategory(purchase, deps);
    case 'decline.rule.location':
      return abroad(await purchase.rules());
    case 'decline.rule.cardnotpresent':
      return online(await purchase.rules());
    default:
      // A blocked card declines everything, so a decline without a reason of its own is one of the block.
      return event.decline === null || isReason(code) ? { state: 'unknown' } : await byStatus(event, deps, time);
  }
}

/** What else stops a purchase that is no longer stopped by what declined it: the first that does. */
async function byAllElse(purchase: Purchase, time: Time, deps: Deps): Promise<PurchaseCheck> {
  const { event } = purchase;
  const [rules, remaining] = await Promise.all([purchase.rules(), purchase.remaining()]);
  if (rules === null || remaining === null) return away;
  const left = time === 'now' ? remaining : remainingAt(event.occurredAt, remaining, deps.now());
  const account = await deps.accountOf(event.acctId);
  const isCategoryKnown = declineCode(event.decline).endsWith('.mcc');
  const isListed = rules.categories.some(({ name }) => deps.fitsMerchant(name, event.mcc));
  const isByLimit = declineCode(event.decline).startsWith('decline.rule.velocity');
  // The card's own rules allow what declined it, so its ruleset does not.
  const isByRuleset = account.mayBeOverruled && isByRule(event.decline) && !isByLimit;
  const checks: PurchaseCheck[] = [
    time === 'now' ? await byStatus(event, deps, time) : passes,
    ...(isByRuleset
      ? []
      : [
          ...byKind(event, rules),
          // Nothing tells the name of a category that is not listed.
          isCategoryKnown || rules.isEveryCategoryAllowed || isListed ? passes : unclear,
          byLimitNow(event, { remaining: left, rules }, account, deps),
        ]),
    account.mayBeOverruled ? byRuleset : passes,
    (await isBalanceTooLow(purchase, rules)) ? byBalance : passes,
  ];
  const isObstacle = (check: PurchaseCheck): boolean => check.state === 'unknown' && check.why !== undefined;
  return checks.find(({ state }) => state === 'stopped') ?? checks.find(isObstacle) ?? passes;
}

async function byLimit(
  { event, ...read }: Purchase,
  time: Time,
  { namedIn, fitsMerchant, accountOf, now }: Deps,
): Promise<PurchaseCheck> {
  const [left, rules] = await Promise.all([read.remaining(), read.rules()]);
  if (left === null && rules === null) return away;
  const { mayBeOverruled } = await accountOf(event.acctId);
  const then = left && remainingAt(event.occurredAt, left, now());
  const remaining = time === 'then' ? then : left;
  const period = event.decline === null ? null : namedIn(event.decline).period;
  const isOfCategory = declineCode(event.decline) === 'decline.rule.velocity.mcc';
  const taken = takenFromLimits(event, fitsMerchant);
  const purchase = { ...taken, isOfCategory, isLater: time === 'now', period, mayBeOverruled };
  const found = checkLimits(purchase, remaining, rules, then);
  if (found === 'passes') return passes;
  if (found !== null) return { state: 'stopped', remedy: found };
  return left === null || rules === null ? away : unclear;
}

/** The same for a purchase that no limit has declined, so that none is likely to stop it. */
function byLimitNow(
  event: TransactionEvent,
  { remaining, rules }: { readonly remaining: RemainedLimits; readonly rules: CardLimits },
  { mayBeOverruled }: Pick<Awaited<ReturnType<Deps['accountOf']>>, 'mayBeOverruled'>,
  { fitsMerchant }: Pick<Deps, 'fitsMerchant'>,
): PurchaseCheck {
  const tried = { ...takenFromLimits(event, fitsMerchant), isLater: true, mayBeOverruled };
  const found = checkLimits(tried, remaining, rules);
  if (found === 'passes') return passes;
  const isGuess = found?.limits[0].to === null && found.limits[0].isOfRuleset !== true;
  return found === null || isGuess ? unclear : { state: 'stopped', remedy: found };
}

function takenFromLimits({ amountCents, paddingCents, mcc }: TransactionEvent, fitsMerchant: FitsMerchant) {
  return { amountCents: amountCents + paddingCents, fits: (name: string) => fitsMerchant(name, mcc) };
}

async function byCategory({ event, ...read }: Purchase, { namedIn, categoryId }: Deps): Promise<PurchaseCheck> {
  const name = event.decline === null ? null : namedIn(event.decline).category;
  if (name === null) return { state: 'unknown' };
  const rules = await read.rules();
  const isListed = rules?.categories.some((one) => foldName(one.name) === foldName(name));
  if (isListed === true || rules?.isEveryCategoryAllowed === true) return passes;
  const id = await categoryId(name);
  return id === 'away' ? away : { state: 'stopped', remedy: { kind: 'allow_category', category: { id, name } } };
}

const abroad = (rules: SpendRules | null) => byRule(rules?.isInternationalAllowed === true, 'allow_international');
const online = (rules: SpendRules | null) => byRule(rules?.isCardNotPresentAllowed === true, 'allow_card_not_present');

/** The rules about purchases of its kind: abroad, online. */
function byKind({ merchant, isCardPresent }: TransactionEvent, rules: SpendRules): PurchaseCheck[] {
  return [isAbroad(merchant) ? abroad(rules) : passes, isCardPresent === false ? online(rules) : passes];
}

function byRule(isAllowed: boolean, kind: 'allow_international' | 'allow_card_not_present'): PurchaseCheck {
  return isAllowed ? passes : { state: 'stopped', remedy: { kind } };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}

/** Whether a code that has no remedy says why the purchase was declined: a balance, a PIN, the type of merchant. */
function isReason(code: string): boolean {
  return /^decline\.(?:balance\.|card\.pin$|mcc$|remote$)/.test(code);
}

async function readOrLog<T>(reading: Promise<T>, log: Log): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    log.warn({ err: error }, 'could not read the card to find a remedy');
    return null;
  }
}
