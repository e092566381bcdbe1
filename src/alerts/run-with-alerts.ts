import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { RedisScript } from '../core/redis-script.ts';

/** Lua pattern that finds the id in an alert's key, whatever the key prefix of the card program. */
export const ALERT_ID_IN_KEY = ':alert:(.+)$';

interface WithAlerts {
  readonly redis: RedisClient;
  readonly script: RedisScript;
  /** The keys that precede those of the alerts. */
  readonly keys: readonly string[];
  /** Hash whose fields are the ids of alerts that the script may change. */
  readonly owners: string;
  /** Id of one more alert that the script may change. */
  readonly own: string;
}

/**
 * Runs a script with the keys of all alerts that it may change: while slots of a Redis Cluster move, a script that touches
 * undeclared keys would stop halfway. Runs it again if an alert was added in the meantime.
 *
 * @returns the script's answer; null when it returns none.
 */
export async function runWithAlerts(given: WithAlerts, args: readonly (string | number)[]): Promise<string | null> {
  const { redis, script, keys, owners, own } = given;
  // Usually there are no others.
  for (let ids = new Set([own]); ; ids = new Set([own, ...(await redis.hkeys(owners))])) {
    const answer = await script.run([...keys, ...[...ids].map((id) => stateKey(`alert:${id}`))], args);
    if (answer !== '') return typeof answer === 'string' || typeof answer === 'number' ? String(answer) : null;
  }
}
