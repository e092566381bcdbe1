import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardFacts } from '../alert/alert.ts';
import { stateKey } from '../keys.ts';
import { routingChanged } from './routing-version.ts';

/** Longer than any mute lasts; the end of a mute takes it away. */
const WITHHELD_TTL_SECONDS = 100 * 24 * 3600;

/** Alerts of a card that are not posted for a while. It always ends. */
export const Mute = z.strictObject({
  /** One for each account and sort. */
  id: z.string(),
  acctId: z.int().positive(),
  /** As it was known when somebody asked. */
  card: CardFacts,
  /** A travel notice: only declines that the journey explains. Null: whatever the card does. */
  travel: z
    .strictObject({
      /** ISO 3166, two letters. */
      countries: z.array(z.string()).min(1),
      /** Direct conversation with the author, who gets the declines instead of the channels. */
      directChannel: z.string(),
    })
    .nullable(),
  /** Slack user id of the author. */
  by: z.string(),
  reason: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  endsAt: z.string(),
});
export type Mute = z.infer<typeof Mute>;

/** An alert that a mute kept back. */
export interface Withheld {
  readonly channel: string;
  readonly kind: string;
  readonly eventId: string;
}

export interface Mutes {
  /** Takes the place of the mute of the same id; what that one kept back is counted with it. */
  put(mute: Mute): Promise<void>;
  get(id: string): Promise<Mute | null>;
  /** With what it kept back. */
  remove(id: string): Promise<void>;
  /** Every mute and travel notice that has not ended, soonest end first. */
  active(): Promise<Mute[]>;
  /** The same with those whose end is over and that nobody has ended yet. */
  all(): Promise<Mute[]>;
  /** Remembers an alert that was kept back. Safe to repeat. */
  withhold(id: string, alert: Withheld): Promise<void>;
  withheld(id: string): Promise<Withheld[]>;
}

export function createMutes(redis: Redis | Cluster, now: () => Date = () => new Date()): Mutes {
  const key = stateKey('mutes');
  const withheldKey = (id: string): string => stateKey(`withheld:${id}`);
  const all = async (): Promise<Mute[]> => {
    const mutes = Object.values(await redis.hgetall(key)).map((text) => Mute.parse(JSON.parse(text)));
    return mutes.toSorted((one, other) => one.endsAt.localeCompare(other.endsAt));
  };
  return {
    async put(mute) {
      await routingChanged(redis.multi().hset(key, mute.id, JSON.stringify(Mute.parse(mute)))).exec();
    },
    async get(id) {
      const text = await redis.hget(key, id);
      return text === null ? null : Mute.parse(JSON.parse(text));
    },
    async remove(id) {
      await routingChanged(redis.multi().hdel(key, id).del(withheldKey(id))).exec();
    },
    active: async () => (await all()).filter(({ endsAt }) => Date.parse(endsAt) > now().getTime()),
    all,
    async withhold(id, { channel, kind, eventId }) {
      const member = JSON.stringify([channel, kind, eventId]);
      await redis.multi().sadd(withheldKey(id), member).expire(withheldKey(id), WITHHELD_TTL_SECONDS).exec();
    },
    async withheld(id) {
      const members = await redis.smembers(withheldKey(id));
      return members.map((text) => {
        const [channel, kind, eventId] = JSON.parse(text) as [string, string, string];
        return { channel, kind, eventId };
      });
    },
  };
}
