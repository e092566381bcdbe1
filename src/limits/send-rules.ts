import { requestIdOf } from '../actions/action.ts';
import type { ActionState, AwaitedChange, Result, Verdict } from '../actions/action-state.ts';
import type { ActionTools, LockedRun } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { type Finish, type SendChange, superseded } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { changesFrom, isAboutLimits, isMade, type RuleChange } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import { TooLateError } from '../core/errors.ts';
import type { MadeChange, Opened, TemporaryTerms } from './open-temporary-change.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import { ruleStates } from './rule-words.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';

/** What was read longer ago is not written back: somebody may have changed the card's rules since. */
const FRESH_MS = 5_000;

interface SentChange extends MadeChange {
  readonly card: CardFacts;
  /** The rules as the card API gave them. */
  readonly raw: Record<string, unknown>;
  /** When they were asked for, by `performance.now`. */
  readonly readAt: number;
  /** How far an attempt before got; null: this is the first. */
  readonly written: ActionState | null;
  /** Of what an attempt before may have sent: why it is not sent again. */
  readonly whyNot?: string | null;
}

/**
 * Writes changed rules to the card: see {@link SendChange}. All rules are written at once, and what others changed meanwhile
 * must stay: so what was read a while ago is not written back.
 */
export type SendRules = (
  change: SentChange,
  run: LockedRun,
  finish: Finish,
  of: { readonly outcomeOf?: string },
) => Promise<Result>;

interface Deps extends Pick<ActionTools, 'applyChanges'> {
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  readonly terms: Omit<TemporaryTerms, 'keep'>;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly sendChange: SendChange;
}

/** The end of a temporary change is written before the card is asked: nobody may ever hear whether it was made. */
export function createSendRules({ card: api, terms, raises, applyChanges, sendChange }: Deps): SendRules {
  return async function sendRules(change, run, finish, of) {
    const { action, acctId, changes, term, card, raw, readAt, written, whyNot = null } = change;
    const expects = { kind: 'rule', changes, term } as const;
    const verb = isAboutLimits(changes) ? 'limit' : 'allow';
    const basis = basisOf(raw);
    const sides = sidesOf(changes);
    // From what the rules say by now.
    let stillToDo = changes;
    const steps = {
      prepare: async () => (term.kind === 'permanent' ? null : await terms.openUnsent(change)),
      async write() {
        if (performance.now() - readAt > FRESH_MS) throw new TooLateError('the spend rules were read too long ago');
        await api.putSpendRules(acctId, applyChanges(raw, changes));
      },
      async look() {
        const now = await orNull(api.getSpendRules(acctId));
        if (now === null) return 'unread';
        stillToDo = changesFrom(now.rules, changes);
        if (isMade(stillToDo)) return 'made';
        return basisOf(now.raw) === basis ? 'unmade' : 'changed';
      },
      made: async (confirmation) =>
        await finish('done', {
          ...sides,
          ...(await terms.resolve(change)),
          confirmation,
          ...(confirmation === 'sent' && { expects }),
        }),
      async supersede() {
        await terms.forgetIfGone(action.id, stillToDo, acctId);
        return await finish('unknown', { note: superseded });
      },
      async fail(said) {
        await terms.forget(action.id);
        const failed = await finish('failed', said);
        await raises.forget(action, acctId);
        return failed;
      },
      leave: (said) => finish('unknown', { ...said, expects }),
    } satisfies Parameters<SendChange>[1];
    const sent = { action, verb, acctId, cardId: card.cardId, expects, sides, basis, written, whyNot, ...of } as const;
    return await sendChange(sent, steps, run);
  };
}

/** Tells spend rules from others: all of them, also those that Cardbell does not know. */
export function basisOf(raw: Record<string, unknown>): string {
  return contentId('', [JSON.stringify(raw)]);
}

/** What the rules say before and after, for people and the record. */
export function sidesOf(changes: readonly RuleChange[]): { before: string; after: string } {
  return { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
}

const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/**
 * The second half of a change of rules whose answer was lost, now that somebody has looked: found made, its end starts
 * and what it replaces ends, as if the answer had come in time; found not made, its end is forgotten.
 *
 * Runs under the account's lock. Safe to repeat. Answers with what to say of it; null when there is nothing to say.
 */
type ApplyLateConfirmation = (awaited: AwaitedChange, verdict: Pick<Verdict, 'confirmation'>) => Promise<Opened | null>;

interface LateDeps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly terms: Pick<TemporaryTerms, 'resolve' | 'forgetIfGone'>;
  readonly now: () => Date;
}

export function createApplyLateConfirmation(deps: LateDeps): ApplyLateConfirmation {
  return async function applyLateConfirmation(awaited, { confirmation }) {
    const { action, acctId, outcomeOf, result } = awaited;
    const { expects } = result;
    if (result.state !== 'unknown' || expects?.kind !== 'rule') return null;
    const { term, changes } = expects;
    if (term === undefined) return null;
    if (confirmation !== 'confirmed') {
      await forgetUnmade(awaited);
      return null;
    }
    // What is seen may be a later change's, which has done all of this for itself.
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) return null;
    // Opened before it was sent: without it, its end was found to be nobody's.
    if (term.kind !== 'permanent' && (await deps.temporaryChanges.get(action.id)) === null) return null;
    const requestId = outcomeOf === action.id ? null : requestIdOf(outcomeOf);
    const opened = await deps.terms.resolve({ action, acctId, changes, term, requestId });
    // Its time is over meanwhile: what ends it, ends it now.
    const isOver = opened?.control != null && Date.parse(opened.control.until) <= deps.now().getTime();
    return isOver ? null : opened;
  };

  /** A card that follows a ruleset may show that one's rules: then nobody can tell. Nor can one that cannot be read. */
  async function forgetUnmade({ action, acctId, result }: AwaitedChange): Promise<void> {
    const { expects, card } = result;
    if (expects?.kind !== 'rule' || card.ruleset != null) return;
    if ((await deps.temporaryChanges.get(action.id))?.state !== 'open') return;
    const read = await orNull(deps.card.getSpendRules(acctId, READ_ONCE));
    if (read !== null) await deps.terms.forgetIfGone(action.id, changesFrom(read.rules, expects.changes), acctId);
  }
}
