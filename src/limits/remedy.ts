import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import type { LimitPeriod, LimitWindow } from '../card-api/rule.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { type CardStatus, declineCode, declinedStatuses, type TransactionEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import { hadBegun } from '../core/service-time.ts';
import { allPass, bindingLimit } from './binding-limit.ts';
import type { FitsMerchant } from './merchant-fit.ts';
import { isIncomplete, type Remedy, withLimitsNow } from './remedy-change.ts';
import { hasReset } from './rule-words.ts';
import { remainingAt } from './stopping-category.ts';
import type { RemedyAction } from './verbs.ts';

/** An alert that names the limit is better than one that does not, but a late alert is worse. */
const ADVICE_TIMEOUT_MS = 600;
/** Someone is waiting with an open form. */
const FORM_ADVICE_TIMEOUT_MS = 5000;

/** A card of an account as it is now. */
interface KnownCard {
  readonly status: CardStatus | null;
  /** Since when it is blocked or closed, UTC ISO 8601. Null: not known. */
  readonly since: string | null;
}

interface Deps {
  readonly card: Pick<CardClient, 'getRemainingLimits' | 'getSpendRules'>;
  readonly cardsOf: (acctId: number) => Promise<readonly KnownCard[]>;
  readonly hasFraudCase: (acctId: number) => Promise<boolean>;
  /** The merchant category and the period of the limit that a decline names; null: none. */
  readonly namedIn: (decline: NonNullable<TransactionEvent['decline']>) => {
    readonly category: string | null;
    readonly period: LimitPeriod | null;
  };
  readonly fitsMerchant: FitsMerchant;
  /** A merchant category's number by its name, from other rules of the program. */
  readonly categoryId: (name: string) => Promise<number | null>;
  readonly now: () => Date;
  readonly log: Log;
}

/** What would let a declined purchase pass. */
export interface Advice {
  /** Null: no rule was the reason, or the card API did not answer in time. */
  readonly remedy: Remedy | null;
  /** Some card API data is missing, so it is worth asking again later. */
  readonly isIncomplete: boolean;
}

/** Whether a declined purchase would pass now, and what it takes if not. */
export type PurchaseCheck =
  | { readonly state: 'stopped'; readonly remedy: Remedy }
  | { readonly state: 'passes' }
  /**
   * No change would help, the card API did not answer (`isAway`), or all limits were read and do not tell which one it is
   * (`isUnclear`).
   */
  | { readonly state: 'unknown'; readonly isAway?: boolean; readonly isUnclear?: boolean };

/**
 * What would let a declined purchase pass, based on the card's current data: the smallest change that the API can make.
 */
export function createRemedies(deps: Deps) {
  const look = createLook(deps);
  async function advise(
    event: TransactionEvent,
    deadlineMs: number,
    isUnknown: (check: PurchaseCheck) => boolean,
  ): Promise<Advice> {
    const check = await look(event, deadlineMs, 'then');
    const isSameWindow = (period: LimitWindow): boolean => !hasReset(period, event.occurredAt, deps.now());
    if (check.state !== 'stopped') return { remedy: null, isIncomplete: isUnknown(check) };
    return { remedy: check.remedy, isIncomplete: isIncomplete(check.remedy, isSameWindow) };
  }
  return {
    /** What would have let a declined purchase pass. Answers fast, because an alert waits for it. */
    adviceFor: (event: TransactionEvent): Promise<Advice> =>
      advise(event, ADVICE_TIMEOUT_MS, (check) => check.state === 'unknown' && check.isAway === true),
    /** The same for an alert that was sent with incomplete advice. May take as long as a form. */
    adviceAgain: (event: TransactionEvent): Promise<Advice> =>
      advise(event, FORM_ADVICE_TIMEOUT_MS, (check) => check.state === 'unknown'),
    /** The same for the card's current state, for someone who is about to act. It may have been blocked since. */
    async checkPurchase(event: TransactionEvent): Promise<PurchaseCheck> {
      const check = await look(event, FORM_ADVICE_TIMEOUT_MS, 'now');
      const byCard = check.state === 'passes' ? await byStatus(event, deps, asItIs) : check;
      return byCard.state === 'stopped' ? byCard : check;
    },
  };
}

/** Whether the amounts that were left when the purchase was declined count, or those of now. */
type Time = 'then' | 'now';

