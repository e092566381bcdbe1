import { askAgain as question } from '../../templates/actions/ask-again.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import { lowerFirst } from '../core/first-letter.ts';
import { groupBy } from '../core/group-by.ts';
import type { Message } from '../slack/message.ts';
import type { Action } from './action.ts';
import type { PendingRefusal, RefusedState } from './action-state.ts';
import type { ActionTools, Responses } from './action-tools.ts';
import type { Progress } from './progress-store.ts';
import type { RefusalCounts } from './record-limits.ts';

/** What a refusal was about and why, if more is known than the action says. */
interface Refused {
  readonly acctId?: number | null;
  readonly cardId?: number | null;
  /** For the record, if it differs from what the person reads. */
  readonly why?: string;
  /** The person has no right to do it. Any other refusal is a mistake: unreadable, over already, without effect. */
  readonly isNotPermitted?: boolean | undefined;
}

const NOT_PERMITTED = 'not permitted';

/** How refusals come on record. */
type RefusalRecords = ReturnType<typeof createRefusalRecords>;

interface RecordsDeps extends Pick<ActionTools, 'record' | 'accountOf' | 'factsOf'> {
  readonly refusalCounts: RefusalCounts;
  /** Enqueues the job that records several refusals together. */
  readonly scheduleRefusals: (action: Action, first: string, delayMs: number) => Promise<void>;
  /** Completes "was not allowed to …": `change a limit of`. */
  readonly refusedTo: (action: Action) => Promise<string>;
  readonly doingOf: (verb: string) => string;
}

export function createRefusalRecords(deps: RecordsDeps) {
  const { record, refusalCounts, accountOf, doingOf } = deps;
  /** `block cards (2), see cards (1)`. */
  const listed = (verbs: readonly string[]): string =>
    [...groupBy(verbs, (verb) => verb)].map(([verb, all]) => `${doingOf(verb)} (${all.length})`).join(', ');
  return {
    /** Records a refusal, unless it is counted with others of the same person. */
    async recordOrCount(action: Action, refused: Omit<PendingRefusal, 'answer'>): Promise<void> {
      const { why, isNotPermitted, isCertain, hasBegun } = refused;
      // A request on record needs its own final entry.
      const counted = hasBegun ? null : await refusalCounts.note(action, isNotPermitted);
      if (counted !== null) return await deps.scheduleRefusals(action, counted.first, counted.leftMs);
      const acctId = refused.acctId ?? (await accountOf(action.target));
      const cardId = refused.cardId ?? (action.target.kind === 'card' ? action.target.cardId : null);
      const doing = await deps.refusedTo(action);
      const card = acctId === null ? null : await deps.factsOf(acctId);
      const [did, outcome] = isNotPermitted
        ? ['was not allowed to', why]
        : ['tried to', `not done, ${lowerFirst(why)}`];
      const line = {
        did: `${did} ${card === null ? doing.replace(/ (?:of|for|about|with)$/, '') : doing}`,
        card,
        outcome: `${outcome.replace(/\.$/, '')}${isCertain ? ', nothing changed' : ''}`,
      };
      await record(action, { event: 'refused', acctId, cardId, detail: why, line });
    },
    /** Records together the refusals of one person within a minute, after the first. */
    async recordRefusals(action: Action, first: string): Promise<void> {
      // Again, because some may be counted while others are put on record.
      for (let taken = await refusalCounts.take(first); taken !== null; taken = await refusalCounts.take(first)) {
        const { id, refused, mistakes } = taken;
        const what = [listed(refused), listed(mistakes)].filter((list) => list !== '').join('; not done: ');
        const detail = `${countOf(refused.length + mistakes.length, 'more refusal')} within a minute: ${what}`;
        const did = [
          refused.length === 0 ? '' : `was refused ${countOf(refused.length, 'more time')}`,
          mistakes.length === 0 ? '' : `tried ${countOf(mistakes.length, 'more thing')} that could not be done`,
        ].filter((part) => part !== '');
        const line = { did: `${did.join(' and ')} within a minute`, outcome: `${what}; nothing changed` };
        // Under the id of one of them: two records of the same person may have the same words.
        await record({ ...action, id }, { event: 'refused', detail, line, lineKey: `refusals-${first}` });
        await refusalCounts.forget(first);
      }
    },
    /** It is not known whether an earlier attempt was carried out. */
    async recordUnsure(action: Action, why: string): Promise<void> {
      const acctId = await accountOf(action.target);
      const line = { did: `asked to ${doingOf(action.verb)}`, outcome: 'outcome not known' };
      await record(action, { event: 'unknown', acctId, detail: why, line });
    },
  };
}

/**
 * All ways to refuse a person something. Each refusal is recorded first, with the reason and the rules in force.
 * Idempotent.
 *
 * Nothing else in the worker refuses, so no refusal goes unrecorded. A test enforces this.
 */
export type Refusals = ReturnType<typeof createRefusals>;

interface Deps {
  readonly progress: Pick<Progress, 'read' | 'begin' | 'write'>;
  readonly refusalRecords: Pick<RefusalRecords, 'recordOrCount' | 'recordUnsure'>;
  readonly answer: Responses['answer'];
}

