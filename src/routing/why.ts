import { renderAlert } from '../../templates/alerts/alert.ts';
import { cardOf } from '../../templates/core/card-words.ts';
import { opsNotice } from '../../templates/ops/ops-notice.ts';
import { why } from '../../templates/routing/why.ts';
import type { Action, CardTarget, Resolved } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import type { QuarantinedWebhook } from '../core/event.ts';
import { quarantined } from '../ops/issue.ts';
import type { TrackedMessages } from '../outbox/tracked-message-store.ts';
import type { MessageRef } from '../slack/message.ts';
import type { WhyAction } from './verbs.ts';

/** Of an event, or of a webhook in quarantine. */
const eventId = /(?:evt|q)_[0-9a-hjkmnp-tv-z]{16}/;
/** A message in the format of `readWhy`. */
const message = /^([CDG][A-Z0-9]+) (\d{10}\.\d{6})$/;
/** Intended as an event id, even if it is invalid. */
const likeEventId = /^(?:evt|q)_/;
/** Slack takes no more answers to one command. */
const ALERTS_MAX = 5;

interface Deps extends Pick<ActionTools, 'recordLook'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly trackedMessages: Pick<TrackedMessages, 'references'>;
  readonly eventLog: Pick<EventLog, 'read'>;
  /** How often an event was received; 0 when no longer known. */
  readonly timesDelivered: (eventId: string) => Promise<number>;
  /** Link to a message; null when Slack does not return one. */
  readonly permalink: (channel: string, ts: string) => Promise<string | null>;
  readonly findAlerts: ReturnType<typeof createFindAlerts>;
}

/** `/card why evt_… | MESSAGE LINK | CARD`: what happened to an alert, from the webhook to the message. */
export function createExplainRouting(deps: Deps) {
  const { trackedMessages, eventLog, timesDelivered, permalink } = deps;

  return async function explainRouting(action: WhyAction): Promise<void> {
    const alerts = await deps.findAlerts(action);
    const explained = alerts.slice(0, ALERTS_MAX);
    for (const alert of explained) {
      const { id, callbackAt, receivedAt } = alert.event;
      const ofAlert: Action = { ...action, target: { kind: 'alert', alertId: id } };
      await deps.recordLook(ofAlert, { acctId: alert.event.acctId, cardId: cardOf(alert).cardId, seen: null });
      const [steps, ofFirst, times, refs] = await Promise.all([
        eventLog.read(id),
        inChannels(alert, eventLog.read),
        timesDelivered(id),
        messagesOf(alert),
      ]);
      const posted = await Promise.all(
        refs.map(async ({ channel, ts }) => ({
          channel,
          at: new Date(Number(ts) * 1000).toISOString(),
          link: await permalink(channel, ts),
        })),
      );
      const what = renderAlert({ ...alert, outcomes: [] }, { place: 'direct' }).text;
      const others = alert === explained.at(-1) ? alerts.length - explained.length : 0;
      const facts = { id, what, callbackAt, receivedAt, isLate: alert.late, times, steps, ofFirst, posted, others };
      await deps.responses.answer(action, why(facts));
    }
  };

  /** The messages that show an alert: its own, and in each channel those that count it as a repeat. */
  async function messagesOf(alert: Alert): Promise<MessageRef[]> {
    const messages = (id: string): Promise<MessageRef[]> => trackedMessages.references({ kind: 'alert', id });
    const refs = await Promise.all([messages(alert.event.id), inChannels(alert, messages)]);
    // One message may show several of them.
    return [...new Map(refs.flat().map((ref) => [`${ref.channel} ${ref.ts}`, ref])).values()];
  }
}

/** What is known of the alerts whose messages count an alert as a repeat, each in the channel where it does. */
async function inChannels<T extends { readonly channel: string | null }>(
  alert: Alert,
  read: (leaderId: string) => Promise<readonly T[]>,
): Promise<T[]> {
  const leaders = Object.entries((alert.kind === 'transaction' && alert.leaders) || {});
  const found = leaders.map(async ([channel, id]) => (await read(id)).filter((one) => one.channel === channel));
  return (await Promise.all(found)).flat();
}

interface FindDeps {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly trackedMessages: Pick<TrackedMessages, 'alertsAt'>;
  readonly eventLog: Pick<EventLog, 'latest'>;
  /** A webhook in quarantine; null: it was replayed or discarded, or never was there. */
  readonly quarantined: { readonly get: (id: string) => Promise<QuarantinedWebhook | null> };
  /** Null: the user was asked which card they mean, or told that there is none. */
  readonly resolveCard: (action: Action) => Promise<Pick<Resolved, 'acctId'> | null>;
}

/** Finds the alerts that a person asks about. None: the person was told why, or asked which card they mean. */
export function createFindAlerts(deps: FindDeps) {
  const { answer, refuse } = deps.responses;

  return async function findAlerts(action: WhyAction): Promise<Alert[]> {
    const ids = await eventsMeant(action);
    if (ids === null) return [];
    const stored = (await Promise.all(ids.map((id) => shownTo(action, id)))).filter((alert) => alert !== null);
    if (stored.length === 0) await sayWhyNone(action, ids);
    return stored;
  };

  async function sayWhyNone(action: WhyAction, ids: readonly string[]): Promise<void> {
    const [kept = null] = await Promise.all(ids.map(deps.quarantined.get));
    if (kept !== null)
      return await answer(action, opsNotice({ ...quarantined(kept), level: 'ops', at: kept.receivedAt }));
    const reason = 'I know no such alert. Alerts are known for 30 days, by the id in their small print.';
    const whoCan = 'Write that id, a link to its message, or a card for its last alert.';
    await refuse(action, { why: reason, whoCan });
  }

  /** Null when it is not stored, or when the user may not see its card. */
  async function shownTo(action: Action, id: string): Promise<Alert | null> {
    const alert = await deps.alerts.get(id);
    const acctId = alert?.event.acctId ?? null;
    return acctId === null || (await deps.rights.mayAct(action, acctId)) ? alert : null;
  }

  /** Null: the user was asked which card they mean, or told that there is none, or no alert of it. */
  async function eventsMeant(action: WhyAction): Promise<string[] | null> {
    const text = action.target.kind === 'channel' ? action.target.text : '';
    const id = eventId.exec(text)?.[0];
    if (id !== undefined) return [id];
    const [, channel, ts] = message.exec(text) ?? [];
    if (likeEventId.test(text.trim())) return [];
    if (channel !== undefined && ts !== undefined) return await deps.trackedMessages.alertsAt(channel, ts);
    const target: CardTarget =
      action.target.kind === 'channel' ? { kind: 'words', words: text.split(' ') } : action.target;
    const resolved = await deps.resolveCard({ ...action, target });
    if (resolved === null) return null;
    const latest = await deps.eventLog.latest(resolved.acctId);
    if (latest !== null) return [latest];
    const reason = 'This card had no alert in the last 30 days.';
    await refuse(action, { why: reason, whoCan: 'For another alert, write its id or a link to its message.' });
    return null;
  }
}