function createLook({ card, cardsOf, hasFraudCase, namedIn, fitsMerchant, categoryId, now, log }: Deps) {
  return async function look(event: TransactionEvent, deadlineMs: number, time: Time): Promise<PurchaseCheck> {
    const code = declineCode(event.decline);
    switch (code) {
      case 'decline.card.status':
        // The service says that the card could not be used then, so its own report of the change may be late.
        return await byStatus(event, { cardsOf, hasFraudCase }, asItIs);
      case 'decline.rule.velocity':
      case 'decline.rule.velocity.mcc':
        return await byLimit(code, event, deadlineMs, time);
      case 'decline.rule.mcc':
        return await byCategory(event, deadlineMs);
      case 'decline.rule.location':
        return await bySwitch('isInternationalAllowed', { kind: 'allow_international' }, event, deadlineMs);
      case 'decline.rule.cardnotpresent':
        return await bySwitch('isCardNotPresentAllowed', { kind: 'allow_card_not_present' }, event, deadlineMs);
      default:
        // A blocked card declines everything, so a decline without a reason of its own is one of the block.
        return code === '' || isReason(code)
          ? { state: 'unknown' }
          : await byStatus(event, { cardsOf, hasFraudCase }, time === 'now' ? asItIs : asItWas(event));
    }
  };

  async function byLimit(
    code: string,
    event: TransactionEvent,
    deadlineMs: number,
    time: Time,
  ): Promise<PurchaseCheck> {
    const [read, rules] = await Promise.all([
      readOrLog(card.getRemainingLimits(event.acctId, { deadlineMs }), log),
      readOrLog(card.getSpendRules(event.acctId, { deadlineMs }), log),
    ]);
    if (read === null && rules === null) return { state: 'unknown', isAway: true };
    const then = read && remainingAt(event.occurredAt, read, now());
    const remaining = time === 'then' ? then : read;
    const amountCents = event.amountCents + event.paddingCents;
    const period = event.decline === null ? null : namedIn(event.decline).period;
    const purchase = { code, amountCents, fits: (name: string) => fitsMerchant(name, event.mcc), period };
    const found = bindingLimit(purchase, remaining, rules?.rules ?? null, then);
    if (found !== null) return { state: 'stopped', remedy: found };
    if (allPass(purchase, remaining, rules?.rules ?? null, then)) return { state: 'passes' };
    return { state: 'unknown', ...(read !== null && rules !== null && { isUnclear: true }) };
  }

  async function byCategory(event: TransactionEvent, deadlineMs: number): Promise<PurchaseCheck> {
    const name = event.decline === null ? null : namedIn(event.decline).category;
    if (name === null) return { state: 'unknown' };
    const rules = (await readOrLog(card.getSpendRules(event.acctId, { deadlineMs }), log))?.rules;
    const isListed = rules?.categories.some((one) => one.name.toLowerCase() === name.toLowerCase());
    if (isListed === true || rules?.isEveryCategoryAllowed === true) return { state: 'passes' };
    return { state: 'stopped', remedy: { kind: 'allow_category', category: { id: await categoryId(name), name } } };
  }

  async function bySwitch(
    name: 'isInternationalAllowed' | 'isCardNotPresentAllowed',
    remedy: Remedy,
    event: TransactionEvent,
    deadlineMs: number,
  ): Promise<PurchaseCheck> {
    const rules = (await readOrLog(card.getSpendRules(event.acctId, { deadlineMs }), log))?.rules;
    return rules?.[name] === true ? { state: 'passes' } : { state: 'stopped', remedy };
  }
}

/** Whether a code that has no remedy says why the purchase was declined: a balance, a PIN, the type of merchant. */
function isReason(code: string): boolean {
  return /^decline\.(?:balance\.|card\.pin$|mcc$|remote$)/.test(code);
}

/** Whether a card had its status already. */
type HadStatus = (card: KnownCard) => boolean;

const asItIs: HadStatus = () => true;
/** A block explains only what was tried since. */
const asItWas =
  (event: TransactionEvent): HadStatus =>
  ({ since }) =>
    since === null || hadBegun(since, event);

/**
 * The service has no separate decline reason for a blocked card: it calls it inactive. The card's known status decides.
 */
