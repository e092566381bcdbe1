import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { atLastTry } from '../../src/alerts/show-alert.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { SELECT_OPTIONS_MAX } from '../../src/slack/limits.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import { alertOption } from '../../templates/outbox/batch.ts';
import { look } from '../dispatch/look.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { alertTooOld, refuseFormerHolder } from '../dispatch/refused.ts';

/** The menu of a message that shows many alerts: those whose name, card, amount and merchant match everything typed. */
export function findAlert({ batchMessages }: ListenerDeps) {
  return async ({ ack, body }: AllMiddlewareArgs & SlackOptionsMiddlewareArgs<'block_suggestion'>): Promise<void> => {
    const channel = body.channel?.id ?? String(body.container['channel_id'] ?? '');
    const ts = String(body.container['message_ts'] ?? '');
    const batch = await batchMessages.get({ channel, ts });
    const words = body.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (batch?.alerts ?? []).filter(({ label }) => {
      const text = label.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    await ack({ options: found.slice(0, SELECT_OPTIONS_MAX).map(({ id, label }) => alertOption(id, label)) });
  };
}

/**
 * Shows one alert, chosen in a message that shows several, to the person who chose it, with its buttons and outcomes. It
 * shows no more than the message does, so anyone who sees the message may open it. The buttons check permissions.
 */
export const openAlert = onPress(async ({ value: alertId, interaction }, deps) => {
  const { channel } = interaction.origin;
  await look(
    interaction,
    { target: { kind: 'alert', alertId }, seen: 'alert' },
    async () => {
      const alert = await deps.alerts.get(alertId);
      if (alert === null) return alertTooOld();
      const shown = await atLastTry(alert, channel, deps.alerts);
      await interaction.notify(
        renderAlert(shown, { place: await deps.visibilityOf(channel), channel, now: deps.now() }),
      );
      return undefined;
    },
    deps,
  );
});

/** *Details*: the long alert. It shows no more than the message may, so anyone who sees the message may open it. */
export function showDetails(audience: 'team' | 'holder'): PressListener {
  return onPress(async ({ value: alertId, body, interaction }, deps) => {
    const { channel } = interaction.origin;
    await look(
      interaction,
      { target: { kind: 'alert', alertId }, seen: 'details' },
      async () => {
        const alert = await deps.alerts.get(alertId);
        const reader = interaction.actor.userId;
        const place = { place: await deps.visibilityOf(channel), channel, reader, now: deps.now() };
        if (alert === null) return alertTooOld();
        const refusal = await refuseFormerHolder(interaction, alert, deps);
        if (refusal !== null) return refusal;
        const view = alertDetails(await atLastTry(alert, channel, deps.alerts), audience, place);
        if (view === null) return alertTooOld();
        await deps.openView(body.trigger_id, view);
        return undefined;
      },
      deps,
    );
  });
}
