import { statusWord } from '../../templates/core/card-words.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { changesFrom, isMade } from '../card-api/rule-change.ts';
import type { Lease } from '../core/lock.ts';
import {
  type AwaitedChange,
  awaitedOf,
  type Expected,
  lateOf,
  reported,
  requestedBy,
  type Verdict,
  verdictOf,
} from './action-state.ts';
import type { ActionTools } from './action-tools.ts';
import type { LatestChanges, Progress } from './progress-store.ts';
import { FIRST_LOOK_MS } from './report.ts';
import { CARRIED_OUT_WITHIN_MS } from './send-change.ts';
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

/**
 * A change of rules that nothing has shown can no longer be made: what was counted for it counts no longer.
 *
 * @returns the milliseconds until it can be told; null: nothing is left to find out.
 */
export type ForgetIfNotMade = (awaited: AwaitedChange) => Promise<number | null>;

interface Deps extends Pick<ActionTools, 'now'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<RequestsOfActions, 'isBlocking'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly history: Pick<StatusHistory, 'confirmedBy'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  /** Stores and reports the outcome. */
  readonly conclude: (awaited: AwaitedChange, verdict: Verdict) => Promise<void>;
  readonly forgetIfNotMade: ForgetIfNotMade;
}

/**
 * Checks whether a sent change is visible: its webhook has arrived, or the card service shows it. A change of rules without
 * an answer is looked at until it can no longer be made, although people are told before that nothing has shown it.
 *
 * Idempotent: the verdict is stored before anyone is notified, and the change stays pending until everyone is.
 *
 * The returned function returns the milliseconds until the next check, or null when it is done.
 */
export function createVerifyAction(deps: Deps): (actionId: string) => Promise<number | null> {
  return async function verifyAction(actionId) {
    const reportedState = reported(await deps.progress.read(actionId));
    const late = lateOf(reportedState);
    if (late !== null) return await lookAgain(late, deps);
    const awaited = awaitedOf(reportedState);
    if (reportedState === null || awaited === null) return null;
    const elapsedMs = elapsedSince(awaited, deps);
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
    await deps.conclude(awaited, verdict);
    // If it may still be made, the next sweep starts it again.
    return null;
  };
}

function elapsedSince({ sentAt }: AwaitedChange, { now }: Pick<Deps, 'now'>): number {
  return now().getTime() - Date.parse(sentAt);
}

/** A temporary change that comes late is found where its end is looked after. */
async function lookAgain(awaited: AwaitedChange, deps: Deps): Promise<number | null> {
  const { expects } = awaited.result;
  const elapsedMs = elapsedSince(awaited, deps);
  const isPermanent = expects?.kind === 'rule' && expects.term?.kind === 'permanent';
  const verdict = isPermanent ? await findVerdict(awaited, elapsedMs, false, deps) : null;
  if (verdict?.confirmation === 'confirmed') {
    await deps.conclude(awaited, { ...verdict, isLate: true });
    return null;
  }
  return elapsedMs < CARRIED_OUT_WITHIN_MS ? LOOK_AGAIN_MAX_MS : await deps.forgetIfNotMade(awaited);
}

interface LockingDeps extends Pick<ActionTools, 'withLock'> {
  readonly requests: Pick<RequestsOfActions, 'withLock'>;
  readonly conclude: (awaited: AwaitedChange, verdict: Verdict, lease: Lease) => Promise<void>;
}

/** Takes locks in the same order as decisions on requests do. */
export function createConcludeLocked({ requests, withLock, conclude }: LockingDeps): Deps['conclude'] {
  return async function concludeLocked(awaited, verdict) {
    await requests.withLock(requestedBy(awaited), (outer) =>
      withLock(`account:${awaited.acctId}`, (lease) => conclude(awaited, verdict, lease), outer),
    );
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
  const isReplaced = async () => await latestChanges.isSuperseded(acctId, expects, action.id);
  // What is in effect is what the later change of the same rules has set.
  if (result.state === 'unknown' && expects.kind === 'rule' && (await isReplaced())) return replaced;
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
  if (await isReplaced()) return replaced;
  return isLate ? { confirmation: 'unconfirmed', by: null, eventId: null } : null;
}

const replaced = { confirmation: 'superseded', by: null, eventId: null } as const;

/** Null: the card cannot be read now. */
async function isSeen(acctId: number, expects: Expected, card: Deps['card']): Promise<boolean | null> {
  if (expects.kind === 'status') {
    const status = await readBack(acctId, expects.cardId, card, READ_ONCE);
    return status === null ? null : status === expects.status;
  }
  const read = await orNull(card.getSpendRules(acctId, READ_ONCE));
  return read === null ? null : isMade(changesFrom(read.rules, expects.changes));
}
