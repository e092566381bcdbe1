import { sentences } from '../../templates/core/change-words.ts';
import { type Action, alertIdOf } from '../actions/action.ts';
import type { Result } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { isSameRule, ofRule, ofRules } from '../card-api/rule.ts';
import { centsOf, hasGoal, type RuleChange, type RuleGoal, type Term } from '../card-api/rule-change.ts';
import { askedCents, purchaseCents } from './change-request.ts';
import { endingBefore, loosenedSince, raiseWithout, setBelow, setTemporarily, withBackAtEnd } from './rule-future.ts';
import { backOf } from './rule-words.ts';
import { keptWords, type Supersede } from './supersede.ts';
import { isMadeBy, isUndecided } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { endOfTerm } from './term.ts';

/** What a result says about a temporary change: when it ends, and that it can be reverted. */
export type Opened = Pick<Result, 'note' | 'control'>;

/** A change of a card's rules that an action makes. */
export interface MadeChange<A extends Action = Action> {
  readonly action: A;
  readonly acctId: number;
  /** Relative to the rules before the change. */
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** The request that it was made for; null: none. */
  readonly requestId: string | null;
}

interface TermDeps extends Pick<ActionTools, 'purchaseOf' | 'factsOf' | 'zone' | 'postTemporaryChange' | 'now'> {
  readonly temporaryChanges: TemporaryChanges;
  readonly supersede: Supersede;
  readonly scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) => Promise<void>;
}

export type TemporaryTerms = ReturnType<typeof createTemporaryTerms>;

export function createTemporaryTerms(deps: TermDeps) {
  return {
    /**
     * A change was made: stores it as a temporary change and schedules its end. If it is permanent, ends temporary changes
     * of the same rules. The same whether the card service answered or the change was verified later.
     *
     * @param isSetSince someone has set the same values later. Then a change that has ended is not opened again.
     * @returns the text to show; null if there is none.
     */
    begin: (made: MadeChange, { isSetSince = false } = {}): Promise<Opened | null> => beginTerm(made, isSetSince, deps),
    /** Called before a temporary change is sent: it must end even if its outcome is never known. */
    openUnsent: (made: MadeChange): Promise<Opened> => openTemporaryChange(made, deps, { isChanged: false }),
    /**
     * Someone wants to keep the current rules: their temporary changes end, or last longer.
     *
     * @returns the text to show; null when nothing was temporary.
     */
    keep: (made: MadeChange): Promise<Opened | null> => keepValues(made, deps),
    /** Whether one of the current values is from a temporary change. */
    async isTemporary({ changes, acctId }: Pick<MadeChange, 'changes' | 'acctId'>): Promise<boolean> {
      const open = await openOnSameRules(changes, acctId, deps);
      return changes.some((change) => lastToSet(change, open, acctId) !== undefined);
    },
    /**
     * Marks a change whose answer was lost and that is not in effect: no rule has its value, or one that the card service
     * may have made of it, and no other change goes back to its value. It may still be made late: the card is read again.
     *
     * @param seen null: the card could not be read.
     */
    markUnconfirmed: (id: string, seen: SeenRules | null): Promise<void> => markUnconfirmed(id, seen, deps),
    /** For a change that was certainly not made. */
    forget: deps.temporaryChanges.forget,
  };
}

/** A temporary change that someone has decided about or has to decide. It must not be opened again. */
const closedStates: readonly TemporaryChange['state'][] = ['superseded', 'asking', 'kept', 'refused'];

async function beginTerm(made: MadeChange, isSetSince: boolean, deps: TermDeps): Promise<Opened | null> {
  if (made.term.kind === 'permanent') return await keepValues(made, deps);
  const open = await deps.temporaryChanges.get(made.action.id);
  // A later change or a person has decided about it since it was sent.
  if (open !== null && (closedStates.includes(open.state) || (isSetSince && open.state === 'ended'))) return null;
  // Possibly about some of the rules only. Then its end applies to the others.
  const left = open === null ? made.changes : ofRules(made.changes, open.changes);
  return left.length === 0 ? null : await openTemporaryChange({ ...made, changes: left }, deps);
}

/** The rules of a change whose outcome is unknown. */
export interface SeenRules {
  /** Relative to the card's current rules. */
  readonly now: readonly RuleChange[];
  /** As they were sent. Null: another action of ours has changed them since. */
  readonly sent: readonly RuleChange[] | null;
}

/**
 * The rules whose value is neither the one before nor the one that was sent. The specification of the card service does
 * not say that it stores every amount as it was sent, so such a value may be its own version of ours.
 */
export function withOtherValues({ now, sent }: SeenRules): RuleChange[] {
  return now.filter(
    ({ rule, from, to }) => from !== to && sent?.some((one) => isSameRule(one.rule, rule) && one.from !== from),
  );
}

