import { alertLengthSet } from '../../templates/routing/alert-length.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LongAlerts } from './channel-rules-store.ts';
import type { AlertLengthAction } from './verbs.ts';

interface Deps {
  readonly longAlerts: LongAlerts;
  readonly reply: Pick<ActionTools, 'answer' | 'record'>;
}

/** `/card alerts long|short`: how much an alert of this channel says at once. Safe to repeat. */
export function createSetAlertLength({ longAlerts, reply }: Deps) {
  return async function setAlertLength(action: AlertLengthAction): Promise<void> {
    const { channel } = action.origin;
    const { isLong } = action;
    const [before, after] = [await longAlerts.has(channel), isLong].map((is) => (is ? 'long alerts' : 'short alerts'));
    const line = { did: `chose ${after} for channel ${channel}` };
    await reply.record(action, { event: 'done', isFirst: true, before: before ?? null, after: after ?? null, line });
    await longAlerts.set(channel, isLong);
    await reply.answer(action, alertLengthSet({ isLong }));
  };
}
