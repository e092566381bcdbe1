import { auditLine } from '../../templates/audit/audit-line.ts';
import { serviceSaysRaw } from '../../templates/core/blocks.ts';
import { changeWords, sentences } from '../../templates/core/change-words.ts';
import { leftRuleset } from '../../templates/limits/ruleset-words.ts';
import { temporaryChangeEnded } from '../../templates/limits/temporary-change.ts';
import type { Action } from '../actions/action.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { noteOf } from '../actions/send-change.ts';
import type { Audit } from '../audit/audit.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { ofRule, without } from '../card-api/rule.ts';
import { goalsOf, hasGoal, type RuleChange, reversed } from '../card-api/rule-change.ts';
import { type CardFacts, noCard } from '../core/card-facts.ts';
import type { CardApiError } from '../core/errors.ts';
import { capital, lowerFirst } from '../core/first-letter.ts';
import type { Directory } from '../directory/directory.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { lossOf, type NotifyOfLoss } from './lost-raise.ts';
import { BETWEEN_RULES, insteadWords, ruleNames, ruleStates, WITH_OTHER } from './rule-words.ts';
import { about, backAlready, isInDoubt, notBackYet, raisesKept, undecided, wentBackFrom } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/** A temporary change whose end people learn about. */
export type OverChange = TemporaryChange & { readonly state: 'ended' | 'asking' | 'kept' | 'refused' };

/** How the record of an end begins. */
export const endDetails: Readonly<Record<OverChange['state'], string>> = {
  ended: 'The temporary change has ended.',
  asking: 'The temporary change has ended, but the card has another value or ruleset now: an approver has to decide.',
  kept: 'It stays as it is now.',
  refused: 'The temporary change has ended, but it could not be put back.',
};

/** A person may have made the reduction permanent. */
export const DOUBTFUL = 'Its time is over, but a backup was restored since it began: an approver has to decide.';

const endDetail = (over: OverChange): string =>
  over.state === 'asking' && isInDoubt(over) ? DOUBTFUL : endDetails[over.state];

/**
 * How long the alert or request that announced a change shows its end for certain: they are kept for 30 days, and a job may
 * be late.
 */
const ANNOUNCED_MS = 29 * 24 * 3_600_000;

/** Reports how a temporary change ended. Idempotent. */
export type NotifyEnd = ReturnType<typeof createNotifyEnd>;

interface Deps extends Pick<ActionTools, 'nameRuleset' | 'now'> {
  readonly card: Pick<CardClient, 'getAccount'>;
  readonly directory: Pick<Directory, 'reload'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly reportEnd: ReturnType<typeof createReportEnd>;
  readonly showTemporaryChange: ReturnType<typeof createShowTemporaryChange>;
  readonly notifyOfLoss: NotifyOfLoss;
}

export function createNotifyEnd(deps: Deps) {
  const { card, reportEnd, showTemporaryChange, now } = deps;
  /** Also lets the question know the ruleset. */
  async function leftWords({ acctId, rulesetId, state }: OverChange): Promise<string> {
    if (rulesetId === null) return '';
    const current = await deps.directory.reload(acctId);
    if (state !== 'ended' || current?.rulesetId !== null) return '';
    return leftRuleset(
      await deps.nameRuleset({ ...noCard, ruleset: { id: rulesetId, name: null, mayOverrule: true } }),
    );
  }

  return {
    notify: reportEnd,
    /**
     * Reports the end of a change whose time is over or that somebody decided. Ends the questions about others first, so
     * that a rerun after a crash finds the questions that are left.
     */
    async conclude(over: OverChange, action: Action | null, note: string): Promise<void> {
      await endQuestions(over, action, deps, reportEnd);
      const lost = lossOf(over, action, now());
      if (lost !== null) await deps.notifyOfLoss(lost);
      await reportEnd(over, action, sentences(note, await leftWords(over)));
    },
    /** It cannot be put back. If its account was closed, nothing has to be. */
    async giveUp(temporaryChange: TemporaryChange, error: CardApiError): Promise<void> {
      const account = await orNull(card.getAccount(temporaryChange.acctId));
      if (account?.accountStatus !== 'CLOSED')
        return await reportEnd({ ...temporaryChange, state: 'refused' }, null, whyNot(error));
      const closedAt = now().toISOString();
      await reportEnd({ ...temporaryChange, closedAt, state: 'kept' }, null, 'The account is closed.');
    },
    show: showTemporaryChange,
  };
}

interface ReportDeps extends Pick<ActionTools, 'factsOf' | 'notifyDirectly' | 'postToApprovals'> {
  readonly recordEnd: ReturnType<typeof createRecordEnd>;
  readonly outcomes: Pick<ActionTools['outcomes'], 'show'>;
  readonly notifyOps: NotifyOps;
  readonly temporaryChanges: Pick<TemporaryChanges, 'save'>;
  readonly showTemporaryChange: ReturnType<typeof createShowTemporaryChange>;
}

