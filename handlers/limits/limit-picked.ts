import type { CardFacts } from '../../src/core/card-facts.ts';
import { toCardFacts } from '../../src/directory/account.ts';
import { cardPicker, pickedSaid } from '../../templates/directory/card-picker.ts';
import { limitCardForm } from '../../templates/limits/limit-card-form.ts';
import type { ListenerDeps } from '../deps.ts';
import { pickedBy } from '../dispatch/act-on-picked.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { formTooOld, inForm, refuseChoice } from '../dispatch/refused.ts';

/** *Change limit…* in the picker: a form over it. */
export function limitPicked(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const { view, user } = body;
    if (view === undefined) return;
    const pendingId = action.value ?? '';
    const asked = await pickedBy(user.id, pendingId, deps);
    if (asked !== null) {
      const { target } = asked;
      const card = target.kind === 'card' ? await factsOf(target, deps) : null;
      await deps.pushView(body.trigger_id, limitCardForm(pendingId, card));
      return;
    }
    await refuseChoice(inForm(body, deps), { kind: 'action', actionId: pendingId }, formTooOld(), deps);
    const said = pickedSaid.expired();
    const form = cardPicker({ privateMetadata: view.private_metadata, picked: null, said });
    await deps.updateView({ viewId: view.id, hash: view.hash }, form);
  };
}

async function factsOf(
  { acctId, cardId }: { readonly acctId: number; readonly cardId: number | null },
  { directory }: ListenerDeps,
): Promise<CardFacts> {
  return toCardFacts(acctId, await directory.account(acctId), cardId === null ? {} : { cardId });
}
