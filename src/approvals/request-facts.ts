import { z } from 'zod';
import { type Action, alertIdOf } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import { merchantKey } from '../alerts/aggregation-group-store.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { latestPurchases, PURCHASES_SHOWN } from '../alerts/latest-purchases.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { LimitPeriod, limitPeriods, ofRule, type Rule } from '../card-api/rule.ts';
import type { RuleChange } from '../card-api/rule-change.ts';
import type { RemainingLimit, RemainingLimits } from '../card-api/schema.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { AlsoNeeds } from '../core/also-needs.ts';
import { lackingCents, type TransactionEvent, withAmount } from '../core/event.ts';
import { merchantCategory } from '../core/merchant-category.ts';
import { foldName } from '../directory/card-query.ts';
import { withoutNoLimits } from '../directory/no-limit-rows.ts';
import type { ReadTransactions } from '../directory/read-transactions.ts';
import type { AskedChange } from '../limits/change-rule.ts';
import type { CheckPurchase } from '../limits/remedy.ts';
import {
  isOfRules,
  type LimitRaise,
  limitsToRaise,
  neededIn,
  remedyOfRule,
  withBalanceNow,
} from '../limits/remedy-change.ts';
import type { Requests } from './request-store.ts';

/** What approvers see besides the change, as of the request. */
export const RequestFacts = z.strictObject({
  /** The declined purchase that the request is about. */
  purchase: z
    .strictObject({
      amountCents: z.int(),
      /** What the card service reserves on top of what is to be paid. Counts against the limits. */
      paddingCents: z.int().optional(),
      /** The same, as it counts against the balance. */
      balancePaddingCents: z.int().optional(),
      merchant: z.string(),
      /** The kind of merchant, in words. */
      kind: z.string().nullable(),
      link: z.string().nullable(),
    })
    .nullable(),
  /** The warning of card testing whose cards are to be blocked, by its merchant. */
  warning: z.strictObject({ merchant: z.string(), link: z.string().nullable() }).nullish(),
  /** What remains of the limits that the change does not affect, shortest first. */
  left: z.array(z.strictObject({ period: LimitPeriod, limitCents: z.int().nullable(), remainingCents: z.int() })),
  /** Nothing was left of a limit that the change raises, so the card may have spent more than that limit. */
  isUsedUp: z.boolean().optional(),
  /** What else the purchase needs besides the change, when it was last looked at. Absent: nothing. */
  alsoNeeds: AlsoNeeds.optional(),
  /** The latest purchases at the same merchant, newest first; null: could not be read. */
  there: z.array(z.strictObject({ at: z.string(), amountCents: z.int() })).nullable(),
  /** Earlier requests for the card, within 30 days. */
  earlier: z.array(z.enum(['open', 'approved', 'overridden', 'denied', 'withdrawn', 'expired', 'paid'])),
  /** When its purchase was paid, for a request that is for longer than that: UTC ISO 8601. Absent: it was not. */
  paidAt: z.string().optional(),
  /** What was approved for the same holder to pay something else, in whole cents. Absent: nothing. */
  promised: z.array(z.int()).optional(),
  /** When it was last looked at, too little was left for what its holder wants to pay, even with the change. */
  isTooLittle: z.boolean().optional(),
});
export type RequestFacts = z.infer<typeof RequestFacts>;

export const noFacts: RequestFacts = { purchase: null, left: [], there: [], earlier: [] };

const LOOK_BACK_MS = 30 * 24 * 3_600_000;
/** Someone is waiting for the request, so facts that the card service does not return quickly are left out. */
export const CALL_LIMITS = { deadlineMs: 2500, maxRetries: 0 } as const;

/** @param payCents what its holder wants to pay, in whole cents; null: the declined purchase. */
export type GatherFacts = (
  requestId: string,
  asked: Pick<AskedChange<Action>, 'action' | 'acctId' | 'card' | 'changes' | 'alsoNeeds'>,
  payCents: number | null,
) => Promise<{ readonly isBlocked: boolean; readonly facts: RequestFacts }>;

interface Deps extends Pick<ActionTools, 'purchaseOf' | 'now'> {
  readonly checkPurchase: CheckPurchase;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly readTransactions: ReadTransactions;
  /** Link to an alert's message; null: none. */
  readonly alertLink: (alertId: string) => Promise<string | null>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly requests: Pick<Requests, 'requestsOf'>;
}

