import { z } from 'zod';
import { CardFacts } from '../core/card-facts.ts';
import type { WebhookKind } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { routingChanged } from './channel-rules-store.ts';

/** Longer than any mute. When its end is reported, its withheld alerts are removed. */
const WITHHELD_TTL_SECONDS = 100 * 24 * 3600;

const common = {
  /** Derived from the action's id, so it is unique. */
  id: z.string(),
  acctId: z.int().positive(),
  /** The card's facts when the mute was set. */
  card: CardFacts,
  /** Slack user id of the author. */
  by: z.string(),
  reason: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  endsAt: z.string(),
  /** It is over, and its end is not reported yet. */
  hasEnded: z.literal(true).optional(),
};

/** Keeps a card's alerts out of the channels for a while. Never edited: it ends, and a new one has its own id. */
export const Mute = z.discriminatedUnion('kind', [
  /** All alerts of the card. */
  z.strictObject({ kind: z.literal('mute'), ...common }),
  /** A travel mute: only declines that a trip explains. */
  z.strictObject({
    kind: z.literal('travel'),
    ...common,
    /** ISO 3166, two letters. */
    countries: z.array(z.string()).min(1),
    /** The author's direct conversation, which gets these declines instead of the channels. */
    directChannel: z.string(),
  }),
]);
export type Mute = z.infer<typeof Mute>;

export interface Withheld {
  readonly channel: string;
  readonly kind: WebhookKind;
  readonly eventId: string;
}

/** A mute is in force, then ended, then removed. Nothing is withheld by it once it has ended. */
export type Mutes = ReturnType<typeof createMutes>;

const withholdSource = readScript(new URL('./withhold.lua', import.meta.url));

export function createMutes(redis: RedisClient, now: () => Date) {
  const withheldKey = (id: string): string => stateKey(`withheld:${id}`);
  const key = stateKey('mutes');
  const store = createRecordHash({ redis, schema: Mute, key });
  const withholdOnce = defineScript(redis, withholdSource);
  const bySoonestEnd = async (isMeant: (mute: Mute) => boolean): Promise<Mute[]> =>
    (await store.all()).filter(isMeant).toSorted((a, b) => a.endsAt.localeCompare(b.endsAt));

  return {
    /** Idempotent. */
    put: (mute: Mute): Promise<void> => store.put(mute.id, mute, routingChanged),
    /** Ends a mute. Its withheld alerts are reported later. Idempotent. */
    end: (mute: Mute): Promise<void> => store.put(mute.id, { ...mute, hasEnded: true }, routingChanged),
    /** Removes a mute whose end was reported. */
    remove: ({ id }: Mute): Promise<void> => store.delete(id, (change) => routingChanged(change.del(withheldKey(id)))),
    get: store.get,
    /** Soonest end first. Some may have passed their end without having been ended yet. */
    inForce: (): Promise<Mute[]> => bySoonestEnd(({ hasEnded }) => hasEnded !== true),
    /** The mutes in force that have not passed their end. */
    active: (): Promise<Mute[]> =>
      bySoonestEnd(({ hasEnded, endsAt }) => hasEnded !== true && Date.parse(endsAt) > now().getTime()),
    /** The mutes whose end was not reported yet. */
    ended: (): Promise<Mute[]> => bySoonestEnd(({ hasEnded }) => hasEnded === true),
    /**
     * Withholds an alert from these channels. Idempotent.
     *
     * @returns false when the mute is no longer in force: the alert must then be posted, because nothing would report it.
     */
    async withhold(id: string, alerts: readonly Withheld[]): Promise<boolean> {
      const members = alerts.map(({ channel, kind, eventId }) => JSON.stringify([channel, kind, eventId]));
      return (await withholdOnce.run([key, withheldKey(id)], [id, WITHHELD_TTL_SECONDS, ...members])) === 1;
    },
    /** Alerts that a mute withheld and that were not reported yet. */
    async withheld(id: string): Promise<Withheld[]> {
      return (await redis.smembers(withheldKey(id))).map((text) => {
        const [channel, kind, eventId] = JSON.parse(text) as [string, WebhookKind, string];
        return { channel, kind, eventId };
      });
    },
  };
}
