import type { Action } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { mayStillBeMade } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import {
  changesFrom,
  isAboutLimits,
  isMade,
  isSameGoals,
  limitsOf,
  type RuleChange,
  reversed,
  ruleValue,
  withGoals,
  without,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { CardApiError } from '../core/errors.ts';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import type { Lease } from '../core/lock.ts';
import { foldName } from '../directory/card-query.ts';
import { withAcceptedReturns } from './contradiction.ts';
import { type EndQuestions, itSays, type NotifyEnd, type OverChange } from './notify-end.ts';
import { backWords, ruleStates } from './rule-words.ts';
import { type HandOver, otherwiseWords } from './supersede.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import type { TimeLeft } from './time-left.ts';

/** Retry interval while the card API is unavailable, rejects our token or refuses. */
const COME_BACK_MS = 60_000;
/** A refusal may pass: the specification does not say what a 409 means, and it may stand for a repeated call. */
const REFUSALS_MAX = 5;

interface EndDeps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get' | 'save' | 'forget'>;
  readonly inEffect: InEffect;
  readonly handOver: HandOver;
  readonly restore: Restore;
  readonly endQuestions: EndQuestions;
  readonly notifyEnd: NotifyEnd;
  readonly timeLeft: TimeLeft;
}

/**
 * A temporary change has ended: restores the earlier rules if nobody changed them meanwhile. An unconfirmed one is looked
 * at until it is in effect or can no longer be made.
 *
 * A value that someone else set since is not overwritten; people are asked instead. Idempotent: an ended change is no
 * longer open.
 *
 * The returned function returns the milliseconds until a retry, or null when done. `isEarly`: the change ends before
 * its time because the purchase it was made for has happened.
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
        // Closed by us before a crash, or by someone's click. The messages that show it may be out of date.
        await notifyEnd.show(temporaryChange);
        return null;
      }
      const leftMs = isEarly ? 0 : await timeLeft(temporaryChange.endsAt);
      if (leftMs === null) return COME_BACK_MS;
      if (leftMs > 0 && temporaryChange.isUnconfirmed !== true) return leftMs;
      try {
        const made = await deps.inEffect(temporaryChange);
        if (made === null) return await waitOrForget(temporaryChangeId);
        if (leftMs > 0) {
          await notifyEnd.show(made);
          return leftMs;
        }
        const left = await deps.handOver(made);
        if (left === null) return null;
        const over = await restore(left, null, lease);
        if (over === null) return COME_BACK_MS;
        await deps.endQuestions(over, null);
        await notifyEnd.notify(over, null, endNote(left, over));
      } catch (error) {
        if (!(error instanceof CardApiError)) throw error;
        // Everything but a refusal says nothing about the rules.
        return error.code === 'refused' ? await countRefusal(temporaryChangeId, error) : COME_BACK_MS;
      }
      return null;
    });
  };

  async function countRefusal(temporaryChangeId: string, error: CardApiError): Promise<number | null> {
    // Read again: some of its rules may have been handed over.
    const left = await temporaryChanges.get(temporaryChangeId);
    if (left === null) return null;
    const refusals = (left.refusals ?? 0) + 1;
    if (refusals >= REFUSALS_MAX) {
      await notifyEnd.notify({ ...left, refusals, state: 'refused' }, null, itSays(error));
      return null;
    }
    await temporaryChanges.save({ ...left, refusals });
    return COME_BACK_MS;
  }

  /** A change that nothing has shown is over once it can no longer be made. People know that it was not confirmed. */
  async function waitOrForget(id: string): Promise<number | null> {
    if (await mayStillCome(id, deps)) return COME_BACK_MS;
    await temporaryChanges.forget(id);
    return null;
  }
}

/**
 * What the card shows of a temporary change. An unconfirmed one that was made after all is like any other from then on,
 * but only its rules that are in effect: nobody has to decide about those that were never seen.
 *
 * @returns null: nothing shows it.
 * @throws CardApiError when the rules could not be read.
 */
export type InEffect = (temporaryChange: TemporaryChange) => Promise<TemporaryChange | null>;