export function createGatherFacts(deps: Deps): GatherFacts {
  return async function gatherFacts(requestId, { action, acctId, card, changes, alsoNeeds = [] }, payCents) {
    if (action.verb === 'block-all')
      return { isBlocked: false, facts: { ...noFacts, warning: await warningIn(action) } };
    const event = await deps.purchaseOf(action);
    const [account, read, remaining, there, purchase, requests, otherNeeds] = await Promise.all([
      orNull(deps.card.getAccount(acctId, { maxRetries: 0 })),
      orNull(deps.card.getSpendRules(acctId, CALL_LIMITS)),
      orNull(deps.card.getRemainingLimits(acctId, CALL_LIMITS)),
      event === null ? [] : purchasesAt(event),
      event === null ? null : purchaseIn(event, action, payCents),
      deps.requests.requestsOf(acctId),
      // For what its holder wants to pay, it was just looked at.
      payCents === null ? needsNow({ event, payCents, changes, alsoNeeds }, deps) : alsoNeeds,
    ]);
    const earlier = requests.filter(({ id }) => id !== requestId).map(({ state }) => state);
    const mayBeOverruled = account === null || account.rulesetId !== null;
    const left = leftOf(withoutNoLimits(remaining, read?.rules ?? null, mayBeOverruled), changes);
    const isShort = isTooMuchForBalance(payCents, purchase, account, read?.rules ?? null);
    const needs = withBalanceNow(otherNeeds, isShort);
    const isUsedUp = changes.some(({ rule }) => isAllUsed(rule, remaining));
    return {
      isBlocked: account !== null && cardInUse(account, card.cardId)?.status === 'BLOCKED',
      facts: {
        purchase,
        left,
        there,
        earlier,
        ...(isUsedUp && { isUsedUp }),
        ...(needs.length > 0 && { alsoNeeds: needs }),
      },
    };
  };

  async function warningIn(action: Action): Promise<RequestFacts['warning']> {
    const alertId = alertIdOf(action);
    const alert = alertId === null ? null : await deps.alerts.get(alertId);
    if (alertId === null || alert?.kind !== 'card-testing') return null;
    return { merchant: alert.event.merchant.name.trim(), link: await deps.alertLink(alertId) };
  }

  async function purchasesAt(event: TransactionEvent): Promise<RequestFacts['there']> {
    const to = deps.now();
    const read = await deps.readTransactions(event.acctId, { from: new Date(to.getTime() - LOOK_BACK_MS), to });
    if (read === null) return null;
    const there = latestPurchases(read.events, (one) => merchantKey(one) === merchantKey(event));
    // Those that could not be read may be purchases there.
    if (there.length === 0 && read.unreadable > 0) return null;
    return there.slice(0, PURCHASES_SHOWN).map(({ occurredAt, amountCents }) => ({ at: occurredAt, amountCents }));
  }

  async function purchaseIn(
    event: TransactionEvent,
    action: Action,
    payCents: number | null,
  ): Promise<RequestFacts['purchase']> {
    const { amountCents, merchant, mcc } = event;
    const { paddingCents, balancePaddingCents = paddingCents } = withAmount(event, payCents ?? amountCents);
    const link = await deps.alertLink(alertIdOf(action) ?? event.id);
    const name = merchant.name.trim();
    return { amountCents, paddingCents, balancePaddingCents, merchant: name, kind: merchantCategory(mcc), link };
  }
}

interface Needing {
  /** Null: the change is for no purchase. */
  readonly event: TransactionEvent | null;
  /** What its holder wants to pay, in whole cents; null: the declined purchase. */
  readonly payCents: number | null;
  /** The requested values relative to the card's current rules. */
  readonly changes: readonly RuleChange[];
  /** What was known before. */
  readonly alsoNeeds?: AlsoNeeds | undefined;
}

