import { seen } from '../../templates/alerts/seen.ts';
import { cardOf } from '../../templates/core/card-words.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { tooOld } from '../directory/resolve-card.ts';
import type { Alerts } from './alert-store.ts';
import type { AcknowledgeAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'refuse' | 'outcomes' | 'answer' | 'withLock' | 'now'> {
  readonly alerts: Pick<Alerts, 'get'>;
}

/** *Seen* on an alert: everybody who reads it sees by whom. Once for each alert. */
export function createAcknowledgeAlert(deps: Deps): (action: AcknowledgeAction) => Promise<void> {
  return async function acknowledgeAlert(action) {
    const { alertId } = action.target;
    await deps.withLock(`alert:${alertId}`, async () => {
      const alert = await deps.alerts.get(alertId);
      if (alert === null) return await deps.refuse(action, tooOld);
      const { acctId } = alert.event;
      const by = action.actor.userId;
      const earlier = alert.outcomes.find(({ verb }) => verb === 'acknowledge');
      if (earlier !== undefined) {
        // Done again after a crash, it was not asked for again.
        if (earlier.by !== by) await deps.record(action, { event: 'unchanged', acctId });
        return;
      }
      const at = deps.now().toISOString();
      const { channel, messageTs } = action.origin;
      if (messageTs !== null) await deps.outcomes.seen(alertId, { channel, ts: messageTs });
      await deps.record(action, { event: 'done', acctId });
      await deps.outcomes.show(alertId, action.id, { verb: 'acknowledge', by, at, state: 'done', text: '' });
      // Pressed in a message that only this person sees: nothing there changes by itself.
      if (messageTs === null) await deps.answer(action, seen(cardOf(alert)));
    });
  };
}
