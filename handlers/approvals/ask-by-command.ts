import type { Ask } from '../../src/dispatch/request-action.ts';
import { askForm } from '../../templates/approvals/ask-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from '../dispatch/interaction.ts';

/** `/card ask`: asked at once when it says what for, else with a form that has the amount filled in. */
export async function askForRaiseByCommand(
  asked: Extract<Ask, { verb: 'ask' }>,
  triggerId: string,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  const { target, reason = '', input } = asked;
  if (reason !== '' || typeof input === 'function') return await deps.requestAction(asked, interaction.notify);
  const openForm = async (): Promise<{ kind: 'shown' }> => {
    const words = target.kind === 'words' ? [...target.words] : [];
    const form = { alertId: null, words, channel: interaction.origin.channel, messageTs: null };
    const privateMetadata = await deps.pending.put({ kind: 'ask', ...form });
    const { amountCents } = input.ask;
    await deps.openView(triggerId, askForm({ privateMetadata, about: '', amountCents }));
    // What the form submits is the action.
    return { kind: 'shown' };
  };
  await deps.requestAction({ ...asked, input: openForm }, interaction.notify);
}
