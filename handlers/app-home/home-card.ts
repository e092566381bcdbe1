import { openAskForm } from '../approvals/ask-for-raise.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/**
 * *Block card*, *Activate card* and *Ask for more…* in App Home: the value is a sealed card. The answer is a direct
 * message.
 */
export function actOnHomeCard(verb: 'block' | 'activate' | 'ask'): PressListener {
  return onPress(async ({ value, body, interaction }, deps) => {
    const card = deps.seals.card.open(value);
    if (card === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
    const target = { kind: 'card', ...card, alertId: null } as const;
    if (verb !== 'ask') return await deps.requestAction({ ...interaction, verb, target, input: {} });
    const about = { alertId: null, words: [String(card.acctId)], messageTs: null };
    const input = openAskForm(body.trigger_id, interaction, about, deps);
    await deps.requestAction({ ...interaction, verb, target, input });
  });
}
