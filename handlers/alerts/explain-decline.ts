import { setTimeout as wait } from 'node:timers/promises';
import type { AllMiddlewareArgs, MessageShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { alertsOfKind } from '../../src/alerts/alert-store.ts';
import { atLastTry } from '../../src/alerts/show-alert.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { isPermitted } from '../../src/dispatch/verbs.ts';
import { explainDecline as explanation, nothingToExplain } from '../../templates/alerts/explain-decline.ts';
import { ofShortcut } from '../dispatch/interaction.ts';
import { look } from '../dispatch/look.ts';
import { refuseFormerHolder } from '../dispatch/refused.ts';

type Args = AllMiddlewareArgs & SlackShortcutMiddlewareArgs<MessageShortcut>;

/** A message can show several declines. */
const SHOWN_MAX = 3;
/** Slack shows a message shortly before we record which alerts it shows. */
const JUST_POSTED_MS = 60_000;
const LOOK_AGAIN_MS = 400;
/** In total less than the three seconds within which Slack accepts a view. */
const LOOKS = 5;

/**
 * *Explain this decline*, on any of our messages. Also works in threads, where slash commands do not.
 *
 * Anyone who sees the message may read what the channel may show. Only operators see how the alert was routed.
 */
export function explainDecline(deps: ListenerDeps) {
  return async ({ ack, shortcut }: Args): Promise<void> => {
    await ack();
    const { channel, message, user, trigger_id } = shortcut;
    const [alerts, place] = await Promise.all([
      declinesOf(channel.id, [message.ts, message['thread_ts'] as string | undefined], deps),
      deps.visibilityOf(channel.id),
    ]);
    const shown = alerts.slice(0, SHOWN_MAX);
    const [first, ...others] = shown;
    if (first === undefined) {
      await deps.openView(trigger_id, nothingToExplain());
      return;
    }
    const interaction = ofShortcut(shortcut, deps);
    let isShown = false;
    const show = async (): Promise<Refused | undefined> => {
      for (const alert of alerts) {
        const refusal = await refuseFormerHolder(interaction, alert, deps);
        if (refusal !== null) return refusal;
      }
      const explained = await Promise.all(
        shown.map(async (alert) => {
          // They may be cards of several groups, with approvers of their own.
          const [isWaySeen, approver, operator] = await Promise.all([
            maySeeWay(user.id, alert, deps),
            deps.rights.whoMay('approver', alert.card.group),
            deps.rights.whoMay('operator', alert.card.group),
          ]);
          const eventLog = isWaySeen ? await deps.eventLog.read(alert.event.id) : null;
          return { alert, eventLog, whoMay: { approver, operator } };
        }),
      );
      await deps.openView(
        trigger_id,
        explanation(explained, { place, now: deps.now(), more: alerts.length - explained.length }),
      );
      isShown = true;
      return undefined;
    };
    await look(interaction, explanationOf(first), show, deps);
    // They may be of other cards. Each look needs an id of its own to be stored.
    for (const other of isShown ? others : []) {
      const id = contentId('act_', [interaction.id, other.event.id]);
      await look({ ...interaction, id }, explanationOf(other), async () => undefined, deps);
    }
  };
}

function explanationOf({ event }: TransactionAlert) {
  return { target: { kind: 'alert', alertId: event.id }, seen: 'explanation' } as const;
}

/** The people who may ask `/card why`. */
async function maySeeWay(userId: string, { event }: TransactionAlert, deps: ListenerDeps): Promise<boolean> {
  const { roles } = await deps.rolesForCard(userId, event.acctId);
  return isPermitted('why', roles);
}

async function declinesOf(
  channel: string,
  places: readonly [string, string | undefined],
  deps: ListenerDeps,
): Promise<TransactionAlert[]> {
  const justPosted = deps.now().getTime() - Number(places[0]) * 1000 < JUST_POSTED_MS;
  for (let looks = justPosted ? LOOKS : 1; ; looks -= 1) {
    const declines = await declinesAt(channel, places, deps);
    if (declines.length > 0 || looks === 1) return declines;
    await wait(LOOK_AGAIN_MS);
  }
}

/** The declines of the message itself, or of the thread's first message when it shows none. */
async function declinesAt(
  channel: string,
  places: readonly (string | undefined)[],
  { alerts, trackedMessages }: ListenerDeps,
): Promise<TransactionAlert[]> {
  for (const ts of places) {
    if (ts === undefined) continue;
    const shown = await alertsOfKind('transaction', await trackedMessages.alertsAt(channel, ts), alerts);
    // With the numbers that the message shows.
    const tried = await Promise.all(shown.map((alert) => atLastTry(alert, channel, alerts)));
    const declines = tried.flatMap((alert) =>
      alert.kind === 'transaction' && alert.event.decline !== null ? [alert] : [],
    );
    if (declines.length > 0) return declines;
  }
  return [];
}
