import { sentences } from '../../templates/core/change-words.ts';
import { isOnAlert } from '../actions/action.ts';
import { type Result, reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { MADE_AFTER_ALL, MADE_LATE } from '../actions/conclude-action.ts';
import { resultMessage, toOutcome } from '../actions/report.ts';
import type { Audit } from '../audit/audit.ts';
import { nobody } from '../audit/audit-record.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule, without } from '../card-api/rule.ts';
import { ruleValue } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import { serviceTime } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { NotifyEnd, OverChange } from './notify-end.ts';
import { mayStillCome, REFUSALS_MAX, type Restore } from './restore.ts';
import { backAlreadyWords, insteadWords, laterWords, ruleName, stateWords } from './rule-words.ts';
import { sidesOf } from './send-rules.ts';
import { notBackYet } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { termWords } from './term.ts';
import { ruleVerbOf } from './verbs.ts';
import { withObstacles } from './with-obstacles.ts';

/** Retry interval while the card API is unavailable, rejects our token or refuses. */
const RETRY_MS = 60_000;

interface EndDeps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get' | 'save' | 'forget'>;
  readonly confirmIfMade: ConfirmIfMade;
  readonly restore: Restore;
  readonly notifyEnd: Pick<NotifyEnd, 'conclude' | 'giveUp' | 'show'>;
  readonly timeLeft: TimeLeft;
}

/**
 * A temporary change has ended: restores the earlier rules if nobody changed them meanwhile. An unconfirmed one is looked
 * at until it is in effect or can no longer be made.
 *
 * A value that someone else set since is not overwritten; people are asked instead. Idempotent: an ended change is no
 * longer open.
 *
 * The returned function returns the milliseconds until a retry, or null when done. `isEarly`: the change ends before
 * its time because the purchase it was made for has happened.
 */
export function createEndTemporaryChange(deps: EndDeps) {
  const { temporaryChanges, withLock, restore, notifyEnd, timeLeft } = deps;
  return async function endTemporaryChange(temporaryChangeId: string, isEarly = false): Promise<number | null> {
    const acctId = (await temporaryChanges.get(temporaryChangeId))?.acctId;
    if (acctId === undefined) return null;
    return await withLock(`account:${acctId}`, async (lease) => {
      const temporaryChange = await temporaryChanges.get(temporaryChangeId);
      if (temporaryChange === null) return null;
      if (temporaryChange.state !== 'open') {
        // Closed by us before a crash, or by someone's click. The messages that show it may be out of date.
        await notifyEnd.show(temporaryChange);
        return null;
      }
      const leftMs = isEarly ? 0 : await timeLeft(temporaryChange.endsAt);
      if (leftMs === null) return RETRY_MS;
      if (leftMs > 0 && temporaryChange.certainty !== 'unconfirmed') return leftMs;
      try {
        const made = await deps.confirmIfMade(temporaryChange, lease);
        if (made === null) return await waitOrForget(temporaryChangeId, lease);
        if (leftMs > 0) {
          await notifyEnd.show(made);
          return leftMs;
        }
        const restored = await restore(made, null, lease);
        if (restored.kind !== 'over') return RETRY_MS;
        await lease.confirm();
        await notifyEnd.conclude(restored.after, null, endNote(made, restored.after));
      } catch (error) {
        if (!(error instanceof CardApiError)) throw error;
        // Everything but a refusal says nothing about the rules.
        return error.code === 'refused' ? await countRefusal(temporaryChangeId, error, lease) : RETRY_MS;
      }
      return null;
    });
  };

  async function countRefusal(temporaryChangeId: string, error: CardApiError, lease: Lease): Promise<number | null> {
    await lease.confirm();
    // Read again: some of its rules may have been handed over.
    const left = await temporaryChanges.get(temporaryChangeId);
    if (left === null) return null;
    const refusals = (left.refusals ?? 0) + 1;
    // What Cardbell itself does not send, it will not send later either.
    if (refusals >= REFUSALS_MAX || error.outcome === 'not_sent') {
      await notifyEnd.giveUp({ ...left, refusals }, error);
      return null;
    }
    await temporaryChanges.save({ ...left, refusals });
    return RETRY_MS;
  }

  /** A change that nothing has shown is over once it can no longer be made. People know that it was not confirmed. */
  async function waitOrForget(id: string, lease: Lease): Promise<number | null> {
    if (await mayStillCome(id, deps)) return RETRY_MS;
    await lease.confirm();
    await temporaryChanges.forget(id);
    return null;
  }
}

/** Milliseconds until a time, negative when it has passed; null when two clocks disagree, of which every worker notifies ops. */
type TimeLeft = (moment: string) => Promise<number | null>;

interface TimeLeftDeps {
  /** Redis's time. */
  readonly sharedNow: () => Promise<Date>;
  /** Slack's time (ms), a clock independent of Redis. Null until Slack has answered: the machine's clock is compared. */
  readonly slackNow: () => number | null;
  readonly machineNow: () => number;
}

