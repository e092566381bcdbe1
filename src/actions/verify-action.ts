import { statusWord } from '../../templates/core/card-words.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { changesFrom, isMade } from '../card-api/rule-change.ts';
import type { Lease } from '../core/lock.ts';
import {
  type AwaitedChange,
  awaitedOf,
  type Expected,
  reported,
  requestedBy,
  type Verdict,
  verdictOf,
} from './action-state.ts';
import type { ActionTools } from './action-tools.ts';
import type { LatestChanges, Progress } from './progress-store.ts';
import { FIRST_LOOK_MS } from './report.ts';
import { readBack, type StatusHistory } from './send-status.ts';

/** People are notified if nothing has shown a change within this time. */
const VERIFY_TIMEOUT_MS = 2 * 60_000;

/** A status change has a webhook, which gets some time. A limit has none, so it is read sooner. */
const FIRST_READ_MS = { status: 3000, rule: 1000 } as const;
const LOOK_AGAIN_MAX_MS = 30_000;

/** A single call without retries, because it is repeated later anyway. */
export const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/** The requests whose approvals make changes. */
export interface RequestsOfActions {
  /** Whether an approval is blocking many cards one after the other, under its request's lock. */
  isBlocking(requestedBy: string): Promise<boolean>;
  /** Runs under the lock of the request that the action became, if any. @param actionId see {@link requestedBy}. */
  withLock(actionId: string, work: (lease?: Lease) => Promise<void>): Promise<void>;
  /** The outcome of a change is known. Updates its request, if any. */
  verified(requestedBy: string, actionId: string, confirmation: Verdict['confirmation'], lease: Lease): Promise<void>;
}

interface Deps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<RequestsOfActions, 'isBlocking' | 'withLock'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly history: Pick<StatusHistory, 'confirmedBy'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  /** Stores and reports the outcome, under the account's lock. */
  readonly conclude: (awaited: AwaitedChange, verdict: Verdict, lease: Lease) => Promise<void>;
}

/**
 * Checks whether a sent change is visible: its webhook has arrived, or the card service shows it.
 *
 * Idempotent: the verdict is stored before anyone is notified, and the change stays pending until everyone is.
 *
 * The returned function returns the milliseconds until the next check, or null when it is done.
 */
export function createVerifyAction(deps: Deps): (actionId: string) => Promise<number | null> {
  return async function verifyAction(actionId) {
    const reportedState = reported(await deps.progress.read(actionId));
    const awaited = awaitedOf(reportedState);
    if (reportedState === null || awaited === null) return null;
    const elapsedMs = deps.now().getTime() - Date.parse(awaited.sentAt);
    const isLate = elapsedMs >= VERIFY_TIMEOUT_MS;
    // The performing process reports first; otherwise "sent" could overwrite "confirmed".
    const isToBeNotified = reportedState.state === 'sent' && !reportedState.isNotified;
    // Waiting for its lock would keep the worker from other checks.
    const isBlocking = !isLate && (await deps.requests.isBlocking(requestedBy(awaited)));
    const verdict = isBlocking
      ? null
      : (verdictOf(reportedState) ?? (await findVerdict(awaited, elapsedMs, isLate, deps)));
    if (verdict === null || (isToBeNotified && !isLate)) {
      const untilLate = Math.max(FIRST_LOOK_MS, VERIFY_TIMEOUT_MS - elapsedMs);
      return Math.min(Math.max(elapsedMs, FIRST_LOOK_MS), LOOK_AGAIN_MAX_MS, untilLate);
    }
    // Takes locks in the same order as decisions on requests do.
    await deps.requests.withLock(requestedBy(awaited), (outer) =>
      deps.withLock(`account:${awaited.acctId}`, (lease) => deps.conclude(awaited, verdict, lease), outer),
    );
    return null;
  };
}

/** What the webhooks or the card itself show of a change. Null: nothing shows it yet. */
async function findVerdict(
  { action, acctId, result }: AwaitedChange,
  elapsedMs: number,
  isLate: boolean,
  { card, history, latestChanges }: Pick<Deps, 'card' | 'history' | 'latestChanges'>,
): Promise<Verdict | null> {
  const { expects } = result;
  if (expects === undefined) return null;
  const eventId = expects.kind === 'status' ? await history.confirmedBy(acctId, expects.status, action.id) : null;
  const byWebhook = { confirmation: 'confirmed', by: 'webhook', eventId } as const;
  if (eventId !== null && result.state !== 'unknown') return byWebhook;
  // What a card was before does not show that it was made, unless a webhook says so.
  const wasSo = expects.kind === 'status' && result.before === statusWord(expects.status);
  const isShown = result.state !== 'unknown' || !wasSo;
  const isDue = eventId !== null || (isShown && elapsedMs >= FIRST_READ_MS[expects.kind]);
  const seen = isDue && (await isSeen(acctId, expects, card));
  // Without an answer, the webhook may be that of an earlier change. Unless it cannot be read, the card decides.
  if (eventId !== null && (seen === true || (seen === null && isLate))) return byWebhook;
  if (seen === true) return { confirmation: 'confirmed', by: 'read-back', eventId: null };
  if (await latestChanges.isSuperseded(acctId, expects, action.id)) {
    return { confirmation: 'superseded', by: null, eventId: null };
  }
  return isLate ? { confirmation: 'unconfirmed', by: null, eventId: null } : null;
}

/** Null: the card cannot be read now. */
async function isSeen(acctId: number, expects: Expected, card: Deps['card']): Promise<boolean | null> {
  if (expects.kind === 'status') {
    const status = await readBack(acctId, expects.cardId, card, READ_ONCE);
    return status === null ? null : status === expects.status;
  }
  const read = await orNull(card.getSpendRules(acctId, READ_ONCE));
  return read === null ? null : isMade(changesFrom(read.rules, expects.changes));
}
