import type { Action } from '../actions/action.ts';
import { changesFrom, isMade, isSameGoals, reversed } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { LimitDeps } from './deps.ts';
import { notifyEnd, showEnd } from './notify-end.ts';
import { ruleStates } from './rule-words.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** While the card API is away, or does not take our token, the end of a temporary change waits for it. */
const COME_BACK_MS = 60_000;

/**
 * A temporary change has ended: restores what was there before, if nobody changed it meanwhile.
 *
 * What somebody else set since then is theirs: people are asked instead of overwriting it. Safe to repeat: one that
 * has ended is no longer open.
 *
 * @returns milliseconds after which to try again, or null when it is over.
 */
export async function endTemporaryChange(temporaryChangeId: string, deps: LimitDeps): Promise<number | null> {
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
 * The rules as they were before the temporary change, unless somebody changed one of them meanwhile.
 *
 * @param by who reverts it before its time; null when the time is over.
 * @returns the temporary change as it is afterwards; kept by who tells of it.
 * @throws CardApiError when the rules could not be read or written.
 */
export async function restore(
  temporaryChange: TemporaryChange,
  by: Action['actor'] | null,
  deps: LimitDeps,
): Promise<TemporaryChange> {
  const { id, changes, acctId, state } = temporaryChange;
  const progressId = `end-${id}`;
  const written = await deps.progress.read(progressId);
  const { rules, raw } = await deps.card.getSpendRules(acctId);
  const back = changesFrom(rules, reversed(changes));
  const meanwhile = changes.map(({ rule, to }, index) => ({ rule, from: to, to: back[index]?.from ?? null }));
  const ended = { ...temporaryChange, closedAt: deps.now().toISOString(), closedBy: by?.userId ?? null, meanwhile };
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
  await deps.confirmations.changed(acctId, { kind: 'rule', changes: back }, progressId);
  await deps.card.putSpendRules(acctId, deps.applyChanges(raw, back));
  return { ...ended, state: 'ended' };
}
