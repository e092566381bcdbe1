import { askForm } from '../../templates/approvals/ask-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { ofChoice } from '../dispatch/picker.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/** *Block card*, *Activate card* and *Ask for more…* in App Home: the value is a sealed card. The answer comes directly. */
export function actOnHomeCard(verb: 'block' | 'activate' | 'ask') {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const { notify, origin } = interaction;
      const card = ofChoice(action.value ?? '', deps);
      if (card === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
      const target = { kind: 'card', ...card, alertId: null } as const;
      if (verb === 'block') return await deps.requestAction({ ...interaction, verb, target, input: {} }, notify);
      if (verb === 'activate') {
        return await deps.requestAction({ ...interaction, verb, target, input: { confirmed: false } }, notify);
      }
      const openForm = async (): Promise<{ kind: 'shown' }> => {
        const words = [String(card.acctId)];
        const form = { kind: 'ask', alertId: null, words, channel: origin.channel, messageTs: null } as const;
        const privateMetadata = await deps.pending.put(form);
        await deps.openView(body.trigger_id, askForm({ privateMetadata, about: '', amountCents: null }));
        return { kind: 'shown' };
      };
      await deps.requestAction({ ...interaction, verb, target, input: openForm }, notify);
    };
}
