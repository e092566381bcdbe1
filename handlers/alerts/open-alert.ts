import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { Alert } from '../../src/alerts/alert.ts';
import { atLastTry } from '../../src/alerts/show-alert.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { SELECT_OPTIONS_MAX } from '../../src/slack/limits.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import { option } from '../../templates/core/form.ts';
import { whoActs } from '../dispatch/interaction.ts';
import { look } from '../dispatch/look.ts';
import { onPress, type Press, type PressListener } from '../dispatch/press.ts';
import { alertTooOld, refuseFormerHolder } from '../dispatch/refused.ts';

/**
 * The menu of a message that shows many alerts: those whose name, card, amount and merchant match everything typed. Its labels
 * are from when the message was posted; another company may read the channel by now.
 */
export function findAlert({ batchMessages, visibilityOf }: ListenerDeps) {
  return async ({ ack, body }: AllMiddlewareArgs & SlackOptionsMiddlewareArgs<'block_suggestion'>): Promise<void> => {
    const channel = body.channel?.id ?? String(body.container['channel_id'] ?? '');
    const ts = String(body.container['message_ts'] ?? '');
    const { isExternal } = whoActs(body.user, body.team);
    const mayFind = !isExternal && mayShow('details', await visibilityOf(channel));
    const batch = mayFind ? await batchMessages.get({ channel, ts }) : null;
    const words = body.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (batch?.alerts ?? []).filter(({ label }) => {
      const text = label.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    await ack({ options: found.slice(0, SELECT_OPTIONS_MAX).map(({ id, label }) => option(label, id)) });
  };
}

/**
 * Shows one alert, chosen in a message that shows several, to the person who chose it, with its buttons and outcomes. The
 * buttons check permissions.
 */
export const openAlert = looksAt('alert', async (alert, { interaction }, deps) => {
  const { channel } = interaction.origin;
  const shown = await atLastTry(alert, channel, deps.alerts);
  await interaction.notify(renderAlert(shown, { place: await deps.visibilityOf(channel), channel, now: deps.now() }));
  return undefined;
});

/** *Details*: the long alert. */
export function showDetails(audience: 'team' | 'holder'): PressListener {
  return looksAt('details', async (alert, { body, interaction }, deps) => {
    const { channel } = interaction.origin;
    const reader = interaction.actor.userId;
    const place = { place: await deps.visibilityOf(channel), channel, reader, now: deps.now() };
    const view = alertDetails(await atLastTry(alert, channel, deps.alerts), audience, place);
    if (view === null) return alertTooOld();
    await deps.openView(body.trigger_id, view);
    return undefined;
  });
}

/**
 * A button that shows an alert, whose id is its value. It shows no more than the message may, so anyone who sees the message in
 * a channel may open it.
 */
function looksAt(
  seen: 'alert' | 'details',
  show: (alert: Alert, press: Press, deps: ListenerDeps) => Promise<Refused | undefined>,
): PressListener {
  return onPress(async (press, deps) => {
    const { value: alertId, interaction } = press;
    const showIt = async (): Promise<Refused | undefined> => {
      const alert = await deps.alerts.get(alertId);
      if (alert === null) return alertTooOld();
      return (await refuseFormerHolder(interaction, alert, deps)) ?? (await show(alert, press, deps));
    };
    await look(interaction, { target: { kind: 'alert', alertId }, seen }, showIt, deps);
  });
}
