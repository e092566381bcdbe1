import type { Role } from '../policy/decide-action.ts';
import type { Action } from './action.ts';
import type { Rights } from './action-tools.ts';

/** Whom somebody asks who has the role themselves, but may not do it in this case. */
export const askOthersWords: Readonly<Record<Role, string>> = {
  approver: 'Ask another approver.',
  operator: 'Ask another operator or an approver.',
  holder: 'Ask the card’s holder.',
};

/** Who has a role for the cards of a group, except the person who asks: user ids and user group ids. */
export async function othersAllowed(
  { actor }: Pick<Action, 'actor'>,
  role: Role | null,
  group: string | null | undefined,
  { rights }: { readonly rights: Pick<Rights, 'whoMay'> },
): Promise<string[]> {
  const people = role === null ? [] : await rights.whoMay(role, group);
  return people.filter((id) => id !== actor.userId);
}

/** Sends a person who may not do it themselves to these people. */
export async function askOthers(
  ...[action, role, group, deps]: Parameters<typeof othersAllowed>
): Promise<{ readonly text: string; readonly userIds: readonly string[] }> {
  return { text: role === null ? '' : askOthersWords[role], userIds: await othersAllowed(action, role, group, deps) };
}
