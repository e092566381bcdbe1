import type { Target } from '../../src/actions/action.ts';
import type { RaiseCommand } from '../../src/dispatch/ask-command.ts';
import { askForm } from '../../templates/approvals/ask-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from '../dispatch/interaction.ts';

/** `/card ask`: asked at once when it says what for, else with a form that has the amount filled in. */
export async function askForRaiseByCommand(
  { words, amountCents, term, reason }: Extract<RaiseCommand, { verb: 'ask' }>,
  triggerId: string,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  const target: Target = words.length === 0 ? { kind: 'own' } : { kind: 'words', words: [...words] };
  const asked = { ...interaction, verb: 'ask', target, reason, ask: { amountCents, term } } as const;
  await deps.requestAction(asked, interaction.notify, async () => {
    if (reason !== '') return {};
    const { channel } = interaction.origin;
    const form = { alertId: null, words: [...words], channel, messageTs: null };
    const privateMetadata = await deps.pending.put({ kind: 'ask', ...form });
    await deps.openView(triggerId, askForm({ privateMetadata, about: '', amountCents }));
    // What the form submits is the action.
    return null;
  });
}
