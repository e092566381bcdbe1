import { type Action, alertIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { Result } from '../actions/result.ts';
import { formatDuration } from '../core/duration.ts';
import { type ChangeRequest, endOfTerm, type Term } from './change-request.ts';
import { purchaseOf } from './raise-amount.ts';
import {
  batch,
  isSameValue,
  type RuleChange,
  type RuleValue,
  type Single,
  singlesOf,
  targetOf,
  targetsOf,
  wantedOf,
} from './rule-change.ts';
import { stateWords } from './rule-words.ts';
import { keptWords, supersede } from './supersede.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** What a result says of a temporary change: when it ends, and that it can be taken back. */
export type Opened = Pick<Result, 'note' | 'control'>;

/** The request that a change was made for, if there was one. */
interface OfRequest {
  readonly requestId: string;
}

/** A temporary change that somebody has decided about, or has to: not for us to open again. */
const settledStates: readonly TemporaryChange['state'][] = ['replaced', 'asking', 'left', 'refused'];

/**
 * A change is made: starts its end, or settles what was temporary about the rules that stay from now on. The same
 * whether the card service answered, or somebody found out later.
 *
 * @param before what the rules were.
 * @returns what to say of it; null when there is nothing to say.
 */
export async function resolveTerm(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: ActionDeps,
): Promise<Opened | null> {
  if (changeRequest.term.kind === 'permanent')
    return await resolveTemporaryChanges(action, changeRequest, acctId, before, approval, deps);
  const known = await deps.temporaryChanges.get(action.id);
  // A later change, or a person, had the last word about it since it was sent.
  if (known !== null && settledStates.includes(known.state)) return null;
  // Or about some of the rules: its end is about the others only.
  const left = targetsOf(known?.change ?? changeRequest.change);
  const kept = batch(singlesOf(changeRequest.change, before).filter(({ change }) => left.includes(targetOf(change))));
  if (kept === null) return null;
  return await openTemporaryChange(
    action,
    { ...changeRequest, change: kept.change },
    acctId,
    kept.value,
    approval,
    deps,
  );
}

/**
 * Forgets the end of a change that is not there: nothing stands as it set it, and nothing else goes back to that.
 *
 * Of several limits some may stand as they were set: these still end, or people are asked.
 */
export async function forgetIfGone(
  temporaryChangeId: string,
  change: RuleChange,
  acctId: number,
  current: RuleValue,
  { temporaryChanges }: ActionDeps,
): Promise<void> {
  const others = (await temporaryChanges.all()).filter(
    (temporaryChange) => temporaryChange.acctId === acctId && temporaryChange.id !== temporaryChangeId,
  );
  const backs = others.flatMap((temporaryChange) => singlesOf(temporaryChange.change, temporaryChange.before));
  const stands = singlesOf(change, current).some(
    (now) =>
      now.value === wantedOf(now.change) ||
      backs.some((back) => targetOf(back.change) === targetOf(now.change) && back.value === wantedOf(now.change)),
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
export async function openTemporaryChange(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: ActionDeps,
  isChanged = true,
): Promise<Opened> {
  const { change, term } = changeRequest;
  const now = deps.now();
  const known = await deps.temporaryChanges.get(action.id);
  // The end stays where it was first set, also when a crash has this done again.
  const endsAt = known?.endsAt ?? (endOfTerm(term, now, deps.serviceDays) ?? now).toISOString();
  const ending = (await temporaryChangesOf(changeRequest, acctId, deps)).filter(
    (one) => one.id !== action.id && one.endsAt <= endsAt,
  );
  const taken = singlesOf(change, before).map((now) => ({ now, from: ending.find((one) => hasSet(one, now)) }));
  const backs = taken.map(({ now, from }) => (from === undefined ? now : earlierOf(from, now)));
  const back = known?.before ?? batch(backs)?.value ?? before;
  const purchase = term.kind === 'purchase' ? await purchaseOf(action, deps) : null;
  const temporaryChange: TemporaryChange = {
    id: action.id,
    acctId,
    change,
    before: back,
    term,
    by: action.actor,
    openedAt: known?.openedAt ?? now.toISOString(),
    endsAt,
    purchase:
      purchase === null
        ? null
        : { merchantId: purchase.merchant.id, merchant: purchase.merchant.name, maxCents: purchase.amountCents },
    alertId: alertIdOf(action),
    requestId: approval?.requestId ?? null,
    state: 'open',
    found: null,
    closedAt: null,
    closedBy: null,
  };
  await deps.temporaryChanges.save(temporaryChange);
  await deps.scheduleTemporaryChangeEnd(action.id, Date.parse(endsAt));
  if (isChanged) {
    for (const earlier of ending) {
      await supersede(
        earlier,
        taken.filter(({ from }) => from === earlier).map(({ now }) => now.change),
        deps,
      );
    }
    await show(temporaryChange, deps);
  }
  return {
    note: `Goes back to ${stateWords(change, back)} by itself ${whenWords(term)}.`,
    control: { kind: 'take_back', id: temporaryChange.id, until: endsAt },
  };
}

/**
 * Somebody wants rules as they are, or changed them for good: what was temporary about them ends, or lasts longer.
 *
 * @param before what they were before it was changed, or are.
 * @returns what to say of it; null when nothing was temporary.
 */
export async function resolveTemporaryChanges(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: RuleValue,
  approval: OfRequest | null,
  deps: ActionDeps,
): Promise<Opened | null> {
  const rules = singlesOf(changeRequest.change, wantedOf(changeRequest.change));
  const temporaryChanges = await temporaryChangesOf(changeRequest, acctId, deps);
  const own = rules.map((rule) => temporaryChanges.find((temporaryChange) => hasSet(temporaryChange, rule)));
  const isTemporary = own.some((temporaryChange) => temporaryChange !== undefined);
  if (changeRequest.term.kind === 'permanent') {
    const kept = rules.map(({ change }) => change);
    const lifted: string[] = [];
    for (const temporaryChange of temporaryChanges)
      lifted.push(...(await supersede(temporaryChange, kept, deps, true)));
    const stays = keptWords(
      kept.filter((_rule, index) => own[index] !== undefined),
      kept.length,
    );
    const note = [...(stays === null ? [] : [stays]), ...lifted].join(' ');
    return note === '' ? null : { note, control: null };
  }
  if (!isTemporary) return null;
  const backs = singlesOf(changeRequest.change, before).map((now, index) => {
    const temporaryChange = own[index];
    return temporaryChange === undefined ? now : earlierOf(temporaryChange, now);
  });
  const opened = await openTemporaryChange(
    action,
    changeRequest,
    acctId,
    batch(backs)?.value ?? before,
    approval,
    deps,
  );
  for (const temporaryChange of temporaryChanges) {
    const theirs = rules.filter((_rule, index) => own[index] === temporaryChange).map(({ change }) => change);
    if (temporaryChange.id !== action.id) await supersede(temporaryChange, theirs, deps);
  }
  return opened;
}

/** The lease set this rule to this value. */
function hasSet(temporaryChange: TemporaryChange, { change, value }: Single): boolean {
  const rule = singlesOf(temporaryChange.change, temporaryChange.before).find(
    (one) => targetOf(one.change) === targetOf(change),
  );
  return rule !== undefined && isSameValue(wantedOf(rule.change), value);
}

/** What a rule was before the lease. */
function earlierOf(temporaryChange: TemporaryChange, single: Single): Single {
  return (
    singlesOf(temporaryChange.change, temporaryChange.before).find(
      (one) => targetOf(one.change) === targetOf(single.change),
    ) ?? single
  );
}

/** A change that shows on no alert and on no request gets a message of its own, with its end and *Take back now*. */
async function show(temporaryChange: TemporaryChange, deps: ActionDeps): Promise<void> {
  if (temporaryChange.alertId === null && temporaryChange.requestId === null)
    await deps.postTemporaryChange(temporaryChange);
}

/** Open leases of any of the rules that are meant. */
async function temporaryChangesOf(
  changeRequest: ChangeRequest,
  acctId: number,
  { temporaryChanges }: ActionDeps,
): Promise<TemporaryChange[]> {
  const targets = targetsOf(changeRequest.change);
  return (await temporaryChanges.all()).filter(
    (temporaryChange) =>
      temporaryChange.acctId === acctId &&
      temporaryChange.state === 'open' &&
      targetsOf(temporaryChange.change).some((target) => targets.includes(target)),
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
      return 'at midnight Eastern time';
    case 'day':
      return `with the end of ${term.day}, Eastern time`;
    case 'permanent':
      return 'never';
  }
}