/** A single wrong clock must not end a temporary change early, so two clocks have to agree. */
export function createTimeLeft({ sharedNow, slackNow, machineNow }: TimeLeftDeps): TimeLeft {
  return async function timeLeft(moment) {
    const nowMs = (await sharedNow()).getTime();
    const isSkewed = Math.abs((slackNow() ?? machineNow()) - nowMs) > CLOCK_SKEW_MS;
    return isSkewed ? null : Date.parse(moment) - nowMs;
  };
}

/**
 * Reads the card for an unconfirmed temporary change. One that was made after all goes on record, is shown where people
 * read that it was not confirmed, and is like any other from then on, but only its rules that are in effect: nobody has to
 * decide about those that were never seen. One that is not unconfirmed is returned as it is.
 *
 * @returns null: nothing shows it.
 * @throws CardApiError when the rules could not be read.
 */
export type ConfirmIfMade = (temporaryChange: TemporaryChange, lease: Lease) => Promise<TemporaryChange | null>;

interface ConfirmDeps extends Pick<ActionTools, 'postTemporaryChange' | 'cardChanged' | 'factsOf' | 'now'> {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly showMadeLate: ShowMadeLate;
  readonly temporaryChanges: Pick<TemporaryChanges, 'save'>;
}

export function createConfirmIfMade(deps: ConfirmDeps): ConfirmIfMade {
  return async function confirmIfMade(temporaryChange, lease) {
    if (temporaryChange.certainty !== 'unconfirmed') return temporaryChange;
    const { rules } = await deps.card.getSpendRules(temporaryChange.acctId);
    const changes = temporaryChange.changes.filter(({ rule, to }) => ruleValue(rules, rule) === to);
    if (changes.length === 0) return null;
    await lease.confirm();
    const made: TemporaryChange = { ...temporaryChange, changes, certainty: 'certain' };
    await recordLate(made);
    // People read that it was not confirmed. Before it is stored: a rerun after a crash must do it, too.
    await deps.showMadeLate(made);
    await deps.postTemporaryChange(made);
    // Its request is decided then.
    await deps.cardChanged(made.acctId);
    await deps.temporaryChanges.save(made);
    return made;
  };

  /** The verification of its action has ended, and is on record as such. */
  async function recordLate({ id, acctId, changes, term, alertId }: TemporaryChange): Promise<void> {
    const { cardId } = await deps.factsOf(acctId);
    await deps.audit.append({
      ...nobody,
      at: deps.now().toISOString(),
      actionId: id,
      event: 'confirmed',
      verb: ruleVerbOf(changes),
      acctId,
      cardId,
      ...sidesOf(changes),
      alertId,
      detail: MADE_LATE,
      confirmedBy: 'read-back',
      eventId: null,
      duration: termWords(term),
    });
  }
}

interface MadeLateDeps extends Pick<ActionTools, 'notifyDirectly' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly outcomes: Pick<ActionTools['outcomes'], 'show' | 'areShownIn'>;
}

/** Shows it where it was said that it was not confirmed: on its alert, and to whoever made it. Idempotent. */
type ShowMadeLate = (made: TemporaryChange) => Promise<void>;

export function createShowMadeLate({ progress, outcomes, notifyDirectly, now }: MadeLateDeps): ShowMadeLate {
  return async function showMadeLate({ id, changes, alertId, endsAt }) {
    const awaited = reported(await progress.read(id))?.awaited ?? null;
    if (awaited === null) return;
    const { action, verb, outcomeOf, sentAt } = awaited;
    const { expects: _seen, ...sent } = awaited.result;
    const isRunning = Date.parse(endsAt) > now().getTime();
    const back = isRunning ? `Goes back to ${stateWords(changes, 'from')} on ${serviceTime(endsAt)}.` : null;
    const result: Result = {
      ...sent,
      ...sidesOf(changes),
      state: 'done',
      ...withObstacles(sentences(MADE_AFTER_ALL, back), { action, card: sent.card, changes }),
      confirmation: 'confirmed',
      control: isRunning ? { kind: 'revert', id, until: endsAt } : null,
    };
    if (alertId !== null) await outcomes.show(alertId, outcomeOf, toOutcome(action, verb, result, sentAt));
    if (isOnAlert(action) && (await outcomes.areShownIn(action.origin.channel))) return;
    // They had an answer before, and nobody waits for another one by now.
    await notifyDirectly(action.actor.userId, `${id}-made-late`, resultMessage(action, verb, result, sentAt));
  };
}

/** What is unusual about an end. */
export function endNote(before: TemporaryChange, over: OverChange): string {
  const { state, changes, later = [], instead = [] } = over;
  const back = state === 'asking' ? backAlreadyWords(over) : null;
  const given = without(later, [...without(changes, notBackYet(over)), ...(before.later ?? [])]);
  const partly = changes.flatMap((change) =>
    later
      .filter(({ rule, to }) => isSameRule(rule, change.rule) && to !== change.from)
      .map((goal) => {
        const now = stateWords([change], 'from');
        return `For now, the ${ruleName(goal.rule)} goes back to ${now} only: ${laterWords([goal])}`;
      }),
  );
  return sentences(back, ...insteadWords(instead), ...partly, given.length === 0 ? null : laterWords(given));
}
