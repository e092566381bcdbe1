import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import { askOf } from '../../src/dispatch/request-action.ts';
import { onPress, type Press } from './press.ts';
import { refuseChoice } from './refused.ts';

/**
 * *This one*, after "Which card?", and *Activate*, after "this ends other cards for good".
 *
 * The button stands for the original action with its card settled. Only the person who asked can press it. Their
 * current permissions apply, and pressing twice requests it once.
 */
export const chooseCard = onPress(chooseKept);

async function chooseKept({ value: pendingId, interaction }: Press, deps: ListenerDeps): Promise<void> {
  const pending = await deps.pending.get(pendingId);
  if (pending?.kind !== 'choice') {
    const why = 'This button is more than 30 minutes old.';
    const no = { why, whoCan: 'Start again where you began.' };
    return await refuseChoice(interaction, { kind: 'action', actionId: pendingId }, no, deps);
  }
  const { choice, questionId } = pending;
  if (choice.actor.userId !== interaction.actor.userId) {
    const why = 'Somebody else asked this.';
    const no = { why, whoCan: 'Only the person who asked can choose.' };
    return await refuseChoice(interaction, choice.target, no, deps);
  }
  const { actor, isExternal, notify } = interaction;
  const id = contentId('act_', ['choice', questionId ?? pendingId]);
  const origin = { ...interaction.origin, replace: true };
  const ask = askOf({ ...choice, id, actor, isExternal, origin });
  await deps.requestAction({ ...ask, notify });
}

/**
 * *Activate card*. On an alert the value is the alert's id; on the question "this ends other cards" it is a pending
 * choice.
 */
export const activateCard = onPress(async (press, deps) => {
  const { value, interaction } = press;
  if (value.startsWith('p_')) return await chooseKept(press, deps);
  const target = { kind: 'alert', alertId: value } as const;
  await deps.requestAction({ ...interaction, verb: 'activate', target, input: {} });
});
