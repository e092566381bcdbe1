import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, isMade, isSameGoals, reversed } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import type { Lease } from '../core/lock.ts';
import { foldName } from '../directory/card-query.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { NotifyEnd } from './notify-end.ts';
import { ruleStates } from './rule-words.ts';
import type { HandOver } from './supersede.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/** While the card API is away, or does not take our token, the end of a temporary change waits for it. */
const COME_BACK_MS = 60_000;

interface EndDeps extends Pick<ActionTools, 'withLock'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly handOver: HandOver;
  readonly restore: Restore;
  readonly notifyEnd: NotifyEnd;
  readonly timeLeft: TimeLeft;
}

/**
 * A temporary change has ended: restores what was there before, if nobody changed it meanwhile.
 *
 * What somebody else set since then is theirs: people are asked instead of overwriting it. Safe to repeat: one that
 * has ended is no longer open.
 *
 * The returned function answers with milliseconds after which to try again, or null when it is over. It takes whether the
 * change ends before its time, because what it was made for has happened.
 */
export function createEndTemporaryChange(deps: EndDeps) {
  const { temporaryChanges, withLock, restore, notifyEnd, timeLeft } = deps;
  return async function endTemporaryChange(temporaryChangeId: string, isEarly = false): Promise<number | null> {
    const acctId = (await temporaryChanges.get(temporaryChangeId))?.acctId;
    if (acctId === undefined) return null;
    return await withLock(`account:${acctId}`, async (lease) => {
      const temporaryChange = await temporaryChanges.get(temporaryChangeId);
      if (temporaryChange === null) return null;
      if (temporaryChange.state !== 'open') {
        // By us, before a crash, or by somebody's click: what shows it may not have heard.
        await notifyEnd.show(temporaryChange);
        return null;
      }
      const leftMs = isEarly ? 0 : await timeLeft(temporaryChange.endsAt);
      if (leftMs === null) return COME_BACK_MS;
      if (leftMs > 0) return leftMs;
      try {
        const left = await deps.handOver(temporaryChange);
        if (left !== null) await notifyEnd.notify(await restore(left, null, lease), null);
      } catch (error) {
        if (!(error instanceof CardApiError)) throw error;
        if (error.retryable || error.code === 'token_dead') return COME_BACK_MS;
        await notifyEnd.notify({ ...temporaryChange, state: 'refused' }, null, error.apiMessage ?? error.code);
      }
      return null;
    });
  };
}

/**
 * The rules as they were before the temporary change, unless somebody changed one of them meanwhile. Answers with the
 * temporary change as it is afterwards; kept by who tells of it.
 *
 * @param by who reverts it before its time; null when the time is over.
 * @throws CardApiError when the rules could not be read or written, TooLateError when it is not for this process to write.
 */
export type Restore = (
  temporaryChange: TemporaryChange,
  by: Pick<Action, 'actor' | 'askedAt'> | null,
  lease: Lease,
) => Promise<TemporaryChange>;

interface RestoreDeps extends Pick<ActionTools, 'now' | 'applyChanges'> {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'changed'>;
}

export function createRestore(deps: RestoreDeps): Restore {
  return async function restore(temporaryChange, by, lease) {
    const { id, changes, acctId, state } = temporaryChange;
    const progressId = `end-${id}`;
    const written = await deps.progress.read(progressId);
    const { rules, raw } = await deps.card.getSpendRules(acctId);
    const back = changesFrom(rules, reversed(changes));
    const meanwhile = changes.map(({ rule, to }, index) => ({ rule, from: to, to: back[index]?.from ?? null }));
    const ended = {
      ...temporaryChange,
      closedAt: deps.now().toISOString(),
      closedBy: by?.actor.userId ?? null,
      meanwhile,
    };
    // Somebody restored them already; or we did, before a crash.
    if (isMade(back)) return { ...ended, state: 'ended' };
    const isAgreed = state === 'asking' && isSameGoals(temporaryChange.meanwhile ?? [], meanwhile);
    // Each rule stands as we set it, or as it was: then nobody's change is overwritten.
    const isUntouched = back.every(({ from, to }, index) => from === to || from === changes[index]?.to);
    if (!isAgreed && !isUntouched) return { ...temporaryChange, state: 'asking', meanwhile };

    if (written?.state !== 'sending') {
      const sides = { before: ruleStates(back, 'from'), after: ruleStates(back, 'to') };
      await deps.progress.write(progressId, { state: 'sending', ...sides });
    }
    // What ends by itself was decided when it was opened.
    const askedAt = by?.askedAt ?? temporaryChange.openedAt;
    const asked = { id: progressId, verb: 'end', askedAt };
    await deps.latestChanges.changed(acctId, { kind: 'rule', changes: back }, asked);
    await lease.confirm();
    await deps.card.putSpendRules(acctId, deps.applyChanges(raw, back));
    return { ...ended, state: 'ended' };
  };
}

interface PurchaseDeps {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly endTemporaryChangeNow: (temporaryChangeId: string) => Promise<void>;
}

/** The service's clock and ours may disagree by this much. */
const CLOCK_SKEW_MS = 60_000;

/** A change that was made for one purchase ends when that purchase is authorized. Safe to repeat. */
export async function endPurchaseChanges(
  event: StoredEvent,
  { temporaryChanges, endTemporaryChangeNow }: PurchaseDeps,
): Promise<void> {
  if (event.kind !== 'authorization' && event.kind !== 'pin') return;
  for (const temporaryChange of await temporaryChanges.all())
    if (isItsPurchase(temporaryChange, event)) await endTemporaryChangeNow(temporaryChange.id);
}

/** By account, merchant and amount: a purchase of the same merchant that costs no more. */
function isItsPurchase({ acctId, purchase, state, openedAt }: TemporaryChange, event: TransactionEvent): boolean {
  if (purchase === null || state !== 'open' || acctId !== event.acctId) return false;
  if (event.amountCents > purchase.maxCents) return false;
  if (Date.parse(event.occurredAt) < Date.parse(openedAt) - CLOCK_SKEW_MS) return false;
  const { id, name } = event.merchant;
  if (id.trim() !== '' && id.trim() === purchase.merchantId.trim()) return true;
  return foldName(name) !== '' && foldName(name) === foldName(purchase.merchant);
}

/** Clocks that are right differ by less. */
const DIFFERENCE_MS = 60_000;

/**
 * Milliseconds until a moment, negative when it is over; null where nobody can tell, because two clocks differ. Then ops
 * are told.
 */
type TimeLeft = (moment: string) => Promise<number | null>;

interface TimeLeftDeps {
  /** Now by Redis. */
  readonly sharedNow: () => Promise<Date>;
  /** Now by a clock that has nothing to do with Redis (ms). */
  readonly secondNow: () => number;
  readonly notifyOps: NotifyOps;
}

/** What is reverted because its time is over must not be reverted because one clock is wrong: two have to say so. */
export function createTimeLeft({ sharedNow, secondNow, notifyOps }: TimeLeftDeps): TimeLeft {
  return async function timeLeft(moment) {
    const nowMs = (await sharedNow()).getTime();
    if (Math.abs(secondNow() - nowMs) > DIFFERENCE_MS) {
      await notifyOps(opsIssue.clocksDiffer);
      return null;
    }
    return Date.parse(moment) - nowMs;
  };
}
