import { formatCents } from '../../src/core/money.ts';
import { askForm } from '../../templates/approvals/ask-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Ask for more* on a holder's own decline: opens the form. Its value is the alert's id. */
export function requestIncrease(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const alertId = action.value ?? '';
    const target = { kind: 'alert', alertId } as const;
    const input = async (): Promise<{ kind: 'shown' }> => {
      const alert = await deps.alerts.get(alertId);
      const event = alert?.kind === 'transaction' ? alert.event : null;
      const merchant = event === null || event.merchant.name.trim() === '' ? '' : ` at ${event.merchant.name.trim()}`;
      const about = event === null ? '' : `Declined: ${formatCents(event.amountCents)}${merchant}`;
      const { channel, messageTs } = interaction.origin;
      const pending = { kind: 'ask', alertId: event === null ? null : alertId, words: [], channel, messageTs } as const;
      const privateMetadata = await deps.pending.put({ ...pending, words: [] });
      const amountCents = event?.amountCents ?? null;
      await deps.openView(body.trigger_id, askForm({ privateMetadata, about, amountCents }));
      return { kind: 'shown' };
    };
    await deps.requestAction({ ...interaction, verb: 'ask', target, input }, interaction.notify);
  };
}