async function byStatus(
  event: TransactionEvent,
  { cardsOf, hasFraudCase }: Pick<Deps, 'cardsOf' | 'hasFraudCase'>,
  hadStatus: HadStatus,
): Promise<PurchaseCheck> {
  if (!declinedStatuses(event.decline?.message ?? '').includes('BLOCKED')) return { state: 'unknown' };
  const open = (await cardsOf(event.acctId)).filter((card) => card.status !== 'CLOSED' || !hadStatus(card));
  if (open.some(({ status }) => status === 'ACTIVE')) return { state: 'passes' };
  const isBlocked = open.length > 0 && open.every((card) => card.status === 'BLOCKED' && hadStatus(card));
  if (!isBlocked) return { state: 'unknown' };
  const isMisused = await hasFraudCase(event.acctId);
  return { state: 'stopped', remedy: { kind: 'unblock', ...(isMisused && { isMisused }) } };
}

async function readOrLog<T>(reading: Promise<T>, log: Log): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    log.warn({ err: error }, 'could not read the card to find a remedy');
    return null;
  }
}

/** Limits how much of the card API alerts may use, because people who press buttons need the rest. */
interface Throttle {
  readonly perMinute: number;
  readonly atOnce: number;
}

/**
 * Looks something up while the throttle allows it; otherwise returns `otherwise` at once. During a burst, an alert
 * without the name of its limit is better than an alert that waits for thousands of calls. The form that raises a limit
 * reads the card again anyway.
 *
 * @param now milliseconds on a monotonic clock.
 */
export function withThrottle<Question, Answer>(
  lookUp: (question: Question) => Promise<Answer>,
  otherwise: Answer,
  { perMinute, atOnce }: Throttle,
  now: () => number = () => performance.now(),
): (question: Question) => Promise<Answer> {
  let left = perMinute;
  let countedAt = now();
  let running = 0;

  return async function lookUpThrottled(question) {
    const at = now();
    left = Math.min(perMinute, left + ((at - countedAt) / 60_000) * perMinute);
    countedAt = at;
    if (running >= atOnce || left < 1) return otherwise;
    left -= 1;
    running += 1;
    try {
      return await lookUp(question);
    } finally {
      running -= 1;
    }
  };
}

/** The parts of a decline alert that its form needs. */
interface DeclineAlert {
  readonly event: TransactionEvent;
  readonly remedy: Remedy | null;
}

export interface FilledForm<A extends DeclineAlert> {
  readonly alert: A;
  readonly pendingId: string;
  readonly remedy: Remedy | null;
  readonly state: 'checked' | 'passes' | 'unclear' | 'unread';
}

/** What is known about the card, for when the form is submitted. */
interface FoundForForm {
  readonly remedy: Remedy | null;
  /** Null: could not be read. */
  readonly rules: CardLimits | null;
  /** Nothing stops the purchase any more. */
  readonly passes: boolean;
}

interface FillDeps<A extends DeclineAlert> {
  /** Null: the alert is not about a purchase, or has expired. */
  readonly declineAlert: (alertId: string) => Promise<A | null>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /** @returns false when the form no longer exists. */
  readonly keepFound: (pendingId: string, found: FoundForForm) => Promise<boolean>;
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm<A>) => Promise<void>;
}

/**
 * A button of a decline was pressed and its form is open: shows what would let the purchase pass now, not when the
 * alert was made.
 *
 * The form works without this, so data that cannot be read stays as it was.
 */
export function createFillForm<A extends DeclineAlert>(deps: FillDeps<A>): (action: RemedyAction) => Promise<void> {
  return async function fillForm({ form, target }) {
    const { pendingId } = form;
    const alert = await deps.declineAlert(target.alertId);
    if (alert === null) return;
    const [check, rules] = await Promise.all([deps.checkPurchase(alert.event), rulesOf(alert.event.acctId)]);
    const asItWas = check.state === 'passes' && rules !== null ? withLimitsNow(alert.remedy, rules) : alert.remedy;
    const remedy = check.state === 'stopped' ? check.remedy : asItWas;
    if (!(await deps.keepFound(pendingId, { remedy, rules, passes: check.state === 'passes' }))) return;
    await deps.updateForm(form, { alert, pendingId, remedy, state: stateOf(check, alert) });
  };

  function stateOf(check: PurchaseCheck, { remedy }: A): FilledForm<A>['state'] {
    if (check.state !== 'unknown') return check.state === 'passes' ? 'passes' : 'checked';
    return check.isUnclear === true && remedy === null ? 'unclear' : 'unread';
  }

  /** For input errors in the form. Without them the worker reports the errors afterwards. */
  async function rulesOf(acctId: number): Promise<CardLimits | null> {
    const read = await orNull(deps.card.getSpendRules(acctId, { deadlineMs: 3000 }));
    if (read === null) return null;
    const { limits, apartCents, categories } = read.rules;
    return { limits, apartCents, categories };
  }
}
