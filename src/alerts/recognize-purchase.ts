import type { ActionTools } from '../actions/action-tools.ts';
import { tooOld } from '../directory/resolve-card.ts';
import type { Alerts } from './alert-store.ts';
import type { RecognizeAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'refuse' | 'outcomes' | 'withLock' | 'now'> {
  readonly alerts: Pick<Alerts, 'get'>;
}

/** "It was me", said by the holder: closes the question for everybody who reads the alert. Once for each alert. */
export function createRecognizePurchase(deps: Deps): (action: RecognizeAction) => Promise<void> {
  const { alerts, record, refuse, outcomes, withLock, now } = deps;

  return async function recognizePurchase(action) {
    const { alertId } = action.target;
    await withLock(`alert:${alertId}`, async () => {
      const alert = await alerts.get(alertId);
      if (alert === null) return await refuse(action, tooOld);
      const { acctId } = alert.event;
      const by = action.actor.userId;
      const earlier = alert.outcomes.find(({ verb }) => verb === 'recognize');
      if (earlier !== undefined) {
        // The same job, run again after a crash, is not somebody else who says so.
        if (earlier.by !== by) await record(action, { event: 'unchanged', acctId });
        return;
      }
      await record(action, { event: 'done', acctId });
      const at = now().toISOString();
      const outcome = { verb: 'recognize', by, at, state: 'done', text: '', asHolder: true } as const;
      await outcomes.show(alertId, action.id, outcome);
    });
  };
}
