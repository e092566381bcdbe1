import { renderAlert } from '../../templates/alerts/alert.ts';
import { why } from '../../templates/routing/why.ts';
import { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { resolveCard } from '../directory/resolve-card.ts';

const eventId = /evt_[0-9a-hjkmnp-tv-z]{16}/;
/** As `parseWhy` writes a message. */
const message = /^([CDG][A-Z0-9]+) (\d{10}\.\d{6})$/;
/** Meant as an event's id, whatever is wrong with it. */
const likeEventId = /^evt_/;
const ALERTS_MAX = 5;

/** `/card why evt_… | MESSAGE LINK | CARD`: the way of an alert, from the webhook to the message. */
export async function explainRouting(action: Action, text: string, deps: ActionDeps): Promise<void> {
  const ids = await eventsMeant(action, text, deps);
  if (ids === null) return;
  const known = (await Promise.all(ids.map((id) => deps.alerts.get(id)))).filter((stored) => stored !== null);
  if (known.length === 0) {
    const reason = 'I know no such alert. Alerts are known for 30 days, by the id in their small print.';
    const whoCan = 'Write that id, a link to its message, or a card for its last alert.';
    return await refuse(action, { what: 'Telling why', why: reason, whoCan }, deps);
  }
  for (const { alert } of known.slice(0, ALERTS_MAX)) {
    const { id, callbackAt, receivedAt } = alert.event;
    const [steps, times, refs] = await Promise.all([
      deps.routing.eventLog.read(id),
      deps.routing.timesDelivered(id),
      deps.alertMessages.of(id),
    ]);
    const posted = await Promise.all(
      refs.map(async ({ channel, ts }) => ({
        channel,
        at: new Date(Number(ts) * 1000).toISOString(),
        link: await deps.routing.permalink(channel, ts),
      })),
    );
    const what = renderAlert({ ...alert, outcomes: [] }, { place: 'direct' }).text;
    await deps.answer(action, why({ id, what, callbackAt, receivedAt, isLate: alert.late, times, steps, posted }));
  }
}

/** Null: the person has been asked which card, or told that there is none. */
async function eventsMeant(action: Action, text: string, deps: ActionDeps): Promise<string[] | null> {
  const id = eventId.exec(text)?.[0];
  if (id !== undefined) return [id];
  const [, channel, ts] = message.exec(text) ?? [];
  if (likeEventId.test(text.trim())) return [];
  if (channel !== undefined && ts !== undefined) return await deps.alertMessages.at(channel, ts);
  const asked =
    action.target.kind === 'card'
      ? action
      : Action.parse({ ...action, target: { kind: 'words', words: text.split(' ') } });
  const resolved = await resolveCard(asked, deps);
  if (resolved === null) return null;
  const latest = await deps.routing.eventLog.latest(resolved.acctId);
  return latest === null ? [] : [latest];
}
