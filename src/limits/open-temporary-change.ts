import { type Action, alertIdOf } from '../actions/action.ts';
import type { Result } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { isSameRule } from '../card-api/rule.ts';
import type { Term } from '../card-api/rule-change.ts';
import { type RuleChange, type RuleGoal, without } from '../card-api/rule-change.ts';
import { formatDuration } from '../core/duration.ts';
import { serviceTime, serviceZone } from '../core/installation.ts';
import { endOfTerm } from './change-request.ts';
import { stateWords } from './rule-words.ts';
import { keptWords, type Supersede } from './supersede.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/** What a result says of a temporary change: when it ends, and that it can be taken back. */
export type Opened = Pick<Result, 'note' | 'control'>;

/** A change of a card's rules that an action makes. */
export interface MadeChange<A extends Action = Action> {
  readonly action: A;
  readonly acctId: number;
  /** From what the rules were before it. */
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** The request that it was made for; null: none. */
  readonly requestId: string | null;
}

interface TermDeps extends Pick<ActionTools, 'purchaseOf' | 'serviceDays' | 'postTemporaryChange' | 'now'> {
  readonly temporaryChanges: TemporaryChanges;
  readonly supersede: Supersede;
  /** Wakes the worker when a temporary change ends. */
  readonly scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) => Promise<void>;
}

/** What makes changes end by themselves. */
export type TemporaryTerms = ReturnType<typeof createTemporaryTerms>;

export function createTemporaryTerms(deps: TermDeps) {
  return {
    /**
     * A change is made: starts its end, or ends what was temporary about the rules that stay from now on. The same whether
     * the card service answered, or somebody found out later.
     *
     * @returns what to say of it; null when there is nothing to say.
     */
    resolve: (made: MadeChange): Promise<Opened | null> => resolveTerm(made, deps),
    /** A temporary change is about to be sent: it must end also when nobody ever hears whether it was made. */
    openUnsent: (made: MadeChange): Promise<Opened> => openTemporaryChange(made, deps, false),
    /**
     * Somebody wants rules as they are: what was temporary about them ends, or lasts longer.
     *
     * @returns what to say of it; null when nothing was temporary.
     */
    keep: (made: MadeChange): Promise<Opened | null> => resolveTemporaryChanges(made, deps),
    /**
     * Forgets the end of a change that is not there: nothing stands as it set it, and nothing else goes back to that.
     *
     * @param changes from what the card's rules say now.
     */
    forgetIfGone: (id: string, changes: readonly RuleChange[], acctId: number): Promise<void> =>
      forgetIfGone(id, changes, acctId, deps),
    /** The same where the change was certainly not made. */
    forget: deps.temporaryChanges.forget,
  };
}

/** A temporary change that somebody has decided about, or has to: not for us to open again. */
const closedStates: readonly TemporaryChange['state'][] = ['superseded', 'asking', 'kept', 'refused'];

async function resolveTerm(made: MadeChange, deps: TermDeps): Promise<Opened | null> {
  if (made.term.kind === 'permanent') return await resolveTemporaryChanges(made, deps);
  const open = await deps.temporaryChanges.get(made.action.id);
  // A later change, or a person, had the last word about it since it was sent.
  if (open !== null && closedStates.includes(open.state)) return null;
  // Or about some of the rules: its end is about the others only.
  const left = open === null ? made.changes : without(made.changes, without(made.changes, open.changes));
  return left.length === 0 ? null : await openTemporaryChange({ ...made, changes: left }, deps);
}

/** Of several rules some may stand as they were set: these still end, or people are asked. */
async function forgetIfGone(
  temporaryChangeId: string,
  changes: readonly RuleChange[],
  acctId: number,
  { temporaryChanges }: TermDeps,
): Promise<void> {
  const backs = (await temporaryChanges.all())
    .filter((other) => other.acctId === acctId && other.id !== temporaryChangeId)
    .flatMap((other) => other.changes);
  const stands = changes.some(
    ({ rule, from, to }) => from === to || backs.some((back) => isSameRule(back.rule, rule) && back.from === to),
  );
  if (!stands) await temporaryChanges.forget(temporaryChangeId);
}

/**
 * Starts the end of a temporary change.
 *
 * Where one of the rules was changed for a time already and that time is over first, this one goes back to what was there
 * before both: otherwise two short raises would leave a lasting one behind.
 *
 * @param isChanged false before the change is sent: it must end also when nobody ever hears whether it was made.
 */
