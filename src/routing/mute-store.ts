import { z } from 'zod';
import { CardFacts } from '../core/card-facts.ts';
import type { WebhookKind } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { routingChanged } from './channel-rules-store.ts';

/** Longer than any mute. When a mute ends, its withheld alerts are reported and removed. */
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

/**
 * A mute is in force, then ended, then removed. Its withheld alerts move in the same transaction that ends it, so each alert
 * is counted once, even when one mute ends as the next starts.
 */
export type Mutes = ReturnType<typeof createMutes>;

const withholdSource = readScript(new URL('./withhold.lua', import.meta.url));

export function createMutes(redis: RedisClient, now: () => Date) {
  const withheldKey = (id: string): string => stateKey(`withheld:${id}`);
  const unreportedKey = (id: string): string => stateKey(`withheld-unreported:${id}`);
  const inForceKey = stateKey('mutes');
  const inForce = createRecordHash({ redis, schema: Mute, key: inForceKey });
  const ended = createRecordHash({ redis, schema: Mute, key: stateKey('mutes-ended') });
  const withholdOnce = defineScript(redis, withholdSource);
  const bySoonestEnd = (mutes: Mute[]): Mute[] => mutes.toSorted((a, b) => a.endsAt.localeCompare(b.endsAt));

  return {
    /** Idempotent. */
    put: (mute: Mute): Promise<void> => inForce.put(mute.id, mute, routingChanged),
    /** Ends a mute. Its withheld alerts are reported later. Idempotent. */
    async end(mute: Mute): Promise<void> {
      const unreported = unreportedKey(mute.id);
      await ended.put(mute.id, mute, (change) => {
        change
          .hdel(inForceKey, mute.id)
          .sunionstore(unreported, unreported, withheldKey(mute.id))
          .expire(unreported, WITHHELD_TTL_SECONDS)
          .del(withheldKey(mute.id));
        routingChanged(change);
      });
    },
    /** Removes a mute whose end was reported, even if Redis rewound to a state in which the mute was in force. */
    remove: ({ id }: Mute): Promise<void> =>
      ended.delete(id, (change) => routingChanged(change.hdel(inForceKey, id).del(unreportedKey(id), withheldKey(id)))),
    async get(id: string): Promise<{ readonly mute: Mute; readonly hasEnded: boolean } | null> {
      const mute = await inForce.get(id);
      if (mute !== null) return { mute, hasEnded: false };
      const endedMute = await ended.get(id);
      return endedMute === null ? null : { mute: endedMute, hasEnded: true };
    },
    /** Soonest end first. Some may have passed their end without having been ended yet. */
    inForce: async (): Promise<Mute[]> => bySoonestEnd(await inForce.all()),
    /** The mutes in force that have not passed their end. */
    active: async (): Promise<Mute[]> =>
      bySoonestEnd(await inForce.all()).filter(({ endsAt }) => Date.parse(endsAt) > now().getTime()),
    /** The mutes whose end was not reported yet. */
    ended: async (): Promise<Mute[]> => bySoonestEnd(await ended.all()),
    /**
     * Withholds an alert from these channels. Idempotent.
     *
     * @returns false when the mute is no longer in force: the alert must then be posted, because nothing would report it.
     */
    async withhold(id: string, alerts: readonly Withheld[]): Promise<boolean> {
      const members = alerts.map(({ channel, kind, eventId }) => JSON.stringify([channel, kind, eventId]));
      return (await withholdOnce.run([inForceKey, withheldKey(id)], [id, WITHHELD_TTL_SECONDS, ...members])) === 1;
    },
    /** Alerts that a mute withheld and that were not reported yet. */
    async withheld(id: string): Promise<Withheld[]> {
      const members = await redis.sunion(withheldKey(id), unreportedKey(id));
      return members.map((text) => {
        const [channel, kind, eventId] = JSON.parse(text) as [string, WebhookKind, string];
        return { channel, kind, eventId };
      });
    },
  };
}