export function createRefusals(deps: Deps) {
  const { progress, refusalRecords, answer } = deps;
  const { refuseWith, isRefused } = createRefuseWith(deps);
  return {
    /** Records a refusal that the person has already seen. */
    async recordRefusal(
      action: Action,
      { why = NOT_PERMITTED, acctId }: Pick<Refused, 'why' | 'acctId'> = {},
    ): Promise<void> {
      const hasBegun = (await progress.read(action.id)) !== null;
      // The web process says no more than this of who may not do it.
      const about = { acctId: acctId ?? null, cardId: null, isNotPermitted: why.startsWith(NOT_PERMITTED) };
      await refusalRecords.recordOrCount(action, { why, ...about, isCertain: true, hasBegun });
    },
    /** Answers with the reason and who can. An earlier attempt of an unsure one may have been carried out. */
    async refuse(action: Action, words: Refusal, about: Refused = {}): Promise<void> {
      const isCertain = words.changed === undefined;
      if (words.isUnsure !== true)
        return await refuseWith(action, refusal(words), { why: words.why, ...about }, isCertain);
      await refusalRecords.recordUnsure(action, words.why);
      await answer(action, refusal(words));
    },
    /** Answers with what could not be parsed and the correct syntax. */
    refuseUnclear: (action: Action, words: Parameters<typeof unclear>[0], about: Refused = {}): Promise<void> =>
      refuseWith(action, unclear(words), { why: words.why, ...about }),
    refuseWith,
    isRefused,
  };
}

/**
 * Refuses for good: if the job of an action runs again, the person must not read something else, and the action must not
 * be performed after all.
 */
function createRefuseWith({ progress, refusalRecords, answer }: Deps) {
  return {
    /**
     * Stores the refusal first, also for a worker that was paused and still has the job.
     *
     * @param isCertain false: something may have changed nevertheless.
     */
    async refuseWith(action: Action, message: Message, about: Refused = {}, isCertain = true): Promise<void> {
      const pending: PendingRefusal = {
        acctId: about.acctId ?? null,
        cardId: about.cardId ?? null,
        why: about.why ?? NOT_PERMITTED,
        isNotPermitted: about.isNotPermitted === true,
        isCertain,
        hasBegun: (await progress.read(action.id)) !== null,
        answer: { text: message.text, blocks: message.blocks },
      };
      const own: RefusedState = { state: 'refused', pending };
      const stands = (await progress.begin(action.id, own)) ?? own;
      // Any other state: an earlier attempt may have sent it.
      await (stands.state === 'refused' ? complete(action, stands) : report(action, pending));
    },
    /** True for an action that was refused. Completes the report if parts are missing. It is not performed any more. */
    async isRefused(action: Action): Promise<boolean> {
      const state = await progress.read(action.id);
      if (state?.state !== 'refused') return false;
      await complete(action, state);
      return true;
    },
  };

  async function complete(action: Action, { pending }: RefusedState): Promise<void> {
    if (pending === null) return;
    await report(action, pending);
    await progress.write(action.id, { state: 'refused', pending: null });
  }

  async function report(action: Action, pending: PendingRefusal): Promise<void> {
    await refusalRecords.recordOrCount(action, pending);
    await answer(action, pending.answer);
  }
}

interface AccountOfDeps {
  readonly alerts: { get(id: string): Promise<{ event: { acctId: number | null } } | null> };
  readonly requests: { get(id: string): Promise<{ acctId: number } | null> };
  readonly temporaryChanges: { get(id: string): Promise<{ acctId: number } | null> };
  readonly blocks: { get(actionId: string): Promise<{ acctId: number } | null> };
}

/** Null if the target names no card or the card is no longer known. */
export function createAccountOf({
  alerts,
  requests,
  temporaryChanges,
  blocks,
}: AccountOfDeps): ActionTools['accountOf'] {
  return async function accountOf(target) {
    switch (target.kind) {
      case 'card':
        return target.acctId;
      case 'alert':
        return (await alerts.get(target.alertId))?.event.acctId ?? null;
      case 'request':
        return (await requests.get(target.requestId))?.acctId ?? null;
      case 'temporary-change':
        return (await temporaryChanges.get(target.temporaryChangeId))?.acctId ?? null;
      case 'action':
        return (await blocks.get(target.actionId))?.acctId ?? null;
      default:
        return null;
    }
  };
}

/**
 * An action that would loosen a card waited too long for a worker. Asks the person whether to still do it. The action
 * ends with that, also if its job runs again.
 */
export type AskAgain = (action: Action, about?: { readonly acctId?: number | null }) => Promise<void>;

interface AskAgainDeps extends Pick<ActionTools, 'recordRefusal' | 'putChoice' | 'askedFor' | 'now'> {
  readonly answer: Responses['answer'];
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
}

export function createAskAgain(deps: AskAgainDeps): AskAgain {
  const { recordRefusal, answer, putChoice, askedFor, progress, now } = deps;
  return async function askAgain(action, about = {}) {
    const waitedMs = now().getTime() - Date.parse(action.askedAt);
    await recordRefusal(action, { ...about, why: 'waited longer than 10 minutes, so it was asked about again' });
    const written = await progress.read(action.id);
    if (written?.state === 'asked') await progress.write(action.id, { ...written, isAskedAgain: true });
    const value = await putChoice(action, action.id);
    await answer(action, question({ value, asked: await askedFor(action, about.acctId ?? null), waitedMs }));
  };
}
