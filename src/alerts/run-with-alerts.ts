import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { RedisScript } from '../core/redis-script.ts';

/** Finds the id in the key of an alert, whatever a card program has in front: a pattern of Lua. */
export const ALERT_ID_IN_KEY = ':alert:(.+)$';

interface WithAlerts {
  readonly redis: RedisClient;
  readonly script: RedisScript;
  /** The keys that it takes before those of alerts. */
  readonly keys: readonly string[];
  /** Hash whose fields are the ids of alerts that the script may change. */
  readonly owners: string;
  /** Id of another one. */
  readonly own: string;
}

/**
 * Runs a script with the keys of all alerts that it may change: while slots of a Redis Cluster move, a script that touches
 * other keys than it declares would stop in the middle. Where an alert was added meanwhile it is run again.
 *
 * @returns what it answers; null where it answers nothing.
 */
export async function runWithAlerts(given: WithAlerts, args: readonly (string | number)[]): Promise<string | null> {
  const { redis, script, keys, owners, own } = given;
  // Most often there is no other.
  for (let ids = new Set([own]); ; ids = new Set([own, ...(await redis.hkeys(owners))])) {
    const answer = await script.run([...keys, ...[...ids].map((id) => stateKey(`alert:${id}`))], args);
    if (answer !== '') return typeof answer === 'string' || typeof answer === 'number' ? String(answer) : null;
  }
}
