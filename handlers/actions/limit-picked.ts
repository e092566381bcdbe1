import { cardPicker, pickedSaid } from '../../templates/card-picker.ts';
import { limitCardForm } from '../../templates/limit-card-form.ts';
import type { ListenerDeps } from '../deps.ts';
import { formTooOld, inForm, refuseChoice } from '../refused.ts';
import { pickedBy } from './act-on-picked.ts';
import type { ButtonArgs } from './button-args.ts';

/** *Change limit…* in the picker: a form over it. */
export function limitPicked(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const { view, user } = body;
    if (view === undefined) return;
    const pendingId = action.value ?? '';
    const asked = await pickedBy(user.id, pendingId, deps);
    if (asked !== null) return await deps.pushView(body.trigger_id, limitCardForm(pendingId));
    await refuseChoice(inForm(body, deps), { kind: 'action', actionId: pendingId }, formTooOld, deps);
    const said = pickedSaid.expired;
    const form = cardPicker({ privateMetadata: view.private_metadata, picked: null, said });
    await deps.updateView({ viewId: view.id, hash: view.hash }, form);
  };
}
