import type { Delivery, Route } from '../alerts/announce.ts';
import { type CardTesting, mayBeCardTesting } from '../alerts/card-testing-store.ts';
import type { EventLog, Step } from '../alerts/event-log.ts';
import type { FraudCases } from '../alerts/fraud-case-store.ts';
import { batched } from '../core/batched.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { type AlertCategory, kindTraits, type WebhookKind } from '../core/event.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Role } from '../policy/decide-action.ts';
import type { createRolesForCard } from '../policy/roles-for-card.ts';
import { visibilityVersionKey } from './channel-access.ts';
import { type QuietHoursStore, routingVersionKey, type Subscriptions } from './channel-rules-store.ts';
import { currentQuietHours, mutesOf, type Note, type RoutingRules, whoWants } from './choose-channels.ts';
import type { FilterSubject } from './filter.ts';
import type { Mute, Mutes } from './mute-store.ts';
import { indexSubscriptions } from './subscription-index.ts';

/** `fallback` gets alerts that their own channel must not get. Without a channel for `spend`, its alerts are not posted. */
type AlertChannels = Readonly<Record<Exclude<AlertCategory, 'spend'> | 'fallback', string>> & {
  readonly spend: string | null;
};

/** The configured channel for a kind; null when none is configured. */
export function defaultChannel(kind: WebhookKind, channels: AlertChannels): string | null {
  return channels[kindTraits[kind].category];
}

/** Returns the current rules. They are cached, so that each event costs one small read until something changes. */
export function createRoutingRules(
  redis: RedisClient,
  stores: {
    readonly subscriptions: Pick<Subscriptions, 'all'>;
    readonly quietHours: Pick<QuietHoursStore, 'all'>;
    readonly mutes: Pick<Mutes, 'inForce'>;
  },
): () => Promise<RoutingRules> {
  let cached: { version: string; rules: Omit<RoutingRules, 'visibilityVersion'> } | null = null;
  const rulesNow = batched(async (calls: readonly 'rules'[]) => {
    const read = await readRules();
    return calls.map(() => read);
  });
  return () => rulesNow('rules');

  async function readRules(): Promise<RoutingRules> {
    // The versions are read first, so that a change in between is noticed the next time.
    const [routingVersion, visibilityVersion = null] = await redis.mget(routingVersionKey, visibilityVersionKey);
    const version = routingVersion ?? '0';
    if (cached?.version !== version) {
      const [subscriptions, quiet, mutes] = await Promise.all([
        stores.subscriptions.all(),
        stores.quietHours.all(),
        stores.mutes.inForce(),
      ]);
      const byChannel = new Map(quiet.map((hours) => [hours.channel, hours]));
      cached = { version, rules: { subscriptions: indexSubscriptions(subscriptions), quiet: byChannel, mutes } };
    }
    return { ...cached.rules, visibilityVersion };
  }
}

interface Deps {
  readonly channels: AlertChannels;
  readonly rules: () => Promise<RoutingRules>;
  readonly mutes: Pick<Mutes, 'withhold'>;
  readonly visibilityOf: (channel: string, version: string | null) => Promise<ChannelVisibility>;
  readonly whyMutePasses: ReturnType<typeof createWhyMutePasses>;
  /** Reports that a channel is shared with another company and gets no more alerts. */
  readonly notifySharedChannel: (channel: string) => Promise<void>;
  readonly eventLog: Pick<EventLog, 'read'>;
  readonly now: () => Date;
}

/** An event while it passes through the rules. */
interface Routing extends FilterSubject {
  readonly isFraudCase: boolean;
  readonly rules: RoutingRules;
  readonly nowMs: number;
  readonly note: Note;
}

export function createRoute(deps: Deps): Route {
  const { channels, mutes, eventLog } = deps;

  return async function route(event, card, isFraudCase) {
    const steps: Step[] = [];
    const note: Note = (step, channel, text) => void steps.push({ step, channel, text });
    const rules = await deps.rules();
    const routing: Routing = { event, card, isFraudCase, rules, nowMs: deps.now().getTime(), note };
    const candidates = whoWants({ event, card }, rules, defaultChannel(event.kind, channels), note);
    const withheld = isFraudCase ? null : await withhold(routing, candidates);
    const channelsLeft = withheld === null ? candidates : leftBy(withheld, candidates, note);
    return { deliveries: await deliveriesTo(channelsLeft, routing), steps };
  };

  /** Withholds an event by the first mute or travel mute that applies, and records it. Null when none does. */
  async function withhold(routing: Routing, candidates: readonly string[]): Promise<WithheldFrom | null> {
    const { event, rules, nowMs, note } = routing;
    const inForce = mutesOf(event, rules.mutes, nowMs);
    const from = inForce.length === 0 ? [] : await notRoutedYet(event.id, candidates, eventLog);
    if (from.length === 0) return null;
    for (const mute of inForce) {
      const why = await deps.whyMutePasses(mute, routing, from);
      if (why !== null) {
        note(
          'skipped',
          null,
          `Not kept back by the ${mute.kind === 'mute' ? 'mute' : 'travel mute'} of <@${mute.by}>${why}.`,
        );
        continue;
      }
      const alerts = from.map((channel) => ({ channel, kind: event.kind, eventId: event.id }));
      if (await mutes.withhold(mute.id, alerts)) return { mute, from };
    }
    return null;
  }

  async function deliveriesTo(candidates: readonly string[], routing: Routing): Promise<Delivery[]> {
    const permitted = new Set(await Promise.all(candidates.map((channel) => notShared(channel, routing))));
    return [...permitted].map((channel) => {
      const hours = routing.rules.quiet.get(channel);
      const quiet =
        hours === undefined || routing.isFraudCase ? null : currentQuietHours(routing, hours, routing.nowMs);
      const passesQuiet = quiet?.isExempt === true;
      if (quiet === null || passesQuiet) return { channel, holdUntil: null, passesQuiet };
      routing.note('held', channel, `Until ${new Date(quiet.until).toISOString()}: ${quiet.because}.`);
      return { channel, holdUntil: quiet.until, passesQuiet };
    });
  }

  /** The channel itself. If another company reads it, the default channel of the kind, or the fallback. */
  async function notShared(channel: string, { event, rules, note }: Routing): Promise<string> {
    const isShared = async (each: string): Promise<boolean> =>
      each !== channels.fallback && (await deps.visibilityOf(each, rules.visibilityVersion)) === 'shared';
    if (!(await isShared(channel))) return channel;
    await deps.notifySharedChannel(channel);
    const usual = defaultChannel(event.kind, channels) ?? channels.fallback;
    const instead = usual !== channel && !(await isShared(usual)) ? usual : channels.fallback;
    note('redirected', channel, `This channel is shared with another company, so <#${instead}> gets it.`);
    return instead;
  }
}

