import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { CardApiError } from '../core/errors.ts';
import { notifyEnd, showEnd } from './notify-end.ts';
import { currentOf, isSameValue, type RuleValue, singlesOf, wantedOf, withValue } from './rule-change.ts';
import { ruleState } from './rule-words.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** While the card API is away, or does not take our token, the end of a temporary change waits for it. */
const COME_BACK_MS = 60_000;

/**
 * A temporary change has ended: puts back what was there before, if nobody changed it meanwhile.
 *
 * What somebody else set since then is theirs: people are asked instead of overwriting it. Safe to repeat: a lease that
 * has ended is no longer open.
 *
 * @returns milliseconds after which to try again, or null when it is over.
 */
export async function endTemporaryChange(temporaryChangeId: string, deps: ActionDeps): Promise<number | null> {
  const found = await deps.temporaryChanges.get(temporaryChangeId);
  if (found === null) return null;
  return await deps.withLock(`account:${found.acctId}`, async () => {
    const temporaryChange = await deps.temporaryChanges.get(temporaryChangeId);
    if (temporaryChange === null) return null;
    if (temporaryChange.state !== 'open') {
      // By us, before a crash, or by somebody's click: what shows it may not have heard.
      await showEnd(temporaryChange, deps);
      return null;
    }
    try {
      await notifyEnd(await restore(temporaryChange, null, deps), null, deps);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.retryable || error.code === 'token_dead') return COME_BACK_MS;
      await notifyEnd({ ...temporaryChange, state: 'refused' }, null, deps, error.apiMessage ?? error.code);
    }
    return null;
  });
}

/**
 * The rules as they were before the lease, unless somebody changed one of them meanwhile.
 *
 * @param by who takes it back before its time; null when the time is over.
 * @returns the lease as it is afterwards; kept by who tells of it.
 * @throws CardApiError when it could not be read or written.
 */
export async function restore(
  temporaryChange: TemporaryChange,
  by: Action['actor'] | null,
  deps: ActionDeps,
): Promise<TemporaryChange> {
  const { id, change, before, acctId } = temporaryChange;
  const progressId = `end-${id}`;
  const written = await deps.progress.read(progressId);
  const { rules, raw } = await deps.card.getSpendRules(acctId);
  const current = currentOf(rules, change);
  const over = { closedAt: deps.now().toISOString(), closedBy: by?.userId ?? null, found: current };
  // Somebody put it back already; or we did, before a crash.
  if (isSameValue(current, before)) return { ...temporaryChange, ...over, state: 'ended' };
  const isAgreed = temporaryChange.state === 'asking' && isSameValue(current, temporaryChange.found);
  if (!isAgreed && !isUntouched(temporaryChange, current))
    return { ...temporaryChange, state: 'asking', found: current };

  if (written?.state !== 'sending') {
    const sides = { before: ruleState(change, current), after: ruleState(change, before) };
    await deps.progress.write(progressId, { state: 'sending', ...sides });
  }
  const back = withValue(change, before);
  await deps.confirmations.changed(acctId, { kind: 'rule', change: back }, progressId);
  await deps.card.putSpendRules(acctId, deps.changeRule(raw, back));
  return { ...temporaryChange, ...over, state: 'ended' };
}

/** Each rule stands as we set it, or as it was: then nobody's change is overwritten. */
function isUntouched({ change, before }: TemporaryChange, current: RuleValue): boolean {
  const was = singlesOf(change, before);
  return singlesOf(change, current).every(
    (now, index) => now.value === wantedOf(now.change) || now.value === was[index]?.value,
  );
}

/** What is there now, in words, and what was there before the lease. */
export function sidesOf({ change, before }: TemporaryChange, current: RuleValue): { before: string; after: string } {
  return { before: ruleState(change, current), after: ruleState(change, before) };
}
