import { notPermitted } from '../../templates/policy/not-permitted.ts';
import type { Action as AnyAction } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { askPermissionOf } from '../approvals/ask-permission.ts';
import { commandCode } from '../core/installation.ts';
import { type Decision, mayAsk, type Role } from '../policy/decide.ts';
import { type Action, entryOf, isAsHolder } from './verbs.ts';

interface Deps
  extends Pick<
    ActionTools,
    'authorize' | 'rolesNow' | 'askAgain' | 'progress' | 'recordRefusal' | 'refuse' | 'answer'
  > {
  /** Whom to ask about a card of a group: user ids and user group ids. */
  readonly whoMay: (role: Role, group?: string | null) => Promise<readonly string[]>;
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: AnyAction, questionId: string | null) => Promise<string>;
  readonly groupOfCard: (acctId: number) => Promise<string | null | undefined>;
}

type Refusing = Extract<Decision, { kind: 'refused' }>;

/**
 * Before the worker does anything that somebody asked for: whether they may, by the roles that they have now. Asked again
 * as soon as it is clear which card is meant: its group may have people of its own, and it may be the person's own card.
 * What it takes because of the amount is decided where that is known.
 *
 * @returns the action with these roles. Null: they may not, or it waited too long; they have been told.
 */
export type PermitAction = <A extends Action>(asked: A, acctId?: number) => Promise<A | null>;

export function createPermitAction(deps: Deps): PermitAction {
  return async function permitAction<A extends Action>(asked: A, acctId?: number) {
    const roles = await deps.rolesNow(asked, acctId);
    const action: A = { ...asked, roles, asHolder: isAsHolder(asked.verb, roles) };
    // It was permitted before it was sent: what became of it has to be found out.
    const written = await deps.progress.read(action.id);
    if (written?.state === 'sending' || reported(written) !== null) return action;
    const decision = await deps.authorize(action, acctId === undefined ? {} : { acctId });
    if (decision.kind === 'late') await deps.askAgain(action, acctId === undefined ? {} : { acctId });
    else if (decision.kind === 'refused') await refuse(decision, asked, action, acctId);
    else return action;
    return null;
  };

  async function refuse({ why, who }: Refusing, asked: Action, action: Action, acctId?: number): Promise<void> {
    const { permission } = entryOf(action.verb);
    const { role, doing } = permission;
    const group = acctId === undefined ? undefined : ((await deps.groupOfCard(acctId)) ?? null);
    const whoMay = async (needed: Role | null) => (needed === null ? [] : await deps.whoMay(needed, group));
    const isByRole = !mayAsk(permission, action.roles);
    if (acctId !== undefined && (asked.asHolder || !isByRole)) {
      const userIds = (await whoMay(who)).filter((id) => id !== action.actor.userId);
      const other = {
        text: who === 'approver' ? 'Ask another approver.' : 'Ask another operator or an approver.',
        userIds,
        askValue: await deps.putChoice(askPermissionOf(action), null),
      };
      const no = isByRole ? notLinked() : { why, whoCan: other };
      return await deps.refuse(action, { what: 'That', ...no }, { acctId });
    }
    await deps.recordRefusal(action, { why, acctId: acctId ?? null });
    const askValue = await deps.putChoice(askPermissionOf(action), null);
    await deps.answer(action, notPermitted({ doing, role, isExternal: false, whoMay: await whoMay(role), askValue }));
  }
}

const notLinked = () => ({
  why: 'This card is not linked to you.',
  whoCan: `If it should be yours, say so with ${commandCode('link')} and the last four digits.`,
});
