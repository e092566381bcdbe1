import type { Target } from '../../src/actions/action.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { formatCents, parseAmount } from '../../src/core/money.ts';
import type { Pending } from '../../src/dispatch/pending-form-store.ts';
import type { Ask } from '../../src/dispatch/request-action.ts';
import { askForm } from '../../templates/approvals/ask-form.ts';
import { type Interaction, placeOf } from '../dispatch/interaction.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { onSubmit } from '../dispatch/submission.ts';

type AskFormFor = Pick<Extract<Pending, { kind: 'ask' }>, 'alertId' | 'words' | 'messageTs'>;

/** Opens the form. The action is requested when the form is submitted. */
export async function openAskForm(
  triggerId: string,
  { origin }: Pick<Interaction, 'origin'>,
  form: AskFormFor & Partial<Pick<Parameters<typeof askForm>[0], 'about' | 'amountCents' | 'term'>>,
  { pending, openView, today }: ListenerDeps,
): Promise<{ kind: 'shown' }> {
  const { alertId, words, messageTs, about = '', amountCents = null, term = { kind: 'purchase' } } = form;
  const privateMetadata = await pending.put({ kind: 'ask', alertId, words, ...placeOf({ ...origin, messageTs }) });
  await openView(triggerId, askForm({ privateMetadata, about, amountCents, term, today: today() }));
  return { kind: 'shown' };
}

/** `/card ask`: requested at once if it gives a reason. Otherwise opens a form with the amount and the duration filled in. */
export async function askForRaiseByCommand(
  asked: Extract<Ask, { verb: 'ask' }>,
  triggerId: string,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  const { target, reason = '', input } = asked;
  const { notify } = interaction;
  if (reason !== '' || typeof input === 'function') return await deps.requestAction({ ...asked, notify });
  const words = target.kind === 'words' ? [...target.words] : [];
  const form = { alertId: null, words, messageTs: null, ...input.ask };
  await deps.requestAction({ ...asked, notify, input: () => openAskForm(triggerId, interaction, form, deps) });
}

/** *Ask for more* on a holder's own decline: opens the form. The button's value is the alert's id. */
export const requestIncrease = opensAsk({ kind: 'purchase' });

/** The same on the warning that a subscription keeps failing. */
export const askForSubscription = opensAsk(null);

function opensAsk(term: Parameters<typeof askForm>[0]['term']): PressListener {
  return onPress(async ({ value: alertId, body, interaction }, deps) => {
    const openForm = async (): Promise<{ kind: 'shown' }> => {
      const alert = await deps.alerts.get(alertId);
      const event = alert?.kind === 'transaction' ? alert.event : null;
      const merchant = event?.merchant.name.trim() ?? '';
      const at = merchant === '' ? '' : ` at ${merchant}`;
      const form = {
        alertId: event === null ? null : alertId,
        words: [],
        messageTs: interaction.origin.messageTs,
        about: event === null ? '' : `Declined: ${formatCents(event.amountCents)}${at}`,
        // A card check of $0.00 does not say what the person wants to pay.
        amountCents: event?.amountCents || null,
        term,
      };
      return await openAskForm(body.trigger_id, interaction, form, deps);
    };
    await deps.requestAction({ ...interaction, verb: 'ask', target: { kind: 'alert', alertId }, input: openForm });
  });
}

/** *Ask for more*, submitted by a holder. */
export const askForRaise = onSubmit('ask', async ({ form, inputs }, { today }) => {
  const amountCents = parseAmount(inputs.text('amount'));
  const term = inputs.term(today());
  const reason = inputs.text('reason');
  const unclear = amountCents === 0 ? 'Enter an amount above $0.' : 'Write dollars such as 84.10 or 1,250.';
  if (amountCents === null || amountCents === 0 || 'error' in term || reason === '') {
    const errors = {
      ...(amountCents === null || amountCents === 0 ? { amount: unclear } : {}),
      ...('error' in term ? { day: term.error } : {}),
      ...(reason === '' ? { reason: 'Say what it is for: the approvers read it.' } : {}),
    };
    return { errors };
  }
  const named: Target = form.words.length === 0 ? { kind: 'own' } : { kind: 'words', words: form.words };
  const target: Target = form.alertId === null ? named : { kind: 'alert', alertId: form.alertId };
  return { verb: 'ask', target, reason, input: { ask: { amountCents, term } } };
});
