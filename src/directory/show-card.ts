import { declineList } from '../../templates/alerts/decline-list.ts';
import type { CardBalance } from '../../templates/core/card-words.ts';
import { cardShow, DECLINES_SHOWN, type ShownDecline, type ShownLimit } from '../../templates/directory/card-show.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { limitPeriods } from '../card-api/rule.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import type { AccountDetails } from '../card-api/schema-account.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { DeclinedCard } from '../core/card-facts.ts';
import { formatDuration, readAnyDuration } from '../core/duration.ts';
import type { TransactionEvent } from '../core/event.ts';
import { happenedSince } from '../core/service-time.ts';
import { foldName } from './card-query.ts';
import { withoutNoLimits } from './no-limit-rows.ts';
import type { ReadTransactions } from './read-transactions.ts';

export type RecentDecline = TransactionEvent & DeclinedCard & Pick<ShownDecline, 'remedy'>;

/** Declines of an account's card that came as webhooks, newest first. */
export type RecentDeclines = (acctId: number, countMax: number) => Promise<readonly RecentDecline[]>;

/** From when on a person may read what happened to a card (ms). */
type ReadableFrom = (action: Action, acctId: number) => Promise<number>;

/** Whoever only wants to see something can ask again, so it does not wait until the card service accepts calls again. */
export const LOOK_LIMITS = { deadlineMs: 8000 } as const;

const DAY_MS = 24 * 3_600_000;
const DEFAULT_MS = 7 * DAY_MS;
/** The card service answers for 12 months at most, and the period that it is asked for is a little longer. */
const LOOK_BACK_MAX_MS = 364 * DAY_MS;
/** As many as are listed however old they are. */
const ALERTS_MAX = 200;

interface Deps extends Pick<ActionTools, 'factsOf' | 'nameRuleset' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly readTransactions: ReadTransactions;
  readonly recentDeclines: RecentDeclines;
  readonly visibleSince: ReadableFrom;
}

/** `/card show CARD`: holder, status, limits and what remains, last declines. Only the person who asked sees it. */
export function createShowCard(deps: Deps) {
  const { card: client, factsOf, nameRuleset, recentDeclines, visibleSince, responses } = deps;

  return async function showCard({ action, acctId, cardId }: Resolved): Promise<void> {
    const to = deps.now();
    const window = { from: new Date(to.getTime() - DEFAULT_MS), to };
    const [details, rules, remaining, received, fetched, fromMs] = await Promise.all([
      client.getAccount(acctId, LOOK_LIMITS),
      orNull(client.getSpendRules(acctId, LOOK_LIMITS)),
      orNull(client.getRemainingLimits(acctId, LOOK_LIMITS)),
      recentDeclines(acctId, DECLINES_SHOWN),
      deps.readTransactions(acctId, window, LOOK_LIMITS),
      visibleSince(action, acctId),
    ]);
    const card = cardInUse(details, cardId);
    const { rulesetId } = details;
    // The card service's current value, not the directory's last read.
    const ruleset = rulesetId === null ? null : { id: rulesetId, name: null, mayOverrule: true };
    const facts = await nameRuleset({ ...(await factsOf(acctId, { cardId: card?.cardId })), ruleset });
    const message = cardShow(
      {
        card: { ...facts, last4: facts.last4 ?? card?.last4 ?? null },
        status: card?.status ?? null,
        balance: balanceOf(details, rules?.rules ?? null),
        limits: limitsInForce(rules?.rules ?? null, remaining, facts.ruleset?.mayOverrule === true),
        hasLimits: rules !== null || remaining !== null,
        declines: declinesSince(fromMs, received, fetched).slice(0, DECLINES_SHOWN),
        isEveryDeclineKnown: fetched?.unreadable === 0,
      },
      { place: 'direct' },
    );
    await responses.answer(action, message);
  };
}

/** Those that came as webhooks and those that the card service lists, each once, newest first. */
function declinesSince(
  fromMs: number,
  received: readonly RecentDecline[],
  fetched: Awaited<ReturnType<ReadTransactions>>,
): RecentDecline[] {
  const listed = (fetched?.events ?? []).filter(({ kind }) => kind === 'decline');
  const byId = new Map([...listed, ...received].map((event) => [event.id, event]));
  return [...byId.values()].filter(happenedSince(fromMs)).toSorted((a, b) => b.occurredAt.localeCompare(a.occurredAt));
}

