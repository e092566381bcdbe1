import { auditLine } from '../../templates/audit/audit-line.ts';
import { changeWords } from '../../templates/core/change-words.ts';
import { temporaryChangeEnded } from '../../templates/limits/temporary-change.ts';
import type { Action } from '../actions/action.ts';
import type { Outcome } from '../actions/outcome.ts';
import type { LimitDeps } from './deps.ts';
import { ruleNames, ruleStates } from './rule-words.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

type Told = Extract<TemporaryChange['state'], 'ended' | 'asking' | 'kept' | 'refused'>;

const details: Readonly<Record<Told, string>> = {
  ended: 'The temporary change has ended.',
  asking: 'The temporary change has ended, but somebody changed it meanwhile: an approver has to decide.',
  kept: 'It stays as somebody changed it meanwhile.',
  refused: 'The temporary change has ended, but the card service refuses to put it back.',
};

/**
 * Writes down how a temporary change ended, then tells: the audit channel, its messages, the one who asked for it.
 * It counts as over last: killed before that, it is ended and told again, and no part of it does harm twice.
 *
 * @param action the click that ended it; null when its time was over.
 * @param refused the card API's words, when it did not let us.
 */
export async function notifyEnd(
  temporaryChange: TemporaryChange,
  action: Action | null,
  deps: LimitDeps,
  refused = '',
): Promise<void> {
  const { id, acctId, changes, alertId } = temporaryChange;
  const state = temporaryChange.state as Told;
  const at = deps.now().toISOString();
  const card = await deps.factsOf(acctId);
  const isBack = state === 'ended';
  const before = ruleStates((isBack ? null : temporaryChange.meanwhile) ?? changes, 'to');
  const after = isBack ? ruleStates(changes, 'from') : null;
  const detail = refused === '' ? details[state] : `${details[state]} It says: “${refused}”.`;
  await deps.audit.append({
    at,
    actionId: action?.id ?? id,
    event: state === 'asking' ? 'waiting' : 'ended',
    verb: action?.verb ?? 'limit',
    actor: action?.actor ?? null,
    roles: [...(action?.roles ?? [])],
    acctId,
    cardId: card.cardId,
    before,
    after,
    reason: action?.reason ?? '',
    channel: action?.origin.channel ?? null,
    messageTs: action?.origin.messageTs ?? null,
    alertId,
    detail,
    twoPersonAboveCents: deps.twoPersonAboveCents,
  });

  const did = isBack ? `put back the ${ruleNames(changes)} of` : `left the ${ruleNames(changes)} of`;
  const by = action?.actor.userId ?? null;
  const line = auditLine({ by, did, card, at, before, after, reason: null, outcome: detail, ref: id.slice(-8) });
  await deps.postAuditLine(`audit-${id}-${state}`, line);
  if (alertId !== null) {
    await deps.outcomes.show(alertId, `end-${id}`, toOutcome(temporaryChange, state, detail, at, by));
  }
  if (temporaryChange.by.userId !== by)
    await deps.notifyDirectly(
      temporaryChange.by.userId,
      `lease-${id}-${state}`,
      temporaryChangeEnded(temporaryChange, card),
    );
  await deps.temporaryChanges.save(temporaryChange);
  await showEnd(temporaryChange, deps);
}

/** Brings everything that shows a temporary change up to date with its end. Safe to repeat. */
export async function showEnd(temporaryChange: TemporaryChange, deps: LimitDeps): Promise<void> {
  const { id, requestId, state } = temporaryChange;
  if (requestId !== null) await deps.updateRequest(requestId);
  // Whoever has to decide finds it in the channel for requests, wherever the change was made.
  if (state === 'asking') await deps.postTemporaryChange(temporaryChange);
  await deps.updateTemporaryChange(id);
}

function toOutcome(
  temporaryChange: TemporaryChange,
  state: Told,
  detail: string,
  at: string,
  by: string | null,
): Outcome {
  if (state !== 'ended')
    return { verb: 'put_back', by, at, state: state === 'asking' ? 'waiting' : 'failed', text: detail };
  const { changes } = temporaryChange;
  const text = changeWords(ruleStates(changes, 'to'), ruleStates(changes, 'from'));
  return { verb: 'put_back', by, at, state: 'done', text };
}