/** What the declined purchase needs besides the change, as the card is now. Whether its balance is too low, the caller tells. */
export async function needsNow(
  { event, payCents, changes, alsoNeeds = [] }: Needing,
  { checkPurchase }: Pick<Deps, 'checkPurchase'>,
): Promise<AlsoNeeds> {
  if (event?.decline == null) return alsoNeeds;
  const check = await checkPurchase(withAmount(event, payCents ?? event.amountCents), { isBalanceRead: false });
  const isOfChange = (kind: AlsoNeeds[number]): boolean => changes.some(({ rule }) => remedyOfRule[rule.kind] === kind);
  const others = (needs: AlsoNeeds): AlsoNeeds => needs.filter((kind) => !isOfChange(kind));
  if (check.state === 'stopped' && isOfRules(check.remedy)) {
    const hasOtherLimit = limitsToRaise(check.remedy).some((limit) => isOtherLimit(limit, changes));
    const isNeeded = (kind: AlsoNeeds[number]) => !isOfChange(kind) || (kind === 'raise_limit' && hasOtherLimit);
    const needed = neededIn(check.remedy).filter(isNeeded);
    return check.isPartial === true ? [...others(alsoNeeds), ...needed] : needed;
  }
  if (check.state === 'unknown' && check.alsoNeeds !== undefined) return others(check.alsoNeeds);
  // Otherwise it is not known, or a block hides it.
  const isByNoRule = check.state === 'unknown' && ['ruleset', 'balance', 'status'].includes(check.why ?? '');
  return check.state === 'passes' || isByNoRule ? [] : alsoNeeds;
}

/** A limit that is certain to stop a purchase, and is not among the changes. */
function isOtherLimit({ rule, remainingCents, isAdjustedToo }: LimitRaise, changes: readonly RuleChange[]): boolean {
  return !isAdjustedToo && remainingCents !== null && ofRule(changes, rule) === undefined;
}

function leftOf(remaining: RemainingLimits | null, changes: readonly RuleChange[]): RequestFacts['left'] {
  const changed = changes.flatMap(({ rule }) => (rule.kind === 'limit' && rule.category === null ? [rule.period] : []));
  return (remaining?.overall ?? [])
    .flatMap(({ period, limitCents, remainingCents }) =>
      remainingCents === null || changed.includes(period) ? [] : [{ period, limitCents, remainingCents }],
    )
    .toSorted((a, b) => limitPeriods.indexOf(a.period) - limitPeriods.indexOf(b.period));
}

/**
 * Whether a card pays from its own balance, and that does not cover what is to be paid. False if that is not known.
 *
 * @param payCents what its holder wants to pay; null: the declined purchase.
 */
export function isTooMuchForBalance(
  payCents: number | null,
  purchase: RequestFacts['purchase'],
  account: Pick<AccountDetails, 'availableCents'> | null,
  rules: Pick<SpendRules, 'usesBusinessBalance'> | null,
): boolean {
  const amountCents = payCents ?? purchase?.amountCents;
  if (amountCents === undefined || account === null || rules?.usesBusinessBalance !== false) return false;
  return lackingCents({ amountCents, paddingCents: purchase?.balancePaddingCents ?? 0 }, account.availableCents) > 0;
}

/** What paying an amount takes of a limit: the card service reserves the padding, too. */
export function takenCents(payCents: number, { purchase }: RequestFacts): number {
  return payCents + (purchase?.paddingCents ?? 0);
}

/**
 * Whether paying an amount takes more than what will be left of a card's limits. Not what was too little when it was asked
 * for: approvers have seen that.
 *
 * @param changes relative to the current rules.
 */
export function isTooLittle(
  payCents: number,
  facts: RequestFacts,
  remaining: RemainingLimits,
  changes: readonly RuleChange[],
): boolean {
  const cents = takenCents(payCents, facts);
  return changes.some(leavesTooLittle) || leftOf(remaining, changes).some(hasBecomeTooLittle);

  function leavesTooLittle({ rule, from, to }: RuleChange): boolean {
    return windowsOf(rule, remaining).some(
      ({ limitCents, remainingCents }) =>
        // The limit in force may be that of a ruleset.
        typeof from === 'number' &&
        limitCents === from &&
        typeof to === 'number' &&
        remainingCents !== null &&
        remainingCents + Math.max(0, to - from) < cents,
    );
  }

  function hasBecomeTooLittle({ period, remainingCents }: RequestFacts['left'][number]): boolean {
    return remainingCents < cents && facts.left.some((was) => was.period === period && was.remainingCents >= cents);
  }
}

function isAllUsed(rule: Rule, remaining: RemainingLimits | null): boolean {
  return remaining !== null && windowsOf(rule, remaining).some(({ remainingCents }) => remainingCents === 0);
}

/** What remains of one limit; empty if the card service does not tell. */
function windowsOf(rule: Rule, { overall, categories }: RemainingLimits): readonly RemainingLimit[] {
  if (rule.kind !== 'limit') return [];
  const { period, category } = rule;
  const windows =
    category === null ? overall : categories.filter(({ name }) => foldName(name) === foldName(category.name));
  return windows.filter((window) => window.period === period);
}
