import { notPermitted } from '../../templates/policy/not-permitted.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Role } from '../policy/decide.ts';
import { type Action, entryOf, isAsHolder } from './verbs.ts';

interface Deps
  extends Pick<ActionTools, 'authorize' | 'rolesNow' | 'askAgain' | 'progress' | 'recordRefusal' | 'answer'> {
  /** Whom to ask: user ids and user group ids. */
  readonly whoMay: (role: Role) => Promise<readonly string[]>;
}

/**
 * Before the worker does anything that somebody asked for: whether they may, by the roles that they have now. What it
 * takes besides, because of the card or the amount, is decided again where that is known.
 *
 * @returns the action with these roles. Null: they may not, or it waited too long; they have been told.
 */
export type PermitAction = (asked: Action) => Promise<Action | null>;

export function createPermitAction(deps: Deps): PermitAction {
  return async function permitAction(asked) {
    const roles = await deps.rolesNow(asked);
    const action: Action = { ...asked, roles, asHolder: isAsHolder(asked.verb, roles) };
    // It was permitted before it was sent: what became of it has to be found out.
    const written = await deps.progress.read(action.id);
    if (written?.state === 'sending' || reported(written) !== null) return action;
    const decision = await deps.authorize(action);
    if (decision.kind === 'late') await deps.askAgain(action);
    else if (decision.kind === 'refused') await refuse(action, decision.why);
    else return action;
    return null;
  };

  async function refuse(action: Action, why: string): Promise<void> {
    const { role, doing } = entryOf(action.verb).permission;
    const whoMay = role === null ? [] : await deps.whoMay(role);
    await deps.recordRefusal(action, { why });
    await deps.answer(action, notPermitted({ doing, role, isExternal: false, whoMay }));
  }
}
