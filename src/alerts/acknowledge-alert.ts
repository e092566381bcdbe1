import { seen } from '../../templates/alerts/seen.ts';
import { cardOf } from '../../templates/core/card-words.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { auditRecord } from '../actions/report.ts';
import { tooOld } from '../directory/resolve-card.ts';
import type { AcknowledgeAction } from './verbs.ts';

/** *Seen* on an alert: everybody who reads it sees by whom. Once for each alert. */
export async function acknowledgeAlert(action: AcknowledgeAction, deps: ActionDeps): Promise<void> {
  const { alertId } = action.target;
  await deps.withLock(`alert:${alertId}`, async () => {
    const alert = await deps.alerts.get(alertId);
    if (alert === null) return await refuse(action, tooOld, deps);
    const { acctId } = alert.event;
    const earlier = alert.outcomes.find(({ verb }) => verb === 'acknowledge');
    if (earlier !== undefined) {
      // Done again after a crash, it was not asked for again.
      if (earlier.by !== action.actor.userId) await recordUnchanged(action, { acctId }, deps);
      return;
    }
    const at = deps.now().toISOString();
    const { channel, messageTs } = action.origin;
    if (messageTs !== null) await deps.alertMessages.seen(alertId, { channel, ts: messageTs });
    await deps.audit.append(auditRecord(action, 'done', { acctId, cardId: null }, deps));
    const by = action.actor.userId;
    await deps.alerts.setOutcome(alertId, action.id, { verb: 'acknowledge', by, at, state: 'done', text: '' });
    await deps.updateMessages(alertId);
    // Pressed in a message that only this person sees: nothing there changes by itself.
    if (messageTs === null) await deps.answer(action, seen(cardOf(alert)));
  });
}