export function createInEffect(
  deps: Pick<ActionTools, 'postTemporaryChange'> & {
    readonly card: Pick<CardClient, 'getSpendRules'>;
    readonly temporaryChanges: Pick<TemporaryChanges, 'save'>;
  },
): InEffect {
  return async function inEffect(temporaryChange) {
    if (temporaryChange.isUnconfirmed !== true) return temporaryChange;
    const { rules } = await deps.card.getSpendRules(temporaryChange.acctId);
    const changes = temporaryChange.changes.filter(({ rule, to }) => ruleValue(rules, rule) === to);
    if (changes.length === 0) return null;
    // People read that it was not confirmed. Before it is stored: a rerun after a crash must do it, too.
    if (temporaryChange.requestId === null) await deps.postTemporaryChange(temporaryChange);
    const made = { ...temporaryChange, changes, isUnconfirmed: false };
    await deps.temporaryChanges.save(made);
    return made;
  };
}

/** What is unusual about an end. */
export function endNote(before: TemporaryChange, over: OverChange): string {
  const back = over.state === 'asking' ? backWords(over) : '';
  return [back, ...otherwiseWords(before.changes, over.changes)].join(' ').trim();
}

/**
 * Restores the rules from before the temporary change, but none that someone changed meanwhile: people decide about
 * these. Returns the temporary change's new state; the caller that reports it saves it.
 *
 * @param by who reverts it early; null when its time is over.
 * @returns null: the earlier rules are in effect, but the change may still be made, and must end then.
 * @throws CardApiError when the rules could not be read or written, TooLateError when this process must not write.
 */
export type Restore = (
  temporaryChange: TemporaryChange,
  by: Pick<Action, 'id' | 'actor' | 'askedAt'> | null,
  lease: Lease,
) => Promise<OverChange | null>;

interface RestoreDeps extends Pick<ActionTools, 'now' | 'applyChanges'> {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'changed'>;
}

export function createRestore(deps: RestoreDeps): Restore {
  const putBack = createPutBack(deps);
  return async function restore(temporaryChange, by, lease) {
    const { id, acctId, state } = temporaryChange;
    const { rules, raw } = await deps.card.getSpendRules(acctId);
    const changes = accepted(rules, temporaryChange.changes);
    const back = changesFrom(rules, reversed(changes));
    const meanwhile = changes.map(({ rule, to }, index) => ({ rule, from: to, to: back[index]?.from ?? null }));
    const ended = {
      ...temporaryChange,
      changes,
      closedAt: deps.now().toISOString(),
      closedBy: by?.actor.userId ?? null,
      closingActionId: by?.id ?? null,
      meanwhile,
    };
    // Someone restored them already, or we did before a crash.
    if (isMade(back)) return (await mayStillCome(id, deps)) ? null : { ...ended, state: 'ended' };
    const isAgreed = state === 'asking' && isSameGoals(temporaryChange.meanwhile ?? [], meanwhile);
    // The automatic end was decided when the change was opened.
    const endId = `end-${id}`;
    const askedAt = by?.askedAt ?? temporaryChange.openedAt;
    // A click that may have been carried out must not be reported as refused or failed.
    const write = { id: endId, progressId: by?.id ?? endId, acctId, raw, askedAt, lease };
    const touched = changes.filter(({ rule, from, to }) => ![from, to].includes(ruleValue(rules, rule)));
    if (isAgreed || touched.length === 0) {
      await putBack({ ...write, back });
      return { ...ended, state: 'ended' };
    }
    const own = state === 'open' ? ownOf(temporaryChange.changes, touched, rules) : [];
    // Nobody waits for the automatic end, so it is tried again as any other refused one.
    const isLast = by !== null || (temporaryChange.refusals ?? 0) + 1 >= REFUSALS_MAX;
    if (own.length === 0 || !(await isPutBack({ ...write, back: own }, isLast)))
      return { ...temporaryChange, state: 'asking', meanwhile };
    return { ...temporaryChange, state: 'asking', meanwhile: withGoals(meanwhile, own) };
  };

  /** False: the card service refuses them without the others. Throws that refusal unless it is the last attempt. */
  async function isPutBack(write: Write, isLast: boolean): Promise<boolean> {
    const { progress } = deps;
    const isSent = (await progress.read(write.progressId))?.state === 'sending';
    try {
      await putBack(write);
      return true;
    } catch (error) {
      if (!isLast || !(error instanceof CardApiError) || error.code !== 'refused') throw error;
      if (!isSent) await progress.write(write.progressId, { state: 'asked' });
      return false;
    }
  }
}

/**
 * The changes back of the rules that nobody touched, while people decide about the others: without those that the card
 * service would not accept beside what the others are now.
 */