async function openTemporaryChange(
  { action, acctId, changes, term, requestId }: MadeChange,
  deps: TermDeps,
  isChanged = true,
): Promise<Opened> {
  const now = deps.now();
  const open = await deps.temporaryChanges.get(action.id);
  // The end stays where it was first set, also when a crash has this done again.
  const endsAt = open?.endsAt ?? (endOfTerm(term, now, deps.serviceDays) ?? now).toISOString();
  const others = (await openOnSameRules(changes, acctId, deps)).filter(({ id }) => id !== action.id);
  const ending = others.filter((earlier) => earlier.endsAt <= endsAt);
  const stacked = changes.map((change) => {
    const earlier = ending.find((candidate) => hasSet(candidate, { rule: change.rule, to: change.from }));
    return { earlier, change: earlier === undefined ? change : withEarlierFrom(change, earlier) };
  });
  const purchase = term.kind === 'purchase' ? await deps.purchaseOf(action) : null;
  const temporaryChange: TemporaryChange = {
    id: action.id,
    acctId,
    changes: open?.changes ?? stacked.map(({ change }) => change),
    term,
    by: action.actor,
    openedAt: open?.openedAt ?? now.toISOString(),
    endsAt,
    purchase:
      purchase === null
        ? null
        : { merchantId: purchase.merchant.id, merchant: purchase.merchant.name, maxCents: purchase.amountCents },
    alertId: alertIdOf(action),
    requestId,
    state: 'open',
    meanwhile: null,
    closedAt: null,
    closedBy: null,
  };
  await deps.temporaryChanges.save(temporaryChange);
  await deps.scheduleTemporaryChangeEnd(action.id, Date.parse(endsAt));
  if (isChanged) {
    for (const earlier of others) {
      const isTaken = (change: RuleChange, index: number) =>
        stacked[index]?.earlier === earlier || isSetAgain(change, earlier);
      const taken = changes.filter(isTaken);
      if (taken.length > 0) await deps.supersede(earlier, taken);
    }
    await show(temporaryChange, deps);
  }
  return {
    note: `Goes back to ${stateWords(temporaryChange.changes, 'from')} ${whenWords(term)}.`,
    control: { kind: 'revert', id: temporaryChange.id, until: endsAt },
  };
}

/** The rules are as wanted, or were changed for good. */
async function resolveTemporaryChanges(made: MadeChange, deps: TermDeps): Promise<Opened | null> {
  const { action, acctId, changes, term } = made;
  const temporaryChanges = await openOnSameRules(changes, acctId, deps);
  const setBy = (goal: RuleGoal): TemporaryChange | undefined =>
    temporaryChanges.find((candidate) => hasSet(candidate, goal));
  const temporary = changes.filter((change) => setBy(change) !== undefined);
  if (term.kind === 'permanent') {
    const lifted: string[] = [];
    for (const temporaryChange of temporaryChanges)
      lifted.push(...(await deps.supersede(temporaryChange, changes, true)));
    const stays = keptWords(temporary, changes.length);
    const note = [...(stays === null ? [] : [stays]), ...lifted].join(' ');
    return note === '' ? null : { note, control: null };
  }
  if (temporary.length === 0) return null;
  const fromEarlier = changes.map((change) => {
    const earlier = setBy(change);
    return earlier === undefined ? change : withEarlierFrom(change, earlier);
  });
  const opened = await openTemporaryChange({ ...made, changes: fromEarlier }, deps);
  for (const temporaryChange of temporaryChanges) {
    const theirs = changes.filter((change) => setBy(change) === temporaryChange);
    if (temporaryChange.id !== action.id) await deps.supersede(temporaryChange, theirs);
  }
  return opened;
}

/** The temporary change set this rule to this value. */
function hasSet(temporaryChange: TemporaryChange, { rule, to }: RuleGoal): boolean {
  return temporaryChange.changes.some((change) => isSameRule(change.rule, rule) && change.to === to);
}

/** Somebody changed the rule since the temporary change set it: that it says the same again does not make it untouched. */
function isSetAgain(change: RuleChange, earlier: TemporaryChange): boolean {
  return change.from !== change.to && hasSet(earlier, change);
}

/** The same change, from what the rule was before the earlier change. */
function withEarlierFrom(change: RuleChange, earlier: TemporaryChange): RuleChange {
  const own = earlier.changes.find(({ rule }) => isSameRule(rule, change.rule));
  return own === undefined ? change : { ...change, from: own.from };
}

/** A change that shows on no alert and on no request gets a message of its own, with its end and *Take back now*. */
async function show(temporaryChange: TemporaryChange, deps: TermDeps): Promise<void> {
  if (temporaryChange.alertId === null && temporaryChange.requestId === null)
    await deps.postTemporaryChange(temporaryChange);
}

/** Open temporary changes of any of the rules. */
async function openOnSameRules(
  changes: readonly RuleChange[],
  acctId: number,
  { temporaryChanges }: TermDeps,
): Promise<TemporaryChange[]> {
  return (await temporaryChanges.all()).filter(
    (candidate) =>
      candidate.acctId === acctId &&
      candidate.state === 'open' &&
      candidate.changes.some((theirs) => changes.some(({ rule }) => isSameRule(theirs.rule, rule))),
  );
}

/** `in 4 hours`, `at midnight Eastern time`. */
function whenWords(term: Term): string {
  switch (term.kind) {
    case 'duration':
      return `in ${formatDuration(term.ms)}`;
    case 'purchase':
      return 'after this purchase, or in 15 minutes';
    case 'midnight':
      return `at midnight ${serviceZone().long}`;
    case 'day':
      return `with the end of ${term.day}, ${serviceZone().long}`;
    case 'until':
      return `on ${serviceTime(term.at)}`;
    case 'permanent':
      return 'never';
  }
}
