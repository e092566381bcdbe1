import type { CardClient } from '../card-api/client.ts';
import { changesFrom, isMade } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { CardStatus } from '../core/event.ts';
import { type AwaitedChange, awaitedOf, type Expected, reported, type Verdict, verdictOf } from './action-state.ts';
import type { ActionTools } from './action-tools.ts';
import type { Conclude } from './conclude-action.ts';
import type { LatestChanges } from './progress-store.ts';
import { FIRST_LOOK_MS } from './report.ts';
import { readBack } from './send-status.ts';

/** People are told when nothing has shown a change by then. */
const PATIENCE_MS = 2 * 60_000;

/** A status has a webhook, which gets a moment; a limit has none, so it is looked at sooner. */
const FIRST_READ_MS = { status: 3000, rule: 1000 } as const;
const LOOK_AGAIN_MAX_MS = 30_000;

/** One question, asked again later anyway. */
const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/** The requests whose approvals make changes. */
export interface RequestsOfActions {
  /** Runs under the lock of the request that an action became, where it became one. */
  withLock(outcomeOf: string, work: () => Promise<void>): Promise<void>;
  /** It is known now what became of a change; the request follows, where there is one. */
  verified(outcomeOf: string, actionId: string, confirmation: Verdict['confirmation']): Promise<void>;
}

interface Deps extends Pick<ActionTools, 'progress' | 'withLock' | 'now'> {
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  /** The event that showed a status which an action asked for; null: none. */
  readonly history: { confirmedBy(acctId: number, status: CardStatus, actionId: string): Promise<string | null> };
  readonly requests: Pick<RequestsOfActions, 'withLock'>;
  readonly conclude: Conclude;
}

/**
 * Looks whether a change that was sent can be seen: its webhook has come, or the card service shows it.
 *
 * Safe to repeat: what was seen is written down before anybody is told, and it waits until all of it is told.
 *
 * The returned function answers the milliseconds after which to look again, or null when it is over.
 */
export function createVerifyAction(deps: Deps): (actionId: string) => Promise<number | null> {
  return async function verifyAction(actionId) {
    const known = reported(await deps.progress.read(actionId));
    const awaited = awaitedOf(known);
    if (known === null || awaited === null) return null;
    const elapsedMs = deps.now().getTime() - Date.parse(awaited.sentAt);
    const isLate = elapsedMs >= PATIENCE_MS;
    // Whoever performs it tells first; otherwise "sent" could overwrite "confirmed".
    const isToBeTold = known.state === 'sent' && !known.isTold;
    const verdict = verdictOf(known) ?? (await look(awaited, elapsedMs, isLate));
    if (verdict === null || (isToBeTold && !isLate)) {
      const untilLate = Math.max(FIRST_LOOK_MS, PATIENCE_MS - elapsedMs);
      return Math.min(Math.max(elapsedMs, FIRST_LOOK_MS), LOOK_AGAIN_MAX_MS, untilLate);
    }
    // Locks are taken in the order in which who decides a request takes them.
    await deps.requests.withLock(awaited.outcomeOf, () =>
      deps.withLock(`account:${awaited.acctId}`, () => deps.conclude(awaited, verdict)),
    );
    return null;
  };

  /** Null: nothing shows it yet. */
  async function look(
    { action, acctId, result }: AwaitedChange,
    elapsedMs: number,
    isLate: boolean,
  ): Promise<Verdict | null> {
    const { expects } = result;
    if (expects === undefined) return null;
    if (expects.kind === 'status') {
      const eventId = await deps.history.confirmedBy(acctId, expects.status, action.id);
      if (eventId !== null) return { confirmation: 'confirmed', by: 'webhook', eventId };
    }
    if (elapsedMs >= FIRST_READ_MS[expects.kind] && (await isSeen(acctId, expects))) {
      return { confirmation: 'confirmed', by: 'read-back', eventId: null };
    }
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) {
      return { confirmation: 'superseded', by: null, eventId: null };
    }
    return isLate ? { confirmation: 'unconfirmed', by: null, eventId: null } : null;
  }

  /** False also when it cannot be read now. */
  async function isSeen(acctId: number, expects: Expected): Promise<boolean> {
    if (expects.kind === 'status')
      return (await readBack(acctId, expects.cardId, deps.card, READ_ONCE)) === expects.status;
    try {
      const { rules } = await deps.card.getSpendRules(acctId, READ_ONCE);
      return isMade(changesFrom(rules, expects.changes));
    } catch (error) {
      if (error instanceof CardApiError) return false;
      throw error;
    }
  }
}
