import { type AwaitedChange, reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { type ForgetIfNotMade, READ_ONCE } from '../actions/verify-action.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { ofRule } from '../card-api/rule.ts';
import { type RuleChange, ruleValue } from '../card-api/rule-change.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import type { RecentRaises } from './recent-raise-store.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';

/** How soon a card that could not be read is read again. */
const READ_AGAIN_MS = 60_000;

interface Deps extends Pick<ActionTools, 'withLock'> {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
  readonly wasMade: WasMade;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly recentRaises: Pick<RecentRaises, 'releaseOverride'>;
}

/**
 * A raise counts from before it is sent, because it may be made whatever answer comes. Of one that was certainly not made
 * nothing is left: the next one is not added to it, and an emergency override was not used. Idempotent.
 */
export function createForgetIfNotMade(deps: Deps): ForgetIfNotMade {
  return async function forgetIfNotMade(awaited) {
    const { action, acctId } = awaited;
    return await deps.withLock(`account:${acctId}`, async (lease) => {
      const wasMade = await deps.wasMade(awaited);
      if (wasMade === null) return READ_AGAIN_MS;
      await lease.confirm();
      if (!wasMade) {
        await deps.raises.forget(action);
        await deps.recentRaises.releaseOverride(acctId, action.id);
      }
      const outcome = reported(await deps.progress.read(action.id));
      if (outcome === null) return null;
      const { mayComeLate: _over, ...rest } = outcome;
      await deps.progress.write(action.id, rest);
      return null;
    });
  };
}

/** Whether a change that was not confirmed was or may have been made. Null: that cannot be told now. */
type WasMade = (awaited: AwaitedChange) => Promise<boolean | null>;

interface MadeDeps {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
}

/**
 * It was certainly not made if its rules have their earlier values. Or if they had them when they were changed again, unless
 * it has overwritten that change since.
 */
export function createWasMade({ progress, card, latestChanges, temporaryChanges }: MadeDeps): WasMade {
  return async function wasMade({ action, acctId, result: { expects, card: known } }) {
    // The rules of a card that follows a ruleset may be the ruleset's.
    if (expects?.kind !== 'rule' || known.ruleset != null) return true;
    const temporaryChange = await temporaryChanges.get(action.id);
    // The sweep looks at it until it is found, or forgotten.
    if (temporaryChange?.certainty === 'unconfirmed' && temporaryChange.state === 'open') return null;
    const isReplaced = temporaryChange?.state === 'superseded' && temporaryChange.certainty !== 'certain';
    if (temporaryChange !== null && !isReplaced) return true;
    const read = await orNull(card.getSpendRules(acctId, READ_ONCE));
    if (read === null) return null;
    const changers = (await latestChanges.changedBy(acctId, expects)).filter((id) => id !== action.id);
    const later = (await Promise.all(changers.map(changesOf))).flat();
    const isUnmade = ({ rule, from, to }: RuleChange): boolean => {
      const value = ruleValue(read.rules, rule);
      if (changers.length === 0) return value === from;
      const next = ofRule(later, rule);
      return next?.from === from && (value !== to || next.to === to);
    };
    return !expects.changes.every(isUnmade);
  };

  /** Empty: not known. */
  async function changesOf(actionId: string): Promise<readonly RuleChange[]> {
    const expects = reported(await progress.read(actionId))?.awaited?.result.expects;
    return expects?.kind === 'rule' ? expects.changes : [];
  }
}
