import type { Delivery, Route } from '../alerts/announce.ts';
import type { EventLog, EventLogStep } from '../alerts/event-log.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { StoredEvent } from '../core/event.ts';
import { type Candidate, mutesOf, quietFor, whoWants } from './decide.ts';
import { type AlertChannels, defaultChannel } from './default-channel.ts';
import { kindName } from './filter.ts';
import type { Mute, Mutes } from './mute-store.ts';
import type { RoutingRules } from './routing-rules.ts';

interface Deps {
  readonly channels: AlertChannels;
  readonly rules: () => Promise<RoutingRules>;
  readonly mutes: Pick<Mutes, 'withhold'>;
  readonly visibilityOf: (channel: string, version: string | null) => Promise<ChannelVisibility>;
  /** Whether the author of a travel notice may still hear of cards that are not their own; unknown: Slack does not say. */
  readonly mayBeNotified: (userId: string) => Promise<'yes' | 'no' | 'unknown'>;
  /** A channel is shared with another company and gets nothing any more. */
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  readonly eventLog: Pick<EventLog, 'note' | 'setLatest'>;
  readonly now: () => Date;
}

type Step = Omit<EventLogStep, 'at'>;

const PASSED_OVER_MAX = 12;

export function createRoute(deps: Deps): Route {
  const { channels, mutes, eventLog } = deps;

  return async function route(event, card) {
    const rules = await deps.rules();
    const now = deps.now().getTime();
    const steps: Step[] = [];
    const note = (step: Step['step'], channel: string | null, text: string): void => {
      steps.push({ step, channel, text });
    };

    const { candidates, passedOver } = whoWants({ event, card }, rules, defaultChannel(event.kind, channels));
    for (const { channel, because } of candidates) note('routed', channel, `Because ${because.join('; ')}.`);
    if (candidates.length === 0) {
      note('skipped', null, `No channel gets ${kindName(event.kind)}: none is configured, and no subscription fits.`);
    }
    for (const reason of passedOver.slice(0, PASSED_OVER_MAX)) note('skipped', null, `Not for ${reason}.`);
    if (passedOver.length > PASSED_OVER_MAX) {
      note('skipped', null, `${passedOver.length - PASSED_OVER_MAX} more subscriptions do not fit.`);
    }

    const mute = await withheldBy(event, candidates, rules, now, note);
    let deliveries: Delivery[] = [];
    if (mute === null) {
      for (const channel of await safe(
        candidates.map((one) => one.channel),
        event,
        rules.visibilityVersion,
        note,
      )) {
        const quiet = quietFor({ event, card }, channel, rules, now);
        const passesQuiet = quiet?.isExcepted === true;
        const until = quiet === null || passesQuiet ? null : quiet.until;
        if (until !== null) note('held', channel, `Until ${new Date(until).toISOString()}: ${quiet?.because}.`);
        deliveries.push({ channel, holdUntil: until, passesQuiet });
      }
    } else {
      for (const { channel } of candidates) {
        note(
          'muted',
          channel,
          `${mute.kind === 'mute' ? 'The card is muted' : 'A travel notice explains it'}, by <@${mute.by}>.`,
        );
      }
      if (mute.kind === 'travel') {
        deliveries = [{ channel: mute.directChannel, holdUntil: null, passesQuiet: false }];
        note('routed', mute.directChannel, 'To the author of the travel notice, instead of the channels.');
      }
    }
    await Promise.all([
      eventLog.note(event.id, ...steps),
      event.acctId === null ? Promise.resolve() : eventLog.setLatest(event.acctId, event.id),
    ]);
    return deliveries;
  };

  /**
   * The mute or travel notice that keeps an event back, written down there; null when none does.
   *
   * A mute is the team's: it outlives the role of who set it, is listed with its author, and ends. A travel notice sends
   * alerts to its author instead, so it counts only while it is certain that they may read them: else the channels get
   * them as always, and nobody misses anything.
   */
  async function withheldBy(
    event: StoredEvent,
    candidates: readonly Candidate[],
    rules: RoutingRules,
    now: number,
    note: (step: Step['step'], channel: string | null, text: string) => void,
  ): Promise<Mute | null> {
    if (candidates.length === 0) return null;
    const { kind, id: eventId } = event;
    for (const mute of mutesOf(event, rules.mutes, now)) {
      const mayBeNotified = mute.kind === 'mute' ? 'yes' : await deps.mayBeNotified(mute.by);
      if (mayBeNotified !== 'yes') {
        const why =
          mayBeNotified === 'no' ? ', who has no role any more' : ': Slack could not say just now which role they have';
        note('skipped', null, `Not kept back by the travel notice of <@${mute.by}>${why}.`);
        continue;
      }
      const alerts = candidates.map(({ channel }) => ({ channel, kind, eventId }));
      if (await mutes.withhold(mute.id, alerts)) return mute;
    }
    return null;
  }

  /** In place of a channel that another company reads: the default channel, or the one for everything. */
  async function safe(
    wanted: readonly string[],
    event: StoredEvent,
    version: string | null,
    note: (step: Step['step'], channel: string, text: string) => void,
  ): Promise<Set<string>> {
    const result = new Set<string>();
    for (const channel of wanted) {
      if (channel === channels.fallback || (await deps.visibilityOf(channel, version)) !== 'shared') {
        result.add(channel);
        continue;
      }
      await deps.notifySharedChannel(channel);
      const usual = defaultChannel(event.kind, channels) ?? channels.fallback;
      const instead =
        usual !== channel && (await deps.visibilityOf(usual, version)) !== 'shared' ? usual : channels.fallback;
      note('redirected', channel, `This channel is shared with another company, so <#${instead}> gets it.`);
      result.add(instead);
    }
    return result;
  }
}