/**
 * A card that pays from the balance of the business has none of its own, which the service writes as 0. So 0 means nothing
 * while it is not known which balance pays.
 */
export function balanceOf(details: AccountDetails | null, rules: SpendRules | null): CardBalance | null {
  if (rules?.usesBusinessBalance === true) return 'business';
  const availableCents = details?.availableCents ?? null;
  return rules?.usesBusinessBalance !== false && availableCents === 0 ? null : availableCents;
}

/** Every limit that is in force for a card, which may be its ruleset's, with the remaining amount where known. */
export function limitsInForce(
  rules: SpendRules | null,
  read: RemainingLimits | null,
  mayBeOverruled: boolean,
): ShownLimit[] {
  const remaining = withoutNoLimits(read, rules, mayBeOverruled);
  const overall = limitPeriods.map((period): ShownLimit => {
    const left = remaining?.overall.find((row) => row.period === period);
    const limitCents = left?.limitCents ?? rules?.limits[period] ?? null;
    return { period, category: null, limitCents, remainingCents: left?.remainingCents ?? null };
  });
  const windows = remaining?.categories ?? [];
  const isOf = (row: RemainingLimits['categories'][number], { id, name }: SpendRules['categories'][number]): boolean =>
    row.id === id || foldName(row.name) === foldName(name);
  const listed = rules?.categories ?? [];
  const others = windows.filter((row) => !listed.some((category) => isOf(row, category)));
  const byCategory = listed.flatMap((category) => [
    {
      period: 'transaction' as const,
      category: category.name,
      limitCents: category.transactionLimitCents,
      remainingCents: null,
    },
    ...limitPeriods.map((period): ShownLimit => {
      const left = windows.find((row) => row.period === period && isOf(row, category));
      const limitCents = left?.limitCents ?? category.limits[period];
      return { period, category: category.name, limitCents, remainingCents: left?.remainingCents ?? null };
    }),
  ]);
  return [...overall, ...byCategory, ...others.map(ofCategory)];
}

function ofCategory({ period, name, limitCents, remainingCents }: RemainingLimits['categories'][number]): ShownLimit {
  return { period, category: name, limitCents, remainingCents };
}

interface ListDeps extends Pick<ActionTools, 'factsOf' | 'now'> {
  readonly responses: Pick<Responses, 'answer' | 'refuseUnclear'>;
  readonly readTransactions: ReadTransactions;
  readonly recentDeclines: RecentDeclines;
  readonly visibleSince: ReadableFrom;
}

/** `/card declines CARD [7d]`: declines from the card service and from webhooks, deduplicated. */
export function createListDeclines(deps: ListDeps) {
  const { readTransactions, recentDeclines, factsOf, responses, now } = deps;

  return async function listDeclines({
    action,
    acctId,
    cardId,
  }: Resolved<Action & { readonly details: string; readonly page: number }>): Promise<void> {
    const words = action.details === '' ? [] : action.details.replace(/^((for|the|last|past) )+/i, '').split(' ');
    const read = words.length === 0 ? { ms: DEFAULT_MS, words: 0 } : readAnyDuration(words);
    if (read === null || read.words < words.length) {
      const why = `“${action.details.slice(0, 40)}” is not a time I can look back. Write “7d” or “2 weeks”.`;
      return await responses.refuseUnclear(action, { why, usage: 'declines CARD [7d]' }, { acctId, cardId });
    }
    const to = now();
    const askedMs = Math.min(read.ms, LOOK_BACK_MAX_MS);
    const askedFromMs = to.getTime() - askedMs;
    const fromMs = Math.max(askedFromMs, Math.min(to.getTime(), await deps.visibleSince(action, acctId)));
    const from = new Date(fromMs);
    const [facts, received, fetched] = await Promise.all([
      factsOf(acctId, { cardId }),
      recentDeclines(acctId, ALERTS_MAX),
      readTransactions(acctId, { from, to }),
    ]);
    const message = declineList({
      card: facts,
      since: fromMs > askedFromMs ? null : formatDuration(askedMs),
      isCut: fromMs === askedFromMs && askedMs < read.ms,
      unreadable: fetched?.unreadable ?? null,
      page: action.page,
      again: [facts.last4 ?? String(acctId), ...words].join(' '),
      declines: declinesSince(fromMs, received, fetched),
    });
    await responses.answer(action, message);
  };
}
