import type { Action, Resolved } from './action.ts';
import type { ActionState, ActionVerb, Result } from './action-state.ts';
import type { ActionRun, ActionTools, LockedRun } from './action-tools.ts';
import type { Progress } from './progress-store.ts';
import type { OutcomeOf, Reports } from './report.ts';

/**
 * Changes a card under its account's lock. An action with a known outcome is only reported, not repeated.
 *
 * @param change receives how far an earlier attempt got; null: this is the first attempt.
 */
export type ChangeUnlessKnown = <Changed>(
  verb: ActionVerb,
  resolved: Resolved,
  run: ActionRun,
  change: (run: LockedRun, written: ActionState | null) => Promise<Changed>,
  of?: OutcomeOf,
) => Promise<Changed | Result>;

interface UnlessKnownDeps extends Pick<ActionTools, 'withLock'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly reports: Pick<Reports, 'resume'>;
}

export function createChangeUnlessKnown({ progress, withLock, reports }: UnlessKnownDeps): ChangeUnlessKnown {
  return async function changeUnlessKnown(verb, { action, acctId }, run, change, of) {
    return await withLock(
      `account:${acctId}`,
      async (lease) => {
        const written = await progress.read(action.id);
        return (await reports.resume(action, verb, written, of)) ?? (await change({ ...run, lease }, written));
      },
      run.lease,
    );
  };
}

interface Deps extends Pick<ActionTools, 'record'> {
  readonly changeUnlessKnown: ChangeUnlessKnown;
}

/** Records the request first, then changes the card: see {@link ChangeUnlessKnown}. */
export function createChangeOnce({ record, changeUnlessKnown }: Deps) {
  return async function changeOnce(
    resolved: Resolved<Action & { readonly verb: ActionVerb }>,
    run: ActionRun,
    change: (run: LockedRun) => Promise<unknown>,
  ): Promise<void> {
    const { action, acctId, cardId } = resolved;
    await record(action, { event: 'asked', begins: true, acctId, cardId });
    await changeUnlessKnown(action.verb, resolved, run, change);
  };
}
