import type { Action } from '../../src/actions/action.ts';
import { contentId } from '../../src/core/content-id.ts';
import { askOf, inputOf } from '../../src/dispatch/request-action.ts';
import { cardPicker, pickedSaid } from '../../templates/directory/card-picker.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from './button-args.ts';
import { notifyAt } from './interaction.ts';
import { formTooOld, inForm, refuseChoice } from './refused.ts';

/** A button of the picker: done by the worker, answered where `/card` was typed. Pressing twice is asking once. */
export function actOnPicked(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const { view, user } = body;
    if (view === undefined) return;
    const pendingId = action.value ?? '';
    const asked = await pickedBy(user.id, pendingId, deps);
    const privateMetadata = view.private_metadata;
    const said = asked === null ? pickedSaid.expired : pickedSaid.asked(asked.verb, asked.origin.channel);
    if (asked === null) {
      await refuseChoice(inForm(body, deps), { kind: 'action', actionId: pendingId }, formTooOld, deps);
    } else {
      const { verb, target, origin, actor } = asked;
      const id = contentId('act_', ['picked', pendingId]);
      const isExternal = false;
      const ask = askOf({ id, verb, target, actor, isExternal, origin, input: inputOf(asked) });
      await deps.requestAction(ask, notifyAt(origin, user.id, deps));
    }
    await deps.updateView({ viewId: view.id, hash: view.hash }, cardPicker({ privateMetadata, picked: null, said }));
  };
}

/** What a control of the picker stands for; null when it is too old, or somebody else's. */
export async function pickedBy(userId: string, pendingId: string, { pending }: ListenerDeps): Promise<Action | null> {
  const found = await pending.get(pendingId);
  return found?.kind === 'choice' && found.action.actor.userId === userId ? found.action : null;
}
