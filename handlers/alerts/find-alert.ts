import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { SELECT_OPTIONS_MAX } from '../../src/slack/limits.ts';
import { alertOption } from '../../templates/outbox/batch.ts';
import type { ListenerDeps } from '../deps.ts';

/** The menu of a message that shows many alerts: those whose name, card, amount and merchant have all that was typed. */
export function findAlert({ batchMessages }: ListenerDeps) {
  return async ({ ack, body }: AllMiddlewareArgs & SlackOptionsMiddlewareArgs<'block_suggestion'>): Promise<void> => {
    const channel = body.channel?.id ?? String(body.container['channel_id'] ?? '');
    const ts = String(body.container['message_ts'] ?? '');
    const batch = await batchMessages.get(channel, ts);
    const words = body.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (batch?.alerts ?? []).filter(({ label }) => {
      const text = label.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    await ack({ options: found.slice(0, SELECT_OPTIONS_MAX).map(({ id, label }) => alertOption(id, label)) });
  };
}
