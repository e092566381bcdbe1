import { batched } from '../core/batched.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript, type ScriptSource } from '../core/redis-script.ts';
import { alertKey } from './event-log.ts';

/** Lua pattern that finds the id in an alert's key, whatever the key prefix of the card program. */
const ALERT_ID_IN_KEY = ':alert:(.+)$';

interface WithAlerts<Item> {
  /**
   * Takes KEYS: those of each item, of which the last is an alert's, then more alerts. ARGV: the pattern of an alert's id in
   * a key, the number of items, `settings`, then those of each item. Answers per item, with '' if the key of an alert is
   * missing that it has to change.
   */
  readonly source: ScriptSource;
  readonly settings: readonly (string | number)[];
  keysOf(item: Item): readonly string[];
  argsOf(item: Item): readonly (string | number)[];
  /** Key of the times that other alerts cover, which the script may change. */
  ownersOf(item: Item): string;
}

/**
 * Makes a script callable that changes alerts. Calls of the same turn of the event loop share one run.
 *
 * A script must declare the keys of all alerts that it may change: while slots of a Redis Cluster move, a script that touches
 * other keys would stop halfway. Usually there are none besides the item's own. If there are, or if one was added in the
 * meantime, the script runs again for that item.
 *
 * @returns the script's answer; null when it returns none.
 */
export function defineScriptWithAlerts<Item>(redis: RedisClient, given: WithAlerts<Item>) {
  const { source, settings, keysOf, argsOf, ownersOf } = given;
  const script = defineScript(redis, source);
  const run = async (items: readonly Item[], others: readonly string[]): Promise<(string | null)[]> => {
    const alerts = others.map(alertKey);
    const args = [ALERT_ID_IN_KEY, items.length, ...settings, ...items.flatMap(argsOf)];
    return (await script.run([...items.flatMap(keysOf), ...alerts], args)) as (string | null)[];
  };
  const runTogether = batched((items: readonly Item[]) => run(items, []));
  return async (item: Item): Promise<string | null> => {
    let answer = await runTogether(item);
    while (answer === '') [answer = null] = await run([item], idsIn(await redis.get(ownersOf(item))));
    return answer;
  };
}

/** The alerts in what `spans.lua` stores. */
const idsIn = (spans: string | null): string[] => [...(spans ?? '').matchAll(/^\S+/gm)].map(([id]) => id);

const coverTimeScript = readScript(new URL('./cover-time.lua', import.meta.url));

interface Covered {
  /** Key of the times that alerts cover. */
  readonly key: string;
  readonly alertId: string;
  /** Milliseconds. */
  readonly at: number;
  /** What else is stored of an alert that is not there. */
  readonly more: string;
  readonly ttlSeconds: number;
}

/**
 * Makes an alert cover a time, as a lost run of a script had decided. A worker keeps one of these calls for each decline of the
 * last seconds, so they hold nothing else.
 */
export function defineCoverTime(redis: RedisClient) {
  const script = defineScript(redis, coverTimeScript);
  return ({ key, alertId, at, more, ttlSeconds }: Covered): (() => Promise<void>) =>
    async () =>
      void (await script.run([key], [alertId, at, more, ttlSeconds]));
}
