import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { auditRecord } from '../actions/report.ts';
import { tooOld } from '../directory/resolve-card.ts';

/** "It was me", said by the holder: closes the question for everybody who reads the alert. Once for each alert. */
export async function recognizePurchase(action: Action, deps: ActionDeps): Promise<void> {
  if (action.target.kind !== 'alert') return;
  const { alertId } = action.target;
  await deps.withLock(`alert:${alertId}`, async () => {
    const stored = await deps.alerts.get(alertId);
    if (stored === null) return await refuse(action, tooOld, deps);
    const { acctId } = stored.alert.event;
    const known = stored.alert.outcomes.find(({ verb }) => verb === 'recognize');
    if (known !== undefined) {
      // Done again after a crash, it is not another wish.
      if (known.by !== action.actor.userId) await recordUnchanged(action, { acctId }, deps);
      return;
    }
    const at = deps.now().toISOString();
    const by = action.actor.userId;
    await deps.audit.append(auditRecord(action, 'done', { acctId: stored.alert.event.acctId, cardId: null }, deps));
    await deps.alerts.setOutcome(alertId, action.id, {
      verb: 'recognize',
      by,
      at,
      state: 'done',
      text: '',
      asHolder: true,
    });
    await deps.updateMessages(alertId);
  });
}
