import type { Action, Origin } from '../../src/actions/action.ts';
import { helpFor, isAsHolder, isPermitted } from '../../src/dispatch/verbs.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import { cardPicker, type PickedVerb, pickedVerbs } from '../../templates/directory/card-picker.ts';
import { help } from '../../templates/dispatch/help.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from './interaction.ts';
import { look } from './look.ts';

/** `/card` alone. People who may not view cards get the list of commands instead, without even cardholder names. */
export async function openPicker(triggerId: string, interaction: Interaction, deps: ListenerDeps): Promise<void> {
  const { roles } = await deps.permissions.rolesOf(interaction.actor.userId);
  if (!isPermitted('show', roles)) {
    await interaction.notify(help(helpFor(roles)));
    return;
  }
  const show = async (): Promise<undefined> => {
    const privateMetadata = await deps.pending.put({ kind: 'place', origin: interaction.origin });
    await deps.openView(triggerId, cardPicker({ privateMetadata, picked: null, notice: null }));
  };
  await look(interaction, { target: { kind: 'own' }, seen: 'picker' }, show, deps);
}

const fits: Readonly<Record<PickedVerb, readonly (string | null)[]>> = {
  show: ['ACTIVE', 'INACTIVE', 'BLOCKED', 'CLOSED', null],
  activate: ['INACTIVE', null],
  block: ['ACTIVE', 'INACTIVE', null],
  unblock: ['BLOCKED', null],
  limit: ['ACTIVE', 'INACTIVE', 'BLOCKED', null],
};

/** What this person can do with a card in this status. Each control has its own opaque id. */
export async function controlsOf(
  asker: { readonly actor: Action['actor']; readonly roles: readonly Role[]; readonly origin: Origin },
  card: { readonly acctId: number; readonly cardId: number | null },
  status: string | null,
  deps: ListenerDeps,
): Promise<{ verb: PickedVerb; value: string }[]> {
  const { actor, roles, origin } = asker;
  const verbs = pickedVerbs.filter((verb) => fits[verb].includes(status) && isPermitted(verb, roles));
  return await Promise.all(
    verbs.map(async (verb) => {
      const target = { kind: 'card', acctId: card.acctId, cardId: card.cardId, alertId: null } as const;
      const by = { actor, roles: [...roles], asHolder: isAsHolder(verb, roles), origin };
      const action: Action = { id: 'act_picked', verb, target, reason: '', ...by, askedAt: new Date().toISOString() };
      const value = await deps.pending.put({
        kind: 'choice',
        action,
        questionId: null,
      });
      return { verb, value };
    }),
  );
}
