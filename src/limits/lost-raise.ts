import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { ofRule, without } from '../card-api/rule.ts';
import {
  goalsOf,
  isLooser,
  isMade,
  type RuleChange,
  type RuleGoal,
  reversed,
  type Term,
} from '../card-api/rule-change.ts';
import type { OverChange } from './notify-end.ts';
import type { MadeChange, TemporaryTerms } from './open-temporary-change.ts';
import { notBackYet } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { endOfTerm } from './term.ts';

/** A raise that somebody has approved is less by now, or ends sooner, than its card's holder was told. */
export interface LostRaise {
  readonly raise: TemporaryChange;
  /** Slack user who has changed that. */
  readonly by: string;
  /** What the rules are instead. */
  readonly goals: readonly RuleGoal[];
  /** How long they are. Null: the raise was taken back. */
  readonly term: Term | null;
}

/** Tells those who rely on it. Idempotent: once for each raise. */
export type NotifyOfLoss = (lost: LostRaise) => Promise<void>;

interface Deps extends Pick<ActionTools, 'now' | 'zone'> {
  readonly terms: TemporaryTerms;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get' | 'all' | 'save'>;
  readonly notifyOfLoss: NotifyOfLoss;
}

/**
 * The same, but people are told of the raises that a change lowers or shortens. Before anything is stored: a rerun after a
 * crash finds only changes that are not superseded yet.
 */
export function createTermsWithLosses({ terms, ...deps }: Deps): TemporaryTerms {
  return {
    ...terms,
    async begin(made, more) {
      await notifyOfLosses(made);
      return await terms.begin(made, more);
    },
    async keep(made) {
      await notifyOfLosses(made);
      return await terms.keep(made);
    },
  };

  async function notifyOfLosses({ action, acctId, changes, term }: MadeChange): Promise<void> {
    const own = await deps.temporaryChanges.get(action.id);
    // Somebody has decided about it since it was sent.
    if (own !== null && own.state !== 'open') return;
    const now = deps.now();
    const endMs = endOfTerm(term, now, deps.zone)?.getTime() ?? Number.POSITIVE_INFINITY;
    for (const raise of await deps.temporaryChanges.all()) {
      if (raise.id === action.id || raise.acctId !== acctId || !isPromised(raise, now)) continue;
      const lost = changes.filter((change) => isLost(change, raise, endMs));
      if (lost.length === 0) continue;
      await deps.notifyOfLoss({ raise, by: action.actor.userId, goals: goalsOf(lost), term });
      await deps.temporaryChanges.save({ ...raise, isLost: true });
    }
  }
}

/** A person has ended it before its time. What is under another change goes back with that one, so nothing is lost yet. */
export function lossOf(over: OverChange, action: Action | null, now: Date): LostRaise | null {
  const back = reversed(without(over.changes, notBackYet(over)));
  if (over.state !== 'ended' || action === null || back.length === 0 || !isPromised(over, now)) return null;
  return { raise: over, by: action.actor.userId, goals: goalsOf(back), term: null };
}

/** Its time is not over, and people may have been told of it: nobody reads of one that nothing has shown. */
function isPromised({ endsAt, state, certainty }: TemporaryChange, now: Date): boolean {
  return state !== 'asking' && certainty !== 'unconfirmed' && Date.parse(endsAt) > now.getTime();
}

function isLost(change: RuleChange, raise: TemporaryChange, endMs: number): boolean {
  const promised = ofRule(raise.changes, change.rule);
  if (promised === undefined) return false;
  const { rule, to } = change;
  const isLower = isLooser([{ rule, from: to, to: promised.to }]);
  // What is in effect already is kept, and ends when the new one does.
  return isLower || (isMade([change]) && to === promised.to && endMs < Date.parse(raise.endsAt));
}
