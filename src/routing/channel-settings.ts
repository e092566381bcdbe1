import { alertLengthSet, quietEnded, quietSet } from '../../templates/routing/channel-settings.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { alertIdOf } from '../outbox/entry.ts';
import type { Held, Outbox } from '../outbox/outbox-store.ts';
import type { MayGetAlerts } from './channel-access.ts';
import type { LongAlerts, QuietHours, QuietHoursStore } from './channel-rules-store.ts';
import { quietFor } from './choose-channels.ts';
import { describeFilter } from './describe-filter.ts';
import { printFilter } from './filter.ts';
import { parseUseful, unknownNames, whySensitive } from './never-matches.ts';
import { type ParsedQuiet, parseQuiet, printQuiet, quietUntil, quietWords } from './quiet-hours.ts';
import { type AlertLengthAction, type ChannelAction, quietUsage } from './verbs.ts';

interface Deps
  extends Pick<ActionTools, 'answer' | 'record' | 'hasBegun' | 'refuse' | 'refuseUnclear' | 'zone' | 'now'> {
  /** The groups that contain at least one card. */
  readonly groups: () => Promise<readonly string[]>;
  readonly quietHours: QuietHoursStore;
  /** Applies the channel's quiet hours to the alerts it already holds. @returns how many need not wait any longer. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
  readonly mayGetAlerts: MayGetAlerts;
}

/** `/card quiet …`: holds alerts during these hours, and posts them together when the hours end. */
export function createSetQuiet(deps: Deps) {
  const { quietHours, groups, holdAsQuiet, mayGetAlerts, answer, record, hasBegun, refuse, refuseUnclear, zone, now } =
    deps;

  return async function setQuiet(action: ChannelAction): Promise<void> {
    const parsed = parseQuiet(action.target.text, zone);
    if (parsed.kind === 'unclear') return await refuseUnclear(action, { why: parsed.why, usage: quietUsage });
    if (parsed.kind === 'off') return await end(action);
    await set(action, parsed);
  };

  async function wordsBefore(channel: string): Promise<string | null> {
    const hours = await quietHours.get(channel);
    return hours === null ? null : printQuiet(hours.window);
  }

  async function end(action: Action): Promise<void> {
    const { channel } = action.origin;
    const before = await wordsBefore(channel);
    const isRecorded = await hasBegun(action);
    // Recorded first: after a crash the hours are gone, and only the record shows who ended them.
    const line = { did: 'ended the quiet hours of', channel };
    if (before !== null) await record(action, { event: 'done', isFirst: true, before, line });
    else if (!isRecorded) await record(action, { event: 'unchanged', isFirst: true });
    await quietHours.remove(channel);
    const released = await holdAsQuiet(channel);
    await answer(action, quietEnded({ wasSet: before !== null || isRecorded, released }));
  }

  async function set(action: Action, { window, except: typed }: Extract<ParsedQuiet, { kind: 'hours' }>) {
    const { channel } = action.origin;
    const before = await wordsBefore(channel);
    const parsed = typed === null ? null : parseUseful(typed);
    if (parsed !== null && 'error' in parsed)
      return await refuseUnclear(action, { why: parsed.error.why, usage: quietUsage });
    const filter = parsed?.filter ?? null;
    const sensitive = filter === null ? null : whySensitive(filter);
    if (sensitive !== null) {
      const whoCan = 'Let declines through instead: except declines.';
      return await refuse(action, { why: sensitive, whoCan });
    }
    if (!(await mayGetAlerts(action))) return;
    const except = filter === null ? null : printFilter(filter);
    const exceptWords = filter === null ? null : describeFilter(filter);
    const unknown = filter === null ? [] : unknownNames(filter, await groups());
    const after = `${printQuiet(window)}${exceptWords === null ? '' : `, except ${exceptWords}`}`;
    // Recorded first: after a crash the new hours are already set, and the previous ones are lost.
    const line = { did: 'set the quiet hours of', channel };
    await record(action, { event: 'done', isFirst: true, before, after, line });
    await quietHours.set({ channel, window, except, by: action.actor.userId, at: action.askedAt });
    const until = quietUntil(window, now().getTime());
    const released = await holdAsQuiet(channel);
    const untilText = until === null ? null : new Date(until).toISOString();
    const words = quietWords(window);
    await answer(action, quietSet({ words, except: exceptWords, unknown, until: untilText, released }));
  }
}

interface HoldDeps {
  readonly outbox: Pick<Outbox, 'channels' | 'held' | 'holdUntil' | 'releaseHeld'>;
  readonly quietHours: Pick<QuietHoursStore, 'get'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly eventLog: Pick<EventLog, 'note'>;
  readonly now: () => Date;
}

/** How long after a change an alert may still be held under the previous hours. */
const OVERLAP_MS = 10 * 60_000;

/**
 * Applies a channel's current quiet hours to the entries it holds. Releases an entry when there are no quiet hours now, or
 * when its alert is exempt. Otherwise moves its release to the current end of the hours. Idempotent.
 *
 * @returns how many entries were released.
 */
export async function holdAsQuiet(channel: string, deps: HoldDeps): Promise<number> {
  return await applyHours(channel, await deps.quietHours.get(channel), deps, false);
}

/** The same for every channel, for entries held while someone changed the hours. */
export async function holdAllAsQuiet(deps: HoldDeps): Promise<void> {
  for (const channel of await deps.outbox.channels()) {
    // Read one at a time: hours that were just set must not lose the entries they hold.
    const hours = await deps.quietHours.get(channel);
    const isSettled = hours !== null && Date.parse(hours.at) + OVERLAP_MS < deps.now().getTime();
    await applyHours(channel, hours, deps, isSettled);
  }
}

/** @param isSettled no entry is still held under the previous hours, so only entries with a different end are checked. */
async function applyHours(
  channel: string,
  hours: QuietHours | null,
  deps: HoldDeps,
  isSettled: boolean,
): Promise<number> {
  const now = deps.now().getTime();
  const until = hours === null ? null : quietUntil(hours.window, now);
  if (hours === null || until === null) return await deps.outbox.releaseHeld(channel);
  let released = 0;
  for (const held of await deps.outbox.held(channel, isSettled ? until : null)) {
    const isExempt = await isExemptFrom(hours, held, now, deps);
    if (!isExempt && held.untilMs === until) continue;
    await deps.outbox.holdUntil(channel, held.entry.id, isExempt ? 0 : until);
    if (isExempt) released += 1;
    const alertId = alertIdOf(held.entry);
    if (alertId === null) continue;
    const what = isExempt ? 'No longer' : `Until ${new Date(until).toISOString()}`;
    const text = `${what}: the quiet hours of this channel were changed by <@${hours.by}>.`;
    await deps.eventLog.note(alertId, { step: 'held', channel, text });
  }
  return released;
}

async function isExemptFrom(hours: QuietHours, { entry }: Held, now: number, { alerts }: HoldDeps): Promise<boolean> {
  const alertId = alertIdOf(entry);
  const alert = alertId === null ? null : await alerts.get(alertId);
  if (alert === null) return false;
  return quietFor(alert, hours, now)?.isExempt ?? true;
}

interface HeldDeps {
  readonly quietHours: Pick<QuietHoursStore, 'get'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly now: () => Date;
}

/**
 * Until when (ms) a channel's current quiet hours hold an alert, or another message that nobody waits for; null when they
 * do not.
 */
export function createHeldUntil({ quietHours, alerts, now }: HeldDeps) {
  return async function heldUntil(channel: string, alertId: string | null): Promise<number | null> {
    const hours = await quietHours.get(channel);
    if (hours === null) return null;
    if (alertId === null) return quietUntil(hours.window, now().getTime());
    const alert = await alerts.get(alertId);
    if (alert === null) return null;
    // In a direct conversation the holder, who can tell whether it is fraud, gets it immediately.
    if (channel.startsWith('D') && isSuspectedFraud(alert.event)) return null;
    const quiet = quietFor(alert, hours, now().getTime());
    return quiet === null || quiet.isExempt ? null : quiet.until;
  };
}

interface AlertLengthDeps extends Pick<ActionTools, 'answer' | 'record'> {
  readonly longAlerts: LongAlerts;
}

/** `/card alerts long|short`: sets the length of this channel's alerts. Idempotent. */
export function createSetAlertLength({ longAlerts, answer, record }: AlertLengthDeps) {
  return async function setAlertLength(action: AlertLengthAction): Promise<void> {
    const { channel } = action.origin;
    const { isLong } = action;
    const [before, after] = [await longAlerts.has(channel), isLong].map((is) => (is ? 'long alerts' : 'short alerts'));
    const line = { did: 'changed how alerts look in', channel };
    await record(action, { event: 'done', isFirst: true, before: before ?? null, after: after ?? null, line });
    await longAlerts.set(channel, isLong);
    await answer(action, alertLengthSet({ isLong }));
  };
}