/**
 * Without the channels that an earlier attempt of the job has let the event into: it may be posted there, and a mute that
 * was set since must not count it as withheld.
 */
async function notRoutedYet(
  eventId: string,
  candidates: readonly string[],
  { read }: Pick<EventLog, 'read'>,
): Promise<string[]> {
  const log = await read(eventId);
  const isIn = (step: Step['step'], channel: string): boolean =>
    log.some((each) => each.step === step && each.channel === channel);
  return candidates.filter((channel) => !isIn('routed', channel) || isIn('muted', channel));
}

/** An event that a mute withholds from some channels. */
interface WithheldFrom {
  readonly mute: Mute;
  readonly from: readonly string[];
}

/** The other channels; for a travel mute also the author's direct conversation. */
function leftBy({ mute, from }: WithheldFrom, candidates: readonly string[], note: Note): string[] {
  const why = mute.kind === 'mute' ? 'The card is muted' : 'A travel mute explains it';
  for (const channel of from) note('muted', channel, `${why}, by <@${mute.by}>.`);
  const others = candidates.filter((channel) => !from.includes(channel));
  if (mute.kind === 'mute') return others;
  note('routed', mute.directChannel, 'To the author of the travel mute, instead of the channels.');
  return [...others, mute.directChannel];
}

interface MuteDeps {
  /** For display only. */
  readonly rolesForCard: ReturnType<typeof createRolesForCard>;
  /** A person's Slack profile; null if Slack returns none. For display only. */
  readonly person: (userId: string) => Promise<{ readonly isDeactivated: boolean } | null>;
  /** A person's direct conversation. @throws SlackError */
  readonly directChannel: (userId: string) => Promise<string>;
  /** Whether one of these roles is enough to set a travel mute. */
  readonly mayTravel: (roles: readonly Role[]) => boolean;
  /** Whether the user is linked to the card, or recently was. */
  readonly isHolder: (userId: string, acctId: number) => Promise<boolean>;
  readonly cardTesting: Pick<CardTesting, 'join'>;
  readonly fraudCases: Pick<FraudCases, 'openOf'>;
}

/**
 * Why nobody would read what goes to the author of a travel mute; null: they read it. The policy may still name them, and an
 * app that replaces this one has another conversation with them.
 */
async function whyUnread(
  { by, directChannel }: Extract<Mute, { kind: 'travel' }>,
  deps: Pick<MuteDeps, 'person' | 'directChannel'>,
): Promise<string | null> {
  try {
    if ((await deps.person(by))?.isDeactivated !== false) return ', whose Slack account is not active';
    const isSame = (await deps.directChannel(by)) === directChannel;
    return isSame ? null : ', whose conversation with Cardbell is another one by now';
  } catch {
    return ': Slack could not say just now whether they would read it';
  }
}

/**
 * Why a mute in force does not withhold an event, as a phrase that follows the author's name; null when it does withhold
 * it.
 *
 * A mute belongs to the team: it outlives its author's role, is listed with its author, and has an end. It stops applying
 * if its author becomes the card's holder, because nobody mutes their own card. A travel mute sends alerts to its author
 * instead, so it applies only while they certainly may read them. No mute applies while the card has an open fraud case,
 * because the case says that everything about the card follows in its thread.
 *
 * Withheld declines still count towards card testing: a muted card may be one of the tested cards.
 */
export function createWhyMutePasses(deps: MuteDeps) {
  const { rolesForCard, mayTravel, isHolder, cardTesting, fraudCases } = deps;
  /** @param channels those that would get the event. */
  return async function whyMutePasses(
    mute: Mute,
    { event, card }: FilterSubject,
    channels: readonly string[],
  ): Promise<string | null> {
    if (await isHolder(mute.by, mute.acctId)) return ', who holds the card';
    if ((await fraudCases.openOf(mute.acctId)) !== null) return ': a fraud case is open';
    if (event.kind === 'decline' && mayBeCardTesting(event)) {
      const warnings = await Promise.all(channels.map((channel) => cardTesting.join(channel, event, card)));
      if (warnings.some((warning) => warning !== null)) return ': several cards were declined at this merchant';
    }
    if (mute.kind === 'mute') return null;
    const { roles, isComplete, isGroupKnown } = await rolesForCard(mute.by, mute.acctId);
    if (!isGroupKnown) return ': the group of the card is not known just now';
    if (mayTravel(roles)) return await whyUnread(mute, deps);
    return isComplete
      ? ', who has no role any more for this card'
      : ': Slack could not say just now which role they have';
  };
}
