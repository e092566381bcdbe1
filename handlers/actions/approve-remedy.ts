import { declineReason } from '../../src/alert/decline-reason.ts';
import { isPermitted } from '../../src/permissions.ts';
import { raiseLimitForm } from '../../templates/raise-limit-form.ts';
import { refusal } from '../../templates/refusal.ts';
import type { ListenerDeps } from '../deps.ts';
import { ofButton } from '../interaction.ts';
import type { ButtonArgs } from './button-args.ts';

/**
 * *Raise limit…* on a decline: opens the form.
 *
 * Slack's trigger lives for three seconds, so the form is filled with what the alert already knows; the worker reads
 * the limits again before it changes anything.
 */
export function approveRemedy(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const alertId = action.value ?? '';
    const asker = interaction.isStranger ? null : interaction.actor.userId;
    const roles = asker === null ? [] : (await deps.permissions.rolesOf(asker)).roles;
    if (!isPermitted('limit', roles)) {
      // Refused where every other action is, so that it is on record; a Slack that does not answer is told there too.
      await deps.requestAction({ ...interaction, verb: 'limit', target: { kind: 'alert', alertId } }, interaction.tell);
      return;
    }
    const stored = await deps.alerts.get(alertId);
    if (stored === null || !('remedy' in stored.alert) || stored.alert.event.decline === null) {
      const whoCan = 'Use `/card limit` with the card’s last four digits.';
      await interaction.tell(refusal({ what: 'Raising the limit', why: 'This alert is too old.', whoCan }));
      return;
    }
    const { event, card, remedy } = stored.alert;
    const raise = remedy?.kind === 'raise_limit' ? remedy : null;
    const period = raise?.period ?? declineReason(event.decline ?? { code: '', message: '' }).period ?? 'daily';
    const category = raise?.category ?? null;
    const { channel, messageTs } = interaction.origin;
    const privateMetadata = await deps.pending.put({ kind: 'form', alertId, channel, messageTs, category });
    await deps.openView(
      body.trigger_id,
      raiseLimitForm({
        privateMetadata,
        card: { ...card, acctId: card.acctId ?? event.acctId },
        declined: { amountCents: event.amountCents, merchant: event.merchant.name },
        period,
        category: category?.name ?? null,
        currentCents: raise?.currentCents ?? null,
        remainingCents: raise?.remainingCents ?? null,
        suggestedCents: raise?.suggestedCents ?? null,
      }),
    );
  };
}
