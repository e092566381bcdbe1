import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { priorityOf } from '../alerts/announce.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { SlackError } from '../core/errors.ts';
import { type OutboxEntry, shownAlertId } from '../outbox/entry.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { createPostNotice } from '../outbox/tracked-message.ts';
import { isOfTeam } from '../outbox/undeliverable.ts';
import type { Message } from '../slack/message.ts';
import type { QuietHours, QuietHoursStore } from './channel-rules-store.ts';
import { currentQuietHours } from './choose-channels.ts';
import type { FilterSubject } from './filter.ts';
import { quietUntil } from './quiet-hours.ts';

/** For so long after quiet hours were set, alerts may be held that these exempt: they were routed by the previous ones. */
const NEW_MS = 15 * 60_000;

interface HeldDeps {
  readonly quietHours: Pick<QuietHoursStore, 'get'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly now: () => Date;
}

interface HoldDeps extends HeldDeps {
  readonly outbox: Pick<Outbox, 'held' | 'holdUntil' | 'put'>;
}

/**
 * Holds what a channel holds until the current end of its quiet hours. Releases it when there are none now, and what they
 * exempt. Idempotent.
 *
 * @returns how many entries were released.
 */
export async function holdAsQuiet(channel: string, deps: HoldDeps): Promise<number> {
  const { outbox, quietHours, now } = deps;
  const hours = await quietHours.get(channel);
  const until = hours === null ? null : quietUntil(hours.window, now().getTime());
  if (hours === null || until === null) return await outbox.holdUntil(channel, 0);
  const isNew = now().getTime() - Date.parse(hours.at) < NEW_MS;
  const exempt = hours.except !== null && isNew ? await exemptIn(channel, hours, deps) : [];
  for (const entry of exempt) await outbox.put(channel, { ...entry, notBefore: null });
  await outbox.holdUntil(channel, until);
  return exempt.length;
}

/** The held alerts that quiet hours exempt. */
async function exemptIn(channel: string, hours: QuietHours, { outbox, alerts, now }: HoldDeps): Promise<OutboxEntry[]> {
  const held = await outbox.held(channel);
  const isExempt = await Promise.all(
    held.map(async (entry) => {
      const alertId = shownAlertId(entry);
      const alert = alertId === null ? null : await alerts.get(alertId);
      return alert !== null && (await quietFor(alert, hours, { alerts, now }))?.isExempt === true;
    }),
  );
  return held.filter((_, index) => isExempt[index]);
}

/**
 * A channel's current quiet hours, and whether they exempt what the message of an alert shows: the alert, or a repeat that it
 * counts. An alert that is exempt from quiet hours must not wait inside a held message.
 */
async function quietFor(alert: Alert, hours: QuietHours, { alerts, now }: Pick<HeldDeps, 'alerts' | 'now'>) {
  const [own, ...repeated] = (await shownBy(alert, hours.channel, alerts)).map((subject) =>
    currentQuietHours(subject, hours, now().getTime()),
  );
  return repeated.find((quiet) => quiet?.isExempt) ?? own ?? null;
}

/** The alert, and what is known of the repeats that its message in this channel counts: the last one, and their amounts. */
async function shownBy(alert: Alert, channel: string, alerts: HeldDeps['alerts']): Promise<FilterSubject[]> {
  if (alert.kind !== 'transaction') return [alert];
  const newestId = alert.newest?.[channel];
  const newest = newestId === undefined ? null : await alerts.get(newestId);
  const { minCents, maxCents } = alert.repeats[channel] ?? {};
  const amounts = [minCents, maxCents].filter((cents) => cents !== undefined);
  const ofAmounts = amounts.map((amountCents) => ({ ...alert, event: { ...alert.event, amountCents } }));
  return [alert, ...(newest === null ? [] : [newest]), ...ofAmounts];
}

/**
 * Until when (ms) a channel's current quiet hours hold an alert, or another message that nobody waits for; null when they
 * do not.
 *
 * @param isOfSeveral the message shows several alerts, of which the quiet hours may exempt some.
 */
export function createHeldUntil({ quietHours, alerts, now }: HeldDeps) {
  return async function heldUntil(
    channel: string,
    alertId: string | null,
    isOfSeveral = false,
  ): Promise<number | null> {
    const hours = await quietHours.get(channel);
    if (hours === null || (isOfSeveral && hours.except !== null)) return null;
    if (alertId === null) return quietUntil(hours.window, now().getTime());
    const alert = await alerts.get(alertId);
    if (alert === null || priorityOf(alert) === 'fraud') return null;
    // In a direct conversation the holder, who can tell whether it is fraud, gets it immediately.
    if (channel.startsWith('D') && isSuspectedFraud(alert.event)) return null;
    const quiet = await quietFor(alert, hours, { alerts, now });
    return quiet === null || quiet.isExempt ? null : quiet.until;
  };
}

/** Quiet hours may be ended or changed before they are over. */
const ASKED_AGAIN_MS = 15 * 60_000;

interface QuietDeps {
  readonly heldUntil: ReturnType<typeof createHeldUntil>;
  /** A person's direct conversation. @throws SlackError */
  readonly directChannel: (userId: string) => Promise<string>;
  readonly now: () => Date;
}

/**
 * What is true only for a while is not held by quiet hours, but written once they are over: how long (ms) to wait before
 * asking again; 0 when a channel or a person gets it now.
 *
 * @param mostMs Infinity: how long they are quiet.
 */
export function createQuietLeft({ heldUntil, directChannel, now }: QuietDeps, mostMs = ASKED_AGAIN_MS) {
  return async function quietLeftMs(to: string): Promise<number> {
    try {
      const until = await heldUntil(isOfTeam(to) ? to : await directChannel(to), null);
      return until === null ? 0 : Math.min(mostMs, until - now().getTime());
    } catch (error) {
      // Whoever sends it notices, too, and reports it.
      if (error instanceof SlackError) return 0;
      throw error;
    }
  };
}

interface AfterQuietDeps extends Pick<QuietDeps, 'heldUntil'> {
  readonly postNotice: ReturnType<typeof createPostNotice>;
}

/** Posts a notice that nobody waits for, once per id, after the channel's quiet hours. */
export function createPostAfterQuiet({ heldUntil, postNotice }: AfterQuietDeps) {
  return async function postAfterQuiet(channel: string, id: string, message: Message): Promise<void> {
    await postNotice(channel, id, message, 'record', await heldUntil(channel, null));
  };
}
