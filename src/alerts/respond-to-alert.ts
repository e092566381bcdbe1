import { responded, respondedBefore } from '../../templates/alerts/seen.ts';
import { cardOf } from '../../templates/core/card-words.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { askOthers } from '../actions/ask-others.ts';
import { tooOld } from '../directory/resolve-card.ts';
import type { Alert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { AcknowledgeAction, CloseFraudCaseAction, RecognizeAction } from './verbs.ts';

export interface AlertDeps extends Pick<ActionTools, 'withLock' | 'record'> {
  readonly rights: Pick<Rights, 'authorize' | 'whoMay'>;
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly alerts: Pick<Alerts, 'get'>;
}

/**
 * Responds to the alert of an action, one response at a time.
 *
 * @param mark the outcome by which the alert shows the response.
 * @param respond receives what an earlier run of the same person's response has shown; undefined: nothing.
 * @returns null: the alert is too old, or the person may not respond, or somebody else did. They have been told.
 */
export async function withAlert<Result>(
  deps: AlertDeps,
  action: AcknowledgeAction | RecognizeAction | CloseFraudCaseAction,
  mark: Parameters<typeof respondedBefore>[0],
  respond: (alert: Alert, earlier: Outcome | undefined) => Promise<Result>,
): Promise<Result | null> {
  const { alerts, rights, responses, record, withLock } = deps;
  const { alertId } = action.target;
  return await withLock(`alert:${alertId}`, async () => {
    const alert = await alerts.get(alertId);
    if (alert === null) {
      await responses.refuse(action, tooOld());
      return null;
    }
    const { acctId } = alert.event;
    const decision = acctId === null ? null : await rights.authorize(action, { acctId });
    if (decision?.kind === 'refused') {
      const whoCan = await askOthers(action, decision.who, alert.card.group, deps);
      await responses.refuse(action, { why: decision.why, whoCan }, { acctId, isNotPermitted: true });
      return null;
    }
    const earlier = alert.outcomes.find(({ verb }) => verb === mark);
    if (earlier === undefined || earlier.by === action.actor.userId) return await respond(alert, earlier);
    await record(action, { event: 'unchanged', acctId });
    await responses.answer(action, respondedBefore(mark, earlier.by));
    return null;
  });
}

/** A message that only this user sees is not updated, and one that another company reads does not show the response. */
export async function answerUnlessShown(
  { outcomes, responses }: Pick<Deps, 'outcomes' | 'responses'>,
  action: AcknowledgeAction | CloseFraudCaseAction,
  mark: Parameters<typeof responded>[0],
  alert: Alert,
): Promise<void> {
  const { channel, messageTs } = action.origin;
  const isShown = await outcomes.areShownIn(channel);
  if (messageTs === null || !isShown) await responses.answer(action, responded(mark, cardOf(alert), isShown));
}

interface Deps extends AlertDeps, Pick<ActionTools, 'outcomes' | 'now'> {}

/**
 * Responses to an alert that change no card. Everyone who reads the alert sees who responded. Each response counts once.
 */
export function createRespondToAlert(deps: Deps) {
  const { record, outcomes, now } = deps;

  return {
    /** *Seen*. */
    async acknowledge(action: AcknowledgeAction): Promise<void> {
      const alert = await respond(action);
      if (alert === null) return;
      await answerUnlessShown(deps, action, 'acknowledge', alert);
    },

    /** *It was me*, from the holder of the card. */
    async recognize(action: RecognizeAction): Promise<void> {
      await respond(action);
    },
  };

  async function respond(action: AcknowledgeAction | RecognizeAction): Promise<Alert | null> {
    const { verb } = action;
    const { alertId } = action.target;
    return await withAlert(deps, action, verb, async (alert, earlier) => {
      if (earlier !== undefined) return alert;
      const { channel, messageTs } = action.origin;
      if (messageTs !== null) await outcomes.seen(alertId, { channel, ts: messageTs });
      await record(action, { event: 'done', acctId: alert.event.acctId });
      const by = action.actor.userId;
      const outcome = { verb, by, at: now().toISOString(), state: 'done', text: '' } as const;
      const asHolder = verb === 'recognize' ? { asHolder: true } : {};
      await outcomes.show(alertId, action.id, { ...outcome, ...asHolder });
      return alert;
    });
  }
}