/**
 * Records how it ended, then reports: to the audit channel, in its messages, and to the person who asked for it. It
 * is marked as over last: after a crash before that, it is ended and reported again; all steps are idempotent.
 *
 * @param action the click that ended it; null when its time was over.
 * @param note sentences about what is unusual.
 */
export function createReportEnd(deps: ReportDeps) {
  return async function reportEnd(temporaryChange: OverChange, action: Action | null, note = ''): Promise<void> {
    const { id, acctId, alertId, state } = temporaryChange;
    const card = await deps.factsOf(acctId);
    const detail = `${endDetail(temporaryChange)} ${note}`.trim();
    const at = await deps.recordEnd(temporaryChange, { action, card, detail });
    const by = action?.actor.userId ?? temporaryChange.closedBy;
    if (alertId !== null) {
      // It says what the limits were to go back to.
      const text = insteadWords(temporaryChange.instead ?? []).join(' ');
      if (text !== '')
        await deps.outcomes.show(alertId, `instead-${id}`, { verb: 'rebase', by: null, at, state: 'done', text });
      await deps.outcomes.show(alertId, `end-${id}`, { by, ...outcomeOf(temporaryChange, note), at, ends: id });
    }
    // The alert or request that announced it shows its end itself. Late or unexpected ends and pending decisions are sent
    // to the person.
    const isAnnounced = alertId !== null || temporaryChange.requestId !== null;
    const isLate = Date.parse(at) - Date.parse(temporaryChange.openedAt) > ANNOUNCED_MS;
    const isShown = state === 'ended' && isAnnounced && !isLate;
    const message = temporaryChangeEnded(temporaryChange, card);
    if (temporaryChange.by.userId !== by && !isShown)
      await deps.notifyDirectly(temporaryChange.by.userId, `temporary-change-${id}-${state}`, message);
    // Nothing tries it again, so the card keeps the temporary value until a person changes it.
    if (state === 'refused') {
      await deps.postToApprovals(`temporary-change-${id}-refused`, message, card.group);
      await deps.notifyOps(opsIssue.notPutBack(id.slice(-8)));
    }
    await deps.temporaryChanges.save(temporaryChange);
    await deps.showTemporaryChange(temporaryChange);
  };
}

interface ShowDeps extends Pick<ActionTools, 'updateRequest' | 'cardChanged' | 'postTemporaryChange'> {
  /** Schedules an update of its messages. */
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
}

/** Updates everything that shows the temporary change. */
export function createShowTemporaryChange(deps: ShowDeps) {
  return async function showTemporaryChange(temporaryChange: TemporaryChange): Promise<void> {
    const { id, acctId, requestId, state } = temporaryChange;
    if (requestId !== null) await deps.updateRequest(requestId);
    await deps.cardChanged(acctId);
    // A pending decision is posted to the approvals channel, wherever the change was made.
    if (state === 'asking') await deps.postTemporaryChange(temporaryChange);
    await deps.updateTemporaryChange(id);
  };
}

/** Rules went back with one change. Ends the questions about others that have nothing else left to decide. */
export async function endQuestions(
  over: OverChange,
  action: Action | null,
  { now, temporaryChanges }: Pick<Deps, 'now' | 'temporaryChanges'>,
  notify: NotifyEnd['notify'],
): Promise<void> {
  if (over.state === 'kept' || over.state === 'refused') return;
  const back = reversed(over.state === 'asking' ? backAlready(over) : without(over.changes, notBackYet(over)));
  const isBack = ({ rule, from }: RuleChange) => hasGoal(back, { rule, to: from });
  for (const other of await temporaryChanges.all()) {
    const isSettled = other.state === 'asking' && other.acctId === over.acctId && undecided(other).every(isBack);
    if (other.id === over.id || !isSettled) continue;
    const closed = { closedAt: now().toISOString(), closedBy: action?.actor.userId ?? null };
    // On record as an end of its own: the click has its own end.
    await notify({ ...other, ...closed, state: 'ended', closingActionId: action?.id ?? null }, null);
  }
}

const whyNot = (error: CardApiError): string => noteOf(error) ?? `${serviceSaysRaw(error.apiMessage)}.`;

interface RecordDeps extends Pick<ActionTools, 'postAuditLine' | 'now'> {
  readonly audit: Pick<Audit, 'append'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
}

interface End {
  readonly action: Action | null;
  readonly card: CardFacts;
  readonly detail: string;
}