function ownOf(changes: readonly RuleChange[], touched: readonly RuleChange[], rules: SpendRules): RuleChange[] {
  const untouched = without(changes, touched);
  const asBefore = accepted(rules, untouched).filter(({ from }, index) => from === untouched[index]?.from);
  return changesFrom(rules, reversed(asBefore)).filter(({ from, to }) => from !== to);
}

/** The changes with what the card service accepts to go back to, beside its other limits as they are now. */
function accepted(rules: SpendRules, changes: readonly RuleChange[]): RuleChange[] {
  return withAcceptedReturns(rules, changes, without(limitsOf(rules), changes));
}

interface Write {
  readonly id: string;
  readonly progressId: string;
  readonly acctId: number;
  /** The rules as the card service sent them. */
  readonly raw: Record<string, unknown>;
  readonly back: readonly RuleChange[];
  /** UTC ISO 8601. */
  readonly askedAt: string;
  readonly lease: Lease;
}

/** Writes the earlier values. A rerun after a crash keeps the progress that was written first. */
function createPutBack(deps: RestoreDeps): (write: Write) => Promise<void> {
  return async function putBack({ id, progressId, acctId, raw, back, askedAt, lease }) {
    if ((await deps.progress.read(progressId))?.state !== 'sending') {
      const sides = { before: ruleStates(back, 'from'), after: ruleStates(back, 'to') };
      await deps.progress.write(progressId, { state: 'sending', ...sides });
    }
    await deps.latestChanges.changed(acctId, { kind: 'rule', changes: back }, { id, verb: 'end', askedAt });
    await lease.confirm();
    try {
      await deps.card.putSpendRules(acctId, deps.applyChanges(raw, back));
    } catch (error) {
      if (!(error instanceof CardApiError) || error.outcome !== 'unknown' || !(await isBack(acctId, back, deps)))
        throw error;
    }
  };
}

/** The write of a temporary change got no answer yet, or is being verified. */
async function mayStillCome(id: string, { progress, now }: Pick<EndDeps, 'progress' | 'now'>): Promise<boolean> {
  const written = await progress.read(id);
  const isVerified = reported(written)?.state !== 'sent' || reported(written)?.result.state !== 'unknown';
  return !isVerified || mayStillBeMade(written, 'limit', now());
}

/**
 * No answer came: whether the earlier rules are in effect. A retry would take a change that someone makes before it for a
 * reason not to restore them.
 */
async function isBack(
  acctId: number,
  back: readonly RuleChange[],
  { card }: Pick<RestoreDeps, 'card'>,
): Promise<boolean> {
  const now = await orNull(card.getSpendRules(acctId));
  return now !== null && isMade(changesFrom(now.rules, back));
}

interface PurchaseDeps {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly endTemporaryChangeNow: (temporaryChangeId: string) => Promise<void>;
}

/** Maximum difference between the service's clock and ours. */
const CLOCK_SKEW_MS = 60_000;

/** Ends a change that was made for one purchase when that purchase is authorized. Idempotent. */
export async function endPurchaseChanges(
  event: StoredEvent,
  { temporaryChanges, endTemporaryChangeNow }: PurchaseDeps,
): Promise<void> {
  if (event.kind !== 'authorization' && event.kind !== 'pin') return;
  for (const temporaryChange of await temporaryChanges.all())
    if (isItsPurchase(temporaryChange, event)) await endTemporaryChangeNow(temporaryChange.id);
}

/**
 * Matches by account, merchant and amount: a purchase at the same merchant that costs no more. What a raised limit lets pass
 * has an upper bound; an opened category or country has none, so it counts whatever it costs. Without a decline, the merchant
 * is not known.
 */
function isItsPurchase(change: TemporaryChange, event: TransactionEvent): boolean {
  const { acctId, purchase, state, openedAt } = change;
  if (purchase === null || state !== 'open' || acctId !== event.acctId) return false;
  // A shop that checks the card first, for $0.00, charges it afterwards.
  if (event.amountCents === 0) return false;
  if (isAboutLimits(change.changes) && event.amountCents > purchase.maxCents) return false;
  // At any merchant, a purchase made just before would be taken for it.
  const skewMs = purchase.isAnywhere === true ? 0 : CLOCK_SKEW_MS;
  if (Date.parse(event.occurredAt) < Date.parse(openedAt) - skewMs) return false;
  if (purchase.isAnywhere === true) return true;
  const { id, name } = event.merchant;
  if (id.trim() !== '' && id.trim() === purchase.merchantId.trim()) return true;
  return foldName(name) !== '' && foldName(name) === foldName(purchase.merchant);
}