/** Some of several rules may still have the temporary value. These still end, or people are asked. */
async function markUnconfirmed(
  temporaryChangeId: string,
  seen: SeenRules | null,
  { temporaryChanges }: TermDeps,
): Promise<void> {
  const all = await temporaryChanges.all();
  const own = all.find(({ id }) => id === temporaryChangeId);
  if (own === undefined) return;
  const backs = all
    .filter((other) => other.acctId === own.acctId && other.id !== temporaryChangeId)
    .flatMap((other) => other.changes);
  const stands = (seen?.now ?? own.changes).some(
    ({ rule, from, to }) => from === to || backs.some((back) => isSameRule(back.rule, rule) && back.from === to),
  );
  const isOther = seen !== null && withOtherValues(seen).length > 0;
  if (!stands && !isOther) await temporaryChanges.save({ ...own, certainty: 'unconfirmed' });
}

/**
 * Schedules the end of a temporary change.
 *
 * If one of its rules already has a temporary change that ends first, this one goes back to the value before both.
 * Otherwise two short raises would leave a permanent one behind.
 *
 * @param isChanged false before the change is sent: it must end even if its outcome is never known.
 * @param atFirst the changes relative to the current rules.
 */
async function openTemporaryChange(
  made: MadeChange,
  deps: TermDeps,
  { isChanged = true, isOverOthers = false, isFromBackup = false, atFirst = made.changes } = {},
): Promise<Opened> {
  const { action, acctId, changes, term, requestId } = made;
  const now = deps.now();
  const open = await deps.temporaryChanges.get(action.id);
  // The end stays as first set, even if a rerun after a crash repeats this.
  const endsAt = open?.endsAt ?? (endOfTerm(term, now, deps.zone) ?? now).toISOString();
  const openedAt = open?.openedAt ?? now.toISOString();
  const others = (await openOnSameRules(changes, acctId, deps)).filter(({ id }) => id !== action.id);
  const set = setTemporarily(others, acctId);
  // The purchase may be made at once. What ends before it is handed over then.
  const mayEndAt = term.kind === 'purchase' ? openedAt : endsAt;
  const stacked = changes.map((change) => stackedOn(endingBefore(mayEndAt, change, set), change));
  const since = open?.loosenedSince ?? loosenedSince(atFirst, set);
  const temporaryChange: TemporaryChange = {
    id: action.id,
    acctId,
    changes: open?.changes ?? stacked.map(({ change }) => change),
    term,
    by: action.actor,
    ...((open?.isOverOthers === true || isOverOthers || takesOver(stacked, made, others, now)) && {
      isOverOthers: true,
    }),
    ...((open?.isFromBackup === true || isFromBackup || takesOverOld(stacked)) && { isFromBackup: true }),
    openedAt,
    ...(since !== undefined && { loosenedSince: since }),
    endsAt,
    purchase: term.kind === 'purchase' ? await endingPurchase(action, changes, deps) : null,
    alertId: alertIdOf(action),
    requestId,
    rulesetId: open === null ? ((await deps.factsOf(acctId)).ruleset?.id ?? null) : open.rulesetId,
    certainty: isChanged ? 'certain' : 'pending',
    state: 'open',
    meanwhile: null,
    closedAt: null,
    closedBy: null,
    closingActionId: null,
  };
  await deps.temporaryChanges.save(temporaryChange);
  await deps.scheduleTemporaryChangeEnd(action.id, Date.parse(endsAt));
  if (isChanged) {
    // When this runs again, what it was stacked on may be gone.
    const asStored = (change: RuleChange) => ofRule(temporaryChange.changes, change.rule) ?? change;
    for (const earlier of others) {
      const isTaken = (change: RuleChange, index: number) =>
        stacked[index]?.earlier.includes(earlier) === true ||
        (isSetAgain(change, earlier) && !isUnderneath(earlier, asStored(change), others));
      const taken = changes.filter(isTaken);
      if (taken.length > 0) await deps.supersede(earlier, taken, laterOf(action));
    }
    // A change that no alert or request shows gets a separate message with its end and *Take back now*.
    if (temporaryChange.alertId === null && requestId === null) await deps.postTemporaryChange(temporaryChange);
  }
  const back = backOf(withBackAtEnd(temporaryChange, others));
  return { note: null, control: { kind: 'revert', id: action.id, until: endsAt, back } };
}

/** The purchase that ends a change: the declined one, or the next one that costs no more than what was asked for. */
async function endingPurchase(
  action: Action,
  changes: readonly RuleChange[],
  deps: Pick<TermDeps, 'purchaseOf'>,
): Promise<TemporaryChange['purchase']> {
  const declined = await deps.purchaseOf(action);
  // No purchase costs more than the raised limit.
  const mostCents = Math.max(...changes.map(({ to }) => centsOf(to) ?? Number.MAX_SAFE_INTEGER));
  if (declined === null)
    return { merchantId: '', merchant: '', maxCents: askedCents(action) ?? mostCents, declinedAt: null };
  const { id: merchantId, name: merchant } = declined.merchant;
  const maxCents = purchaseCents(action, declined) ?? mostCents;
  return { merchantId, merchant, maxCents, declinedAt: declined.occurredAt };
}

