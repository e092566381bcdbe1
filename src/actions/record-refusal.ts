import { askAgain as question } from '../../templates/actions/ask-again.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Message } from '../slack/message.ts';
import type { Action, Target } from './action.ts';
import type { ActionTools } from './action-tools.ts';
import type { RecordAction } from './record.ts';
import type { RefusalCounts } from './record-limits.ts';

/** What a refusal was about, and why, where more is known than the action says. */
export interface Refused {
  readonly acctId?: number | null;
  readonly cardId?: number | null;
  /** For the record, where the person reads it in other words. */
  readonly why?: string;
}

/**
 * The ways in which somebody is refused something, each on record first, with the reason and the rules in force. Safe to
 * repeat.
 *
 * Nothing else in the worker refuses, so that no refusal is missing; a test holds that.
 */
export type Refusals = ReturnType<typeof createRefusals>;

interface Deps {
  readonly record: RecordAction;
  readonly refusalCounts: RefusalCounts;
  /** True when it is on record that this was asked for. */
  readonly hasBegun: (action: Action) => Promise<boolean>;
  /** Enqueues the job that records refusals together. */
  readonly scheduleRefusals: (action: Action, first: string, delayMs: number) => Promise<void>;
  /** Behind "was not allowed to": `change a limit of`. */
  readonly refusedTo: (action: Action) => Promise<string>;
  /** Behind "to": `change limits`. */
  readonly doingOf: (verb: string) => string;
  readonly accountOf: (target: Target) => Promise<number | null>;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  readonly answer: (action: Action, message: Message) => Promise<void>;
}

export function createRefusals(deps: Deps) {
  const { record, refusalCounts, hasBegun, refusedTo, accountOf, factsOf, answer } = deps;
  return {
    /** The person has been told where they asked. */
    recordRefusal,
    /** Records together what one person was refused within a minute, after the first of them. */
    async recordRefusals(action: Action, first: string): Promise<void> {
      const verbs = await refusalCounts.counted(first);
      const count = [...verbs.values()].reduce((sum, each) => sum + each, 0);
      if (count === 0) return;
      const list = [...verbs].map(([verb, times]) => `${deps.doingOf(verb)} (${times})`).join(', ');
      const detail = `${count} more ${count === 1 ? 'refusal' : 'refusals'} within a minute: ${list}`;
      const line = {
        did: `was refused ${countOf(count, 'more time')} within a minute`,
        outcome: `${list}; nothing changed`,
      };
      await record(action, { event: 'refused', detail, line, lineKey: `refusals-${first}` });
      await refusalCounts.forget(first);
    },
    /** Answers with the reason and who can. */
    async refuse(action: Action, words: Refusal, about: Refused = {}): Promise<void> {
      await recordRefusal(action, { why: words.why, ...about });
      await answer(action, refusal(words));
    },
    /** Answers with what could not be understood, and how it is written. */
    async refuseUnclear(action: Action, words: Parameters<typeof unclear>[0], about: Refused = {}): Promise<void> {
      await recordRefusal(action, { why: words.why, ...about });
      await answer(action, unclear(words));
    },
  };

  async function recordRefusal(action: Action, about: Refused = {}): Promise<void> {
    // What is on record as asked needs an end of its own there.
    const counted = (await hasBegun(action)) ? null : await refusalCounts.note(action);
    if (counted !== null) return await deps.scheduleRefusals(action, counted.first, counted.leftMs);
    const why = about.why ?? 'not permitted';
    const acctId = about.acctId ?? (await accountOf(action.target));
    const cardId = about.cardId ?? (action.target.kind === 'card' ? action.target.cardId : null);
    const doing = await refusedTo(action);
    const card = acctId === null ? null : await factsOf(acctId);
    const line = {
      did: `was not allowed to ${card === null ? doing.replace(/ (?:of|for|about|with)$/, '') : doing}`,
      card,
      outcome: `${why.replace(/\.$/, '')}, nothing changed`,
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

/** Finds whose card something is about; null where no card is named, or where that is no longer known. */
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

/** What would let a card do more waited too long for the worker: whoever asked says again whether it shall be done. */
export type AskAgain = (action: Action, about?: { readonly acctId?: number | null }) => Promise<void>;

interface AskAgainDeps extends Pick<ActionTools, 'recordRefusal' | 'answer' | 'now'> {
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  /** Behind "to": `change limits`. */
  readonly doingOf: (verb: string) => string;
}

export function createAskAgain({ recordRefusal, answer, putChoice, doingOf, now }: AskAgainDeps): AskAgain {
  return async function askAgain(action, about = {}) {
    const waitedMs = now().getTime() - Date.parse(action.askedAt);
    await recordRefusal(action, { ...about, why: 'waited longer than 10 minutes, so it was asked about again' });
    const value = await putChoice(action, action.id);
    await answer(action, question({ value, doing: doingOf(action.verb), waitedMs }));
  };
}