/** Records the end, in the chain and in the audit channel. Returns its time, UTC ISO 8601. */
export function createRecordEnd({ audit, postAuditLine, temporaryChanges, now }: RecordDeps) {
  return async function recordEnd(temporaryChange: TemporaryChange, end: End): Promise<string> {
    const { id, changes, state } = temporaryChange;
    const at = now().toISOString();
    const before = await temporaryChanges.get(id);
    // What went back before people were asked is on record already.
    const recorded = before?.state === 'asking' ? backAlready(before) : [];
    const over = about(temporaryChange, without(changes, recorded));
    const back = state === 'asking' ? backAlready(over) : [];
    if (back.length > 0) {
      const part = { ...about(over, back), meanwhile: null, state: 'ended' } as const;
      await recordRules(part, { ...end, detail: endDetails.ended }, at, 'part');
    }
    await recordRules(about(over, without(over.changes, back)), end, at);
    return at;
  };

  async function recordRules(
    temporaryChange: TemporaryChange,
    { action, card, detail }: End,
    at: string,
    key: string = temporaryChange.state,
  ): Promise<void> {
    const { id, acctId, changes, meanwhile, alertId, state } = temporaryChange;
    const isBack = state === 'ended';
    // Of what goes back with another one, nothing was written yet.
    const went = isBack ? without(changes, notBackYet(temporaryChange)) : changes;
    const sides = (some: readonly RuleChange[]) => {
      if (some.length === 0) return { before: null, after: null };
      const was = isBack ? wentBackFrom(about(temporaryChange, some)) : (meanwhile ?? changes);
      return { before: ruleStates(was, 'to'), after: isBack ? ruleStates(some, 'from') : null };
    };
    await audit.append({
      at,
      actionId: action?.id ?? id,
      event: state === 'asking' ? 'waiting' : 'ended',
      verb: action?.verb ?? 'limit',
      actor: action?.actor ?? null,
      roles: [...(action?.roles ?? [])],
      acctId,
      cardId: card.cardId,
      // Whoever takes it back lets all of it go back, if only later: that may be a raise.
      ...(state === 'kept' ? keptSides({ changes, meanwhile }) : sides(action === null ? went : changes)),
      reason: action?.reason ?? '',
      channel: action?.origin.channel ?? null,
      messageTs: action?.origin.messageTs ?? null,
      alertId,
      detail,
    });
    const isNone = went.length === 0;
    const did = `${isNone ? 'ended a temporary change of' : isBack ? 'put back' : 'left'} the ${ruleNames(isNone ? changes : went)} of`;
    const by = action?.actor.userId ?? null;
    const line = auditLine({ by, did, card, at, ...sides(went), reason: null, outcome: detail, ref: id.slice(-8) });
    await postAuditLine(`audit-${id}-${key}`, line);
  }
}

/** What stays. A temporary raise among it is recorded as one from the value that it would have gone back to. */
function keptSides({ changes, meanwhile }: Pick<TemporaryChange, 'changes' | 'meanwhile'>) {
  const raises = raisesKept({ changes, meanwhile });
  const now = ruleStates(meanwhile ?? changes, 'to');
  if (raises.length === 0) return { before: now, after: null };
  const returned = (meanwhile ?? changes).map(({ rule, to }) => ofRule(raises, rule) ?? { rule, from: to });
  return { before: ruleStates(returned, 'from'), after: now };
}

/** How the alert shows it. The first part says what it was, so the text has only the values. */
function outcomeOf(over: OverChange, note: string): Omit<Outcome, 'by' | 'at'> & Partial<Pick<Outcome, 'by'>> {
  const { state, changes, meanwhile, closedBy } = over;
  if (state === 'asking') return { verb: 'restore', state: 'waiting', text: sentences(endDetail(over), note) };
  if (state === 'refused')
    return { verb: 'restore', state: 'failed', text: sentences(`Still ${ruleStates(changes, 'to')}`, note) };
  if (state === 'kept') {
    const values = closedBy === null ? '' : ruleStates(meanwhile ?? changes, 'to');
    const text = sentences(values, note) || 'It no longer applies to this card.';
    // Whoever wanted it back has not decided that.
    return { verb: 'keep', state: 'done', by: closedBy, text };
  }
  const later = notBackYet(over);
  const words = (some: readonly RuleChange[]) => changeWords(ruleStates(some, 'to'), ruleStates(some, 'from'));
  const parts = [words(without(wentBackFrom(over), later)), later.length === 0 ? '' : `${words(later)} ${WITH_OTHER}`];
  const text = capital(parts.filter(Boolean).map(lowerFirst).join(BETWEEN_RULES));
  return { verb: 'restore', state: 'done', text, ...(later.length === 0 && { goals: goalsOf(reversed(changes)) }) };
}