/** The rules already have the wanted values, or were changed permanently. */
async function keepValues(made: MadeChange, deps: TermDeps): Promise<Opened | null> {
  const { action, acctId, changes, term } = made;
  const temporaryChanges = await openOnSameRules(changes, acctId, deps);
  const setBy = ({ rule, to }: RuleGoal): TemporaryChange | undefined =>
    lastToSet({ rule, from: to, to }, temporaryChanges, acctId);
  const temporary = changes.filter((change) => setBy(change) !== undefined);
  if (term.kind === 'permanent') {
    const lifted: string[] = [];
    for (const temporaryChange of temporaryChanges)
      lifted.push(...(await deps.supersede(temporaryChange, changes, laterOf(action), true)));
    const note = sentences(keptWords(temporary, changes.length), ...lifted);
    return note === '' ? null : { note, control: null };
  }
  if (temporary.length === 0) return null;
  const stacked = changes.map((change) => stackedOn([setBy(change) ?? []].flat(), change));
  const isOverOthers = takesOver(stacked, made, temporaryChanges, deps.now());
  const opened = await openTemporaryChange({ ...made, changes: stacked.map(({ change }) => change) }, deps, {
    isOverOthers,
    isFromBackup: takesOverOld(stacked),
    atFirst: changes,
  });
  for (const temporaryChange of temporaryChanges) {
    const theirs = changes.filter((change) => setBy(change) === temporaryChange);
    if (temporaryChange.id !== action.id) await deps.supersede(temporaryChange, theirs, laterOf(action));
  }
  return opened;
}

const laterOf = ({ id, actor }: Action) => ({ id, by: actor.userId });

/** The newest temporary change that the current value of a rule is from. */
function lastToSet(change: RuleChange, all: readonly TemporaryChange[], acctId: number): TemporaryChange | undefined {
  return setBelow(change, setTemporarily(all, acctId))[0]?.setBy;
}

/**
 * Someone changed the rule since the temporary change set it. Setting the same value again still counts as a change.
 */
function isSetAgain(change: RuleChange, earlier: TemporaryChange): boolean {
  return change.from !== change.to && hasGoal(earlier.changes, change);
}

/**
 * A change goes back to the value that an earlier one set, perhaps through others between them. Then the earlier one
 * still ends, and its value is not left behind: see `createHandOver`.
 */
function isUnderneath(
  earlier: TemporaryChange,
  { rule, from }: RuleChange,
  others: readonly TemporaryChange[],
): boolean {
  if (hasGoal(earlier.changes, { rule, to: from })) return true;
  return others.some((between) => {
    const own = between.changes.find((change) => isSameRule(change.rule, rule) && change.to === from);
    const below = others.filter((other) => other !== between);
    return own !== undefined && isUnderneath(earlier, own, below);
  });
}

/** A change on top of earlier ones, newest first. It goes back to the value before them. */
function stackedOn(earlier: readonly TemporaryChange[], change: RuleChange) {
  const own = ofRule(earlier.at(-1)?.changes ?? [], change.rule);
  return { earlier, change: own === undefined ? change : { ...change, from: own.from }, was: change.from };
}

/** It takes the place of one that ran when a backup was restored, and its value before may be out of date. */
function takesOverOld(stacked: readonly ReturnType<typeof stackedOn>[]): boolean {
  return stacked.some(({ earlier }) => earlier.some(({ isFromBackup }) => isFromBackup === true));
}

/** It takes the place of a reduction that is not the person's own: without that, a rule would be looser at some time. */
function takesOver(
  stacked: readonly ReturnType<typeof stackedOn>[],
  { action, acctId }: MadeChange,
  all: readonly TemporaryChange[],
  now: Date,
) {
  const set = setTemporarily(all, acctId);
  return stacked.some(({ earlier, change, was }) =>
    earlier.some(
      (one) =>
        !isMadeBy(one, action.actor.userId) && raiseWithout({ ...change, to: was }, one, set, now.getTime()) !== null,
    ),
  );
}

/** Temporary changes of any of the rules that run, or wait for a decision. */
async function openOnSameRules(
  changes: readonly RuleChange[],
  acctId: number,
  { temporaryChanges }: TermDeps,
): Promise<TemporaryChange[]> {
  return (await temporaryChanges.all()).filter(
    (candidate) =>
      candidate.acctId === acctId && isUndecided(candidate) && ofRules(candidate.changes, changes).length > 0,
  );
}
