import { batchedBy } from '../core/batched.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS, type Alert, type LatestKind, listingOf } from './alert.ts';
import { alertKey, LOG, logFieldName, microsOf, newestEventKey, STEPS_MAX, type Step } from './event-log.ts';
import { FOLLOWS_WITHIN_MS } from './purchase-timeline.ts';

const source = readScript(new URL('./save-alerts.lua', import.meta.url));

export const HOUR_MS = 3_600_000;

/** Redis stores a hash in one block of memory while no value is longer. Each field of its own would take 60 bytes more. */
const PIECE = 64;

export const LATEST_TTL_SECONDS = 90 * 24 * 3600;
export const LATEST_MAX = 200;
/**
 * An account's declines are all listed as long as a digest may count them: a week, the day before it in which a purchase may
 * have been tried first, and a day for a late digest. A card that is declined more often than this was attacked: its digest says
 * "at least".
 */
export const DECLINES_MAX = 5000;
const DIGESTED_MS = 9 * 24 * HOUR_MS;
/**
 * More payments than most people make in the time in which a reversal may follow. Of a card that pays more, all of that time.
 */
const PAYMENTS_MAX = 50;
/** Of all cards: App Home shows the newest of those that a person may see. */
const ALL_DECLINES_MAX = 500;

/** What a list keeps: the latest members, for how long (s), and at most how many that are not older than a time (ms). */
const limits: Readonly<
  Record<LatestKind, readonly [keep: number, ttlSeconds: number, most: number, keptForMs: number]>
> = {
  declines: [LATEST_MAX, LATEST_TTL_SECONDS, DECLINES_MAX, DIGESTED_MS],
  payments: [PAYMENTS_MAX, ALERT_TTL_SECONDS, LATEST_MAX, FOLLOWS_WITHIN_MS],
  shipments: [LATEST_MAX, LATEST_TTL_SECONDS, LATEST_MAX, 0],
};
const noLimits = [0, 0, 0, 0];

/** The alert ids of an hour, one per line. A list or set would need six times the memory. */
export const hourKey = (hour: number): string => stateKey(`alerts-kept:${hour}`);
export const latestKey = (acctId: number, kind: LatestKind): string => stateKey(`${kind}:${acctId}`);
export const allDeclinesKey = stateKey('declines');

/** What the script needs to know about an alert. */
type Item = ReturnType<typeof itemOf>;

/** @param steps the first steps of the event log of a new alert. Null: an alert that is known is replaced. */
function itemOf(alert: Alert, packed: Buffer, steps: readonly Step[] | null) {
  const { id, acctId, callbackAt } = alert.event;
  const callbackMs = Date.parse(callbackAt);
  const listing = steps === null ? null : listingOf(alert);
  const keys = [alertKey(id)];
  if (steps !== null && acctId !== null) keys.push(newestEventKey(acctId));
  if (listing !== null) keys.push(latestKey(listing.acctId, listing.kind));
  if (listing?.kind === 'declines') keys.push(latestKey(listing.acctId, 'payments'));
  return {
    alert,
    packed,
    /** Hours since 1970. */
    hour: Math.floor(callbackMs / HOUR_MS),
    /** Without the list of the hour and that of all declines. */
    keys,
    listed: listing?.kind ?? null,
    atMs: listing === null ? callbackMs : Date.parse(listing.at),
    /** Names of the log's fields. */
    log: steps?.map(logFieldName) ?? null,
  };
}

/** The arguments about the alerts of one run. Most that arrive together have the same log, so each log is sent once. */
function argsOf(items: readonly Item[], at: Date): (string | number | Buffer)[] {
  const numbers = new Map<string, number>();
  const logs: (string | number)[] = [];
  const alerts = items.flatMap(({ alert, packed, atMs, log }) => {
    let number = 0;
    if (log !== null) {
      const text = log.join('\n');
      number = numbers.get(text) ?? numbers.size + 1;
      if (number > numbers.size) logs.push(log.length, ...log.flatMap((field, index) => [field, microsOf(at, index)]));
      numbers.set(text, number);
    }
    return [`${alert.event.id} ${atMs} ${alert.late ? 1 : 0} ${number}`, packed];
  });
  return [numbers.size, ...logs, ...alerts];
}

/**
 * Saves made in the same turn of the event loop share script calls.
 *
 * @returns true for a new decline if a payment of its account is listed at its time or later.
 */
export function createSaveAlert(redis: RedisClient, now: () => Date) {
  const script = defineScript(redis, source);
  const save = batchedBy(
    ({ hour, keys, listed }: Item) => `${hour} ${keys.length} ${listed}`,
    async (items) => {
      const [{ hour, listed, keys: each }] = items;
      const keys = [hourKey(hour), ...items.flatMap(({ keys }) => keys)];
      if (listed === 'declines') keys.push(allDeclinesKey);
      const followed = (await script.run(keys, [
        ALERT_TTL_SECONDS,
        PIECE,
        each.length,
        (hour + 1) * (HOUR_MS / 1000) + ALERT_TTL_SECONDS,
        STEPS_MAX,
        LOG,
        ...(listed === null ? noLimits : limits[listed]),
        ALL_DECLINES_MAX,
        ...argsOf(items, now()),
      ])) as number[];
      return items.map((_item, index) => followed[index] === 1);
    },
  );
  return (...saving: Parameters<typeof itemOf>): Promise<boolean> => save(itemOf(...saving));
}
