import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardFacts } from '../core/card-facts.ts';
import type { WebhookKind } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { routingChanged } from './routing-version.ts';

/** Longer than any mute lasts; the end of a mute removes what it withheld. */
const WITHHELD_TTL_SECONDS = 100 * 24 * 3600;

const common = {
  /** Of the action that asked for it, so that no two mutes share one. */
  id: z.string(),
  acctId: z.int().positive(),
  /** As it was known when somebody asked. */
  card: CardFacts,
  /** Slack user id of the author. */
  by: z.string(),
  reason: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  endsAt: z.string(),
};

/**
 * Alerts of a card that are not posted for a while. A mute is never edited, as in Alertmanager: what changes it is
 * another mute, with an id of its own, that replaces it.
 */
export const Mute = z.discriminatedUnion('kind', [
  /** Whatever the card does. */
  z.strictObject({ kind: z.literal('mute'), ...common }),
  /** A travel notice: only declines that the journey explains. */
  z.strictObject({
    kind: z.literal('travel'),
    ...common,
    /** ISO 3166, two letters. */
    countries: z.array(z.string()).min(1),
    /** Direct conversation with the author, who gets the declines instead of the channels. */
    directChannel: z.string(),
  }),
]);
export type Mute = z.infer<typeof Mute>;

/** An alert that a mute withheld. */
export interface Withheld {
  readonly channel: string;
  readonly kind: WebhookKind;
  readonly eventId: string;
}

/**
 * A mute is in force, then ended, then removed. Whoever ends or replaces it takes over what it withheld in the same
 * transaction, so each alert is counted once, however the end of one mute meets the beginning of the next.
 */
export interface Mutes {
  /** Replaces the mute of the same kind and card, and goes on counting what that one withheld. Safe to repeat. */
  put(mute: Mute): Promise<void>;
  /** From now on it withholds nothing. What it withheld waits to be reported. Safe to repeat. */
  end(mute: Mute): Promise<void>;
  /** It has been reported that it ended. */
  remove(id: string): Promise<void>;
  get(id: string): Promise<{ readonly mute: Mute; readonly hasEnded: boolean } | null>;
  /** Soonest end first. The end of some may be over: nobody has ended them yet. */
  inForce(): Promise<Mute[]>;
  /** In force, and their end lies ahead. */
  active(): Promise<Mute[]>;
  /** It has not been reported yet that they ended. */
  ended(): Promise<Mute[]>;
  /**
   * Withholds an alert, and remembers in which channels. Safe to repeat.
   *
   * @returns false when the mute is no longer in force: nobody would report that the alert was withheld, so it must be
   *   posted.
   */
  withhold(id: string, alerts: readonly Withheld[]): Promise<boolean>;
  /** What a mute in force has withheld so far, or what is to be reported of one that ended. */
  withheld(id: string): Promise<Withheld[]>;
}

const withholdSource = readScript(new URL('./withhold.lua', import.meta.url));

export function createMutes(redis: Redis | Cluster, now: () => Date = () => new Date()): Mutes {
  const withheldKey = (id: string): string => stateKey(`withheld:${id}`);
  const unreportedKey = (id: string): string => stateKey(`withheld-unreported:${id}`);
  const inForceKey = stateKey('mutes');
  const inForce = createRecordHash({ redis, schema: Mute, key: inForceKey });
  const ended = createRecordHash({ redis, schema: Mute, key: stateKey('mutes-ended') });
  const withholdOnce = defineScript(redis, withholdSource);
  const bySoonestEnd = (mutes: Mute[]): Mute[] => mutes.toSorted((a, b) => a.endsAt.localeCompare(b.endsAt));

  return {
    async put(mute) {
      const replaced = (await inForce.all()).filter(
        ({ id, acctId, kind }) => acctId === mute.acctId && kind === mute.kind && id !== mute.id,
      );
      await inForce.put(mute.id, mute, (change) => {
        for (const { id } of replaced) {
          change
            .hdel(inForceKey, id)
            .sunionstore(withheldKey(mute.id), withheldKey(mute.id), withheldKey(id))
            .expire(withheldKey(mute.id), WITHHELD_TTL_SECONDS)
            .del(withheldKey(id));
        }
        routingChanged(change);
      });
    },
    async end(mute) {
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
    remove: (id) => ended.delete(id, (change) => change.del(unreportedKey(id))),
    async get(id) {
      const mute = await inForce.get(id);
      if (mute !== null) return { mute, hasEnded: false };
      const over = await ended.get(id);
      return over === null ? null : { mute: over, hasEnded: true };
    },
    inForce: async () => bySoonestEnd(await inForce.all()),
    active: async () => bySoonestEnd(await inForce.all()).filter(({ endsAt }) => Date.parse(endsAt) > now().getTime()),
    ended: async () => bySoonestEnd(await ended.all()),
    async withhold(id, alerts) {
      const members = alerts.map(({ channel, kind, eventId }) => JSON.stringify([channel, kind, eventId]));
      return (await withholdOnce.run([inForceKey, withheldKey(id)], [id, WITHHELD_TTL_SECONDS, ...members])) === 1;
    },
    async withheld(id) {
      const members = await redis.sunion(withheldKey(id), unreportedKey(id));
      return members.map((text) => {
        const [channel, kind, eventId] = JSON.parse(text) as [string, WebhookKind, string];
        return { channel, kind, eventId };
      });
    },
  };
}
