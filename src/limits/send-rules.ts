import { sentences } from '../../templates/core/change-words.ts';
import { requestIdOf } from '../actions/action.ts';
import type { AwaitedChange, Result, Verdict } from '../actions/action-state.ts';
import type { LockedRun } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { type Change, changedSince, type Finish, type SendChange } from '../actions/send-change.ts';
import { READ_ONCE } from '../actions/verify-action.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { changesFrom, isMade, type RuleChange, type Term } from '../card-api/rule-change.ts';
import { contentId } from '../core/content-id.ts';
import {
  type MadeChange,
  type Opened,
  type SeenRules,
  type TemporaryTerms,
  withOtherValues,
} from './open-temporary-change.ts';
import type { Planned } from './plan-change.ts';
import type { BegunWrite, PutRules } from './put-rules.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import { ruleStates } from './rule-words.ts';
import { writeOf } from './rule-write.ts';
import type { RuleWrites } from './rule-write-store.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';
import { ruleVerbOf } from './verbs.ts';
import { withObstacles } from './with-obstacles.ts';

/** Why a change is not made, and how it ends. */
export interface RefusedChange extends Pick<Result, 'note' | 'counted'> {
  readonly state: 'failed' | 'waiting' | 'unchanged';
}

interface SentChange extends MadeChange, Pick<Planned, 'card' | 'raw' | 'readAt' | 'sides'>, Pick<Change, 'written'> {
  /** A change that an earlier attempt may have sent is not sent again. */
  readonly refused?: RefusedChange | undefined;
}

/**
 * Writes changed rules to the card: see {@link SendChange}. The API writes all rules at once, and other people's
 * changes must survive, so rules that were read a while ago are not written back.
 */
export type SendRules = (
  change: SentChange,
  run: LockedRun,
  finish: Finish,
  of: { readonly outcomeOf?: string },
) => Promise<Result>;

interface Deps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly putRules: PutRules;
  readonly terms: Omit<TemporaryTerms, 'keep' | 'isTemporary'>;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly sendChange: SendChange;
}

/** The end of a temporary change is stored before the card API call, because the outcome may never be known. */
export function createSendRules({ card: api, putRules, terms, raises, sendChange }: Deps): SendRules {
  return async function sendRules(change, run, finish, of) {
    const { action, acctId, changes, sides, term, card, raw, readAt, written, refused } = change;
    const whyNot = refused?.note ?? null;
    const expects = { kind: 'rule', changes, term } as const;
    const verb = ruleVerbOf(changes);
    const basis = basisOf(raw);
    // Relative to the current rules.
    let stillToDo = changes;
    let begun: BegunWrite | null = null;
    const steps = {
      async prepare() {
        if (term.kind !== 'permanent') await terms.openUnsent(change);
        begun = await putRules({ acctId, ...writeOf(change), raw, readAt });
      },
      write: async () => await begun?.send(),
      async checkMade() {
        const now = await orNull(api.getSpendRules(acctId));
        if (now === null) return 'unread';
        stillToDo = changesFrom(now.rules, changes);
        if (isMade(stillToDo)) {
          await begun?.seen();
          return 'made';
        }
        return basisOf(now.raw) === basis ? 'unmade' : 'changed';
      },
      made: async (confirmation) =>
        await finish('done', {
          ...sides,
          ...(await terms.begin(change)),
          confirmation,
          ...(confirmation === 'sent' && { expects }),
        }),
      async stopAsChanged(by) {
        const sent =
          written?.state === 'sending' && written.expects?.kind === 'rule' ? written.expects.changes : changes;
        const seen = { now: stillToDo, sent: by === 'outside' ? sent : null };
        await terms.markUnconfirmed(action.id, seen);
        return await finish('unknown', { note: otherValues(seen, term) ?? changedSince });
      },
      async forget() {
        await terms.forget(action.id);
        await raises.forget(action);
      },
      forgetRaise: () => raises.forget(action),
      fail: (explanation) => finish(refused?.state ?? 'failed', { ...explanation, counted: refused?.counted }),
      leave: (explanation) => finish('unknown', { ...explanation, expects }),
    } satisfies Parameters<SendChange>[1];
    const sent = { action, verb, acctId, cardId: card.cardId, expects, sides, basis, written, whyNot, ...of } as const;
    return await sendChange(sent, steps, run);
  };
}

