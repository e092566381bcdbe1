import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardFacts } from '../alerts/alert.ts';
import { stateKey } from '../core/keys.ts';
import { defineScript } from '../core/redis-script.ts';
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
  /** It keeps nothing back any more: what it kept back is being told. */
  isEnding: z.boolean().optional(),
});
export type Mute = z.infer<typeof Mute>;

/** An alert that a mute kept back. */
export interface Withheld {
  readonly channel: string;
  readonly kind: string;
  readonly eventId: string;
}

export interface Mutes {
  /**
   * Takes the place of the mute of the same id; what that one kept back is counted with it. One that is ending already
   * tells of that itself: it goes on under an id of its own.
   */
  put(mute: Mute): Promise<void>;
  get(id: string): Promise<Mute | null>;
  /** From now on it keeps nothing back. What it kept back stays as it is until it is removed. */
  beginEnd(mute: Mute): Promise<void>;
  /** With what it kept back, unless another mute has taken that over. */
  remove(mute: Mute): Promise<void>;
  /** Every mute and travel notice that has not ended, soonest end first. */
  active(): Promise<Mute[]>;
  /** The same with those whose end is over and that nobody has ended yet. */
  all(): Promise<Mute[]>;
  /**
   * Keeps an alert back, and remembers in which channels. Safe to repeat.
   *
   * @returns false when the mute has ended meanwhile: nobody would say that the alert was kept back, so it must be posted.
   */
  withhold(id: string, alerts: readonly Withheld[]): Promise<boolean>;
  /** What a mute kept back and tells of; nothing where another has taken that over. */
  withheld(mute: Pick<Mute, 'id' | 'at'>): Promise<Withheld[]>;
  /** By which its end is told once, also when another has taken its place meanwhile. */
  endId(mute: Pick<Mute, 'id' | 'at'>): string;
}

/** Under which a mute goes on that was replaced while it ended. */
function asideId({ id, at }: Pick<Mute, 'id' | 'at'>): string {
  return /^[a-z]+-\d+$/.test(id) ? `${id}-${Date.parse(at)}` : id;
}

/** KEYS: mutes, what this one kept back. ARGV: id, time to live, what it keeps back. */
const withholdScript = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or cjson.decode(text).isEnding then return 0 end
for place = 3, #ARGV do redis.call('SADD', KEYS[2], ARGV[place]) end
redis.call('EXPIRE', KEYS[2], ARGV[2])
return 1
`;

/** KEYS: mutes, what this one kept back. ARGV: id, when it was made, its last form or empty: it is gone. */
const endScript = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text or cjson.decode(text).at ~= ARGV[2] then return 0 end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
else
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('DEL', KEYS[2])
end
return 1
`;

/**
 * KEYS: mutes, what the id keeps back, what the one before it kept back. ARGV: id, when it is made, it, the id under which
 * the one before goes on or empty, that one. Answers 0 where the one before began to end just now: it is to be asked for
 * again.
 */
const putScript = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
local before = text and cjson.decode(text)
if before and before.isEnding and before.at ~= ARGV[2] then
  if ARGV[4] == '' then return 0 end
  redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
  if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAME', KEYS[2], KEYS[3]) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`;

/** KEYS: mutes, what the id keeps back, what it kept back when it was replaced. ARGV: id, when it was made. */
const withheldScript = `
local text = redis.call('HGET', KEYS[1], ARGV[1])
local isThere = text and cjson.decode(text).at == ARGV[2]
return redis.call('SMEMBERS', isThere and KEYS[2] or KEYS[3])
`;

export function createMutes(redis: Redis | Cluster, now: () => Date = () => new Date()): Mutes {
  const key = stateKey('mutes');
  const withholdIn = defineScript(redis, 'cardbellMuteWithhold', withholdScript);
  const end = defineScript(redis, 'cardbellMuteEnd', endScript);
  const putIn = defineScript(redis, 'cardbellMutePut', putScript);
  const readWithheld = defineScript(redis, 'cardbellMuteWithheld', withheldScript);
  const withheldKey = (id: string): string => stateKey(`withheld:${id}`);
  const all = async (): Promise<Mute[]> => {
    const mutes = Object.values(await redis.hgetall(key)).map((text) => Mute.parse(JSON.parse(text)));
    return mutes.toSorted((one, other) => one.endsAt.localeCompare(other.endsAt));
  };
  async function get(id: string): Promise<Mute | null> {
    const text = await redis.hget(key, id);
    return text === null ? null : Mute.parse(JSON.parse(text));
  }
  async function endAs(id: string, { at }: Mute, last: string): Promise<void> {
    await end.run([key, withheldKey(id)], [id, at, last]);
    await routingChanged(redis.multi()).exec();
  }

  return {
    async put(mute) {
      const text = JSON.stringify(Mute.parse(mute));
      for (let isIn = false; !isIn; ) {
        const before = await get(mute.id);
        const isEnding = before?.isEnding === true && before.at !== mute.at;
        const id = isEnding ? asideId(before) : '';
        const aside = isEnding ? JSON.stringify({ ...before, id }) : '';
        const keys = [key, withheldKey(mute.id), withheldKey(id)];
        isIn = (await putIn.run(keys, [mute.id, mute.at, text, id, aside])) === 1;
      }
      await routingChanged(redis.multi()).exec();
    },
    get,
    endId: asideId,
    beginEnd: (mute) => endAs(mute.id, mute, JSON.stringify(Mute.parse({ ...mute, isEnding: true }))),
    async remove(mute) {
      await endAs(mute.id, mute, '');
      if (asideId(mute) !== mute.id) await endAs(asideId(mute), mute, '');
    },
    active: async () =>
      (await all()).filter(({ endsAt, isEnding }) => isEnding !== true && Date.parse(endsAt) > now().getTime()),
    all,
    async withhold(id, alerts) {
      const members = alerts.map(({ channel, kind, eventId }) => JSON.stringify([channel, kind, eventId]));
      return (await withholdIn.run([key, withheldKey(id)], [id, WITHHELD_TTL_SECONDS, ...members])) === 1;
    },
    async withheld(mute) {
      const keys = [key, withheldKey(mute.id), withheldKey(asideId(mute))];
      const members = (await readWithheld.run(keys, [mute.id, mute.at])) as string[];
      return members.map((text) => {
        const [channel, kind, eventId] = JSON.parse(text) as [string, string, string];
        return { channel, kind, eventId };
      });
    },
  };
}
