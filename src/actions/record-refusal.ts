import { askAgain as question } from '../../templates/actions/ask-again.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import { lowerFirst } from '../core/first-letter.ts';
import type { Message } from '../slack/message.ts';
import type { Action, Target } from './action.ts';
import type { ActionTools, FactsOf } from './action-tools.ts';
import type { RecordAction } from './record.ts';
import type { RefusalCounts } from './record-limits.ts';

/** What a refusal was about and why, if more is known than the action says. */
interface Refused {
  readonly acctId?: number | null;
  readonly cardId?: number | null;
  /** For the record, if it differs from what the person reads. */
  readonly why?: string;
  /** It is not a matter of rights: what was typed names no card or cannot be read, or it is decided or over already. */
  readonly isMistake?: true;
}

/**
 * All ways to refuse a person something. Each refusal is recorded first, with the reason and the rules in force.
 * Idempotent.
 *
 * Nothing else in the worker refuses, so no refusal goes unrecorded. A test enforces this.
 */
export type Refusals = ReturnType<typeof createRefusals>;

interface Deps {
  readonly record: RecordAction;
  readonly refusalCounts: RefusalCounts;
  readonly hasBegun: (action: Action) => Promise<boolean>;
  /** Enqueues the job that records several refusals together. */
  readonly scheduleRefusals: (action: Action, first: string, delayMs: number) => Promise<void>;
  /** Completes "was not allowed to …": `change a limit of`. */
  readonly refusedTo: (action: Action) => Promise<string>;
  readonly doingOf: (verb: string) => string;
  readonly accountOf: (target: Target) => Promise<number | null>;
  readonly factsOf: FactsOf;
  readonly answer: (action: Action, message: Message) => Promise<void>;
}

export function createRefusals(deps: Deps) {
  const { record, refusalCounts, hasBegun, refusedTo, accountOf, factsOf, answer } = deps;
  return {
    /** Records a refusal that the person has already seen. */
    recordRefusal,
    /** Records together the refusals of one person within a minute, after the first. */
    async recordRefusals(action: Action, first: string): Promise<void> {
      const verbs = await refusalCounts.counted(first);
      const count = [...verbs.values()].reduce((sum, each) => sum + each, 0);
      if (count === 0) return;
      const list = [...verbs].map(([verb, times]) => `${deps.doingOf(verb)} (${times})`).join(', ');
      const detail = `${countOf(count, 'more refusal')} within a minute: ${list}`;
      const line = {
        did: `was refused ${countOf(count, 'more time')} within a minute`,
        outcome: `${list}; nothing changed`,
      };
      await record(action, { event: 'refused', detail, line, lineKey: `refusals-${first}` });
      await refusalCounts.forget(first);
    },
    /** Answers with the reason and who can. An earlier attempt of an unsure one may have been carried out. */
    async refuse(action: Action, words: Refusal, about: Refused = {}): Promise<void> {
      if (words.isUnsure === true) await recordUnsure(action, words.why);
      else await recordRefusal(action, { why: words.why, ...about }, words.changed === undefined);
      await answer(action, refusal(words));
    },
    /** Answers with what could not be parsed and the correct syntax. */
    async refuseUnclear(action: Action, words: Parameters<typeof unclear>[0], about: Refused = {}): Promise<void> {
      await recordRefusal(action, { why: words.why, ...about, isMistake: true });
      await answer(action, unclear(words));
    },
  };

  async function recordUnsure(action: Action, why: string): Promise<void> {
    const acctId = await accountOf(action.target);
    const line = { did: `asked to ${deps.doingOf(action.verb)}`, outcome: 'outcome not known' };
    await record(action, { event: 'unknown', acctId, detail: why, line });
  }

  /** @param isCertain false: something may have changed nevertheless. */
  async function recordRefusal(action: Action, about: Refused = {}, isCertain = true): Promise<void> {
    // A request on record needs its own final entry.
    const counted = (await hasBegun(action)) ? null : await refusalCounts.note(action);
    if (counted !== null) return await deps.scheduleRefusals(action, counted.first, counted.leftMs);
    const why = about.why ?? 'not permitted';
    const acctId = about.acctId ?? (await accountOf(action.target));
    const cardId = about.cardId ?? (action.target.kind === 'card' ? action.target.cardId : null);
    const doing = await refusedTo(action);
    const card = acctId === null ? null : await factsOf(acctId);
    const [did, outcome] =
      about.isMistake === true ? ['tried to', `not done, ${lowerFirst(why)}`] : ['was not allowed to', why];
    const line = {
      did: `${did} ${card === null ? doing.replace(/ (?:of|for|about|with)$/, '') : doing}`,
      card,
      outcome: `${outcome.replace(/\.$/, '')}${isCertain ? ', nothing changed' : ''}`,
    };
    await record(action, { event: 'refused', acctId, cardId, detail: why, line });
  }
}

interface AccountOfDeps {
  readonly alerts: { get(id: string): Promise<{ event: { acctId: number | null } } | null> };
  readonly requests: { get(id: string): Promise<{ acctId: number } | null> };
  readonly temporaryChanges: { get(id: string): Promise<{ acctId: number } | null> };
  readonly blocks: { get(actionId: string): Promise<{ acctId: number } | null> };
}

/** Null if the target names no card or the card is no longer known. */
export function createAccountOf({ alerts, requests, temporaryChanges, blocks }: AccountOfDeps): Deps['accountOf'] {
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

interface AskAgainDeps extends Pick<ActionTools, 'recordRefusal' | 'answer' | 'putChoice' | 'doingOf' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
}

export function createAskAgain(deps: AskAgainDeps): AskAgain {
  const { recordRefusal, answer, putChoice, doingOf, progress, now } = deps;
  return async function askAgain(action, about = {}) {
    const waitedMs = now().getTime() - Date.parse(action.askedAt);
    await recordRefusal(action, { ...about, why: 'waited longer than 10 minutes, so it was asked about again' });
    const written = await progress.read(action.id);
    if (written?.state === 'asked') await progress.write(action.id, { ...written, isAskedAgain: true });
    const value = await putChoice(action, action.id);
    await answer(action, question({ value, doing: doingOf(action.verb), waitedMs }));
  };
}