/**
 * Nobody can tell whether another value is somebody else's change or what the card service made of ours. Null: no rule has
 * another value.
 */
function otherValues(seen: SeenRules, term: Term): string | null {
  const others = withOtherValues(seen);
  if (others.length === 0) return null;
  return sentences(
    `${ruleStates(others, 'from')} now: neither what it was before nor what was asked for.`,
    'Somebody changed it, or the card service stored another value. I did not repeat it. Look at the card.',
    term.kind === 'permanent' ? null : 'When its time is over, an approver decides whether it goes back.',
  );
}

/** A fingerprint of spend rules: of all of them, including rules Cardbell does not know. */
export function basisOf(raw: Record<string, unknown>): string {
  return contentId('', [JSON.stringify(raw)]);
}

/** The rules before and after, for people and the record. */
export function sidesOf(changes: readonly RuleChange[]): { before: string; after: string } {
  return { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
}

interface LateDeps {
  readonly ruleWrites: Pick<RuleWrites, 'of' | 'made'>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly terms: Pick<TemporaryTerms, 'begin' | 'markUnconfirmed'>;
  readonly now: () => Date;
}

/**
 * Completes a change of rules whose answer was lost, after verification. If it is in effect, its end is scheduled and
 * the changes it supersedes end, as if the answer had come in time. If it is not, it is marked as unconfirmed, because it
 * may be made late.
 *
 * Runs under the account's lock. Idempotent. Returns the text to show; null if there is none.
 */
export function createApplyLateConfirmation(deps: LateDeps) {
  return async function applyLateConfirmation(
    awaited: AwaitedChange,
    { confirmation }: Pick<Verdict, 'confirmation'>,
  ): Promise<(Opened & Pick<Result, 'alsoNeeds' | 'isBlocked'>) | null> {
    const { action, acctId, outcomeOf, result } = awaited;
    const { expects } = result;
    if (result.state !== 'unknown' || expects?.kind !== 'rule') return null;
    const { term, changes } = expects;
    if (term === undefined) return null;
    if (confirmation !== 'confirmed') {
      await markUnseen(awaited, confirmation);
      return null;
    }
    // A late call of another change may overwrite it. If others have followed, it may have overwritten them itself.
    if ((await deps.ruleWrites.of(acctId)).at(-1)?.id === action.id) await deps.ruleWrites.made(acctId, action.id);
    const made = { action, card: result.card, changes };
    // The visible change may belong to a later action, which has done all of this itself.
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) return withObstacles(null, made);
    // The temporary change was stored before sending. If it is missing, its time is over.
    if (term.kind !== 'permanent' && (await deps.temporaryChanges.get(action.id)) === null) return null;
    const requestId = outcomeOf === action.id ? null : requestIdOf(outcomeOf);
    const opened = await deps.terms.begin({ action, acctId, changes, term, requestId });
    // If its time has passed meanwhile, the scheduled end handles it now.
    const isOver = opened?.control != null && Date.parse(opened.control.until) <= deps.now().getTime();
    return isOver ? null : { ...opened, ...withObstacles(opened?.note ?? null, made) };
  };

  /** A card that follows a ruleset may show the ruleset's rules, so the outcome is uncertain. */
  async function markUnseen(
    { action, acctId, result }: AwaitedChange,
    confirmation: Verdict['confirmation'],
  ): Promise<void> {
    const { expects, card } = result;
    if (expects?.kind !== 'rule' || card.ruleset != null) return;
    if ((await deps.temporaryChanges.get(action.id))?.state !== 'open') return;
    const read = await orNull(deps.card.getSpendRules(acctId, READ_ONCE));
    const sent = confirmation === 'superseded' ? null : expects.changes;
    const seen = read === null ? null : { now: changesFrom(read.rules, expects.changes), sent };
    await deps.terms.markUnconfirmed(action.id, seen);
  }
}
