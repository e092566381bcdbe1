import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { alertIdOf } from '../outbox/entry.ts';
import type { Held, Outbox } from '../outbox/outbox-store.ts';
import { quietFor } from './decide.ts';
import { quietUntil } from './quiet-hours.ts';
import type { QuietHours, QuietHoursStore } from './quiet-hours-store.ts';

interface Deps {
  readonly outbox: Pick<Outbox, 'channels' | 'held' | 'holdUntil' | 'releaseHeld'>;
  readonly quietHours: Pick<QuietHoursStore, 'all'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly eventLog: Pick<EventLog, 'note'>;
  readonly now: () => Date;
}

/** An alert may still be put back under the hours before while somebody changes them; not for longer than this. */
const SETTLING_MS = 10 * 60_000;

/**
 * What is held waits for the quiet hours that the channel has now, not for those that it had: where there are none any
 * more, or none for an alert, it is let go; where they end at another time, it waits until then. Safe to repeat.
 *
 * @returns how many entries were let go.
 */
export async function holdAsQuiet(channel: string, deps: Deps): Promise<number> {
  return await holdAs(channel, await hoursOf(channel, deps), deps, false);
}

async function hoursOf(channel: string, { quietHours }: Deps): Promise<QuietHours | undefined> {
  return (await quietHours.all()).find((one) => one.channel === channel);
}

/** The same for every channel: what came while somebody changed the hours. */
export async function holdAllAsQuiet(deps: Deps): Promise<void> {
  for (const channel of await deps.outbox.channels()) {
    // Read for each: hours that were set a moment ago must not lose what they hold.
    const hours = await hoursOf(channel, deps);
    const isSettled = hours !== undefined && Date.parse(hours.at) + SETTLING_MS < deps.now().getTime();
    await holdAs(channel, hours, deps, isSettled);
  }
}

/** @param isSettled nothing is put back under the hours before any more: only what waits for another time is looked at. */
async function holdAs(channel: string, hours: QuietHours | undefined, deps: Deps, isSettled: boolean): Promise<number> {
  const now = deps.now().getTime();
  const until = hours === undefined ? null : quietUntil(hours.window, now);
  if (hours === undefined || until === null) return await deps.outbox.releaseHeld(channel);
  let released = 0;
  for (const held of await deps.outbox.held(channel, isSettled ? until : null)) {
    const isExcepted = await passes(held, hours, now, deps);
    if (!isExcepted && held.untilMs === until) continue;
    await deps.outbox.holdUntil(channel, held.entry.id, isExcepted ? 0 : until);
    if (isExcepted) released += 1;
    const alertId = alertIdOf(held.entry);
    if (alertId === null) continue;
    const what = isExcepted ? 'No longer' : `Until ${new Date(until).toISOString()}`;
    const text = `${what}: the quiet hours of this channel were changed by <@${hours.by}>.`;
    await deps.eventLog.note(alertId, { step: 'held', channel, text });
  }
  return released;
}

/** The hours are not for this alert. */
async function passes({ entry }: Held, hours: QuietHours, now: number, { alerts }: Deps): Promise<boolean> {
  const alertId = alertIdOf(entry);
  const alert = alertId === null ? null : await alerts.get(alertId);
  if (alert === null) return false;
  const quiet = new Map([[hours.channel, hours]]);
  return quietFor({ event: alert.event, card: alert.card }, hours.channel, { quiet }, now)?.isExcepted ?? true;
}
