import { askAgain as question } from '../../templates/actions/ask-again.ts';
import type { Action } from './action.ts';
import type { ActionTools } from './action-tools.ts';

/** What would let a card do more waited too long for the worker: whoever asked says again whether it shall be done. */
export type AskAgain = (action: Action, about?: { readonly acctId?: number | null }) => Promise<void>;

interface Deps extends Pick<ActionTools, 'recordRefusal' | 'answer' | 'now'> {
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  /** Behind "to": `change limits`. */
  readonly doingOf: (verb: string) => string;
}

export function createAskAgain({ recordRefusal, answer, putChoice, doingOf, now }: Deps): AskAgain {
  return async function askAgain(action, about = {}) {
    const waitedMs = now().getTime() - Date.parse(action.askedAt);
    await recordRefusal(action, { ...about, why: 'waited longer than 10 minutes, so it was asked about again' });
    const value = await putChoice(action, action.id);
    await answer(action, question({ value, doing: doingOf(action.verb), waitedMs }));
  };
}
