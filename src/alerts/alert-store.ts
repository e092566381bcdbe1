import type { z } from 'zod';
import { Outcome } from '../actions/action-state.ts';
import { batched } from '../core/batched.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import { redisNow } from '../core/clock.ts';
import { isFaultOfOurs } from '../core/errors.ts';
import { commit, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineReadingScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS, Alert, AskedBy, OrderProgress } from './alert.ts';
import { fieldsIn, withFields, withoutFields } from './alert-fields.ts';
import { alertKey, type Step } from './event-log.ts';
import { createAlertPacking } from './packed-alert.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';
import { createSaveAlert, HOUR_MS, hourKey } from './save-alerts.ts';

const KEPT_PAGE = 500;

const DAY_HOURS = 24;

const readSource = readScript(new URL('./read-alerts.lua', import.meta.url));

/** `evt_`, 16 digits, and a newline. */
const ID_LINE = 21;

export type Alerts = ReturnType<typeof createAlerts>;

/** Approximate number of alerts in the last 24 hours and in all 30 days. An alert that was stored again counts again. */
export async function countAlerts(redis: RedisClient): Promise<{ lastDay: number; kept: number }> {
  const now = Math.floor((await redisNow(redis)) / HOUR_MS);
  const lengths = await lengthsOf(
    redis,
    Array.from({ length: ALERT_TTL_SECONDS / 3600 }, (_, ago) => now - ago),
  );
  const lines = (all: readonly number[]): number => Math.round(all.reduce((sum, one) => sum + one, 0) / ID_LINE);
  return { lastDay: lines(lengths.slice(0, DAY_HOURS)), kept: lines(lengths) };
}

/** The length of the id list of each hour, in characters. */
async function lengthsOf(redis: RedisClient, hours: readonly number[]): Promise<number[]> {
  const reading = redis.pipeline();
  for (const hour of hours) reading.strlen(hourKey(hour));
  return (await commit(reading)).map(Number);
}

/** The alert ids of an hour, each once, in pages, last stored first. */
async function* idsOf(redis: RedisClient, hour: number, length: number): AsyncGenerator<string[]> {
  const known = new Set<string>();
  for (let end = length; end > 0; ) {
    // Includes the preceding newline, which shows that a line starts here.
    const from = Math.max(0, end - KEPT_PAGE * ID_LINE - 1);
    const text = await redis.getrange(hourKey(hour), from, end - 1);
    // The page may begin inside a line. That line then belongs to the next page.
    const afterLine = text.indexOf('\n') + 1;
    const begin = from === 0 || afterLine === text.length ? 0 : afterLine;
    const ids = new Set(text.slice(begin).split('\n'));
    yield [...ids].filter((id) => id !== '' && !known.has(id));
    for (const id of ids) known.add(id);
    end = from + begin;
  }
}

/**
 * Everything about an alert in one hash: the alert, an outcome per action, its repeats per channel
 * (`aggregation-group-store.ts`), its purchase or card order, who ordered it, and the cards of a card-testing warning
 * (`card-testing-store.ts`).
 */
export function createAlerts(redis: RedisClient, now: () => Date) {
  const format = recordFormat(Alert);
  const packing = createAlertPacking(format.read);
  const save = createSaveAlert(redis, now);
  const read = createRead(redis);
  /** @returns null when the alert is unknown. Fields that change independently are empty. */
  const savedOf = async (alertId: string): Promise<Alert | null> => {
    const { packed } = await read(alertId);
    return packed.length === 0 ? null : packing.unpack(packed);
  };
  const arrivals = createArrivals(savedOf);
  async function alertsOf(ids: readonly string[]): Promise<Alert[]> {
    const alerts = await Promise.all(ids.map((id) => savedOf(id).catch(nullWhereUnreadable)));
    return alerts
      .filter((alert) => alert !== null)
      .toSorted((a, b) => b.event.callbackAt.localeCompare(a.event.callbackAt));
  }
  async function write<T>(alertId: string, field: string, schema: z.ZodType<T>, value: T): Promise<void> {
    const key = alertKey(alertId);
    await redis.multi().hset(key, field, recordFormat(schema).write(value)).expire(key, ALERT_TTL_SECONDS).exec();
  }

  async function saveAlert(alert: Alert, steps: readonly Step[] | null): Promise<boolean> {
    const stored = withoutFields(alert);
    const packed = packing.pack(format.write(stored), stored);
    arrivals.remember(alert);
    return await save(alert, packed, steps);
  }

  return {
    /**
     * Stores an alert under its event's id, with its outcomes in fields of their own; begins its event log; lists it, and makes
     * it the newest of its account. Idempotent.
     *
     * @returns whether a payment of its account follows it, if it is a decline. False for other alerts.
     */
    record: (alert: Alert, steps: readonly Step[]): Promise<boolean> => saveAlert(alert, steps),
    /** Stores an alert alone, or replaces it. */
    save: async (alert: Alert): Promise<void> => void (await saveAlert(alert, null)),
    /** Stores an alert that Redis has lost. */
    async restore(alert: Alert): Promise<void> {
      if ((await savedOf(alert.event.id)) === null) await saveAlert(alert, null);
    },
    arrivalOf: arrivals.of,
    /**
     * The alerts of the last 30 days, newest first: hour by hour, within an hour in pages of storage order, each page
     * sorted. Stopping early saves reading the remaining pages. Skips alerts that this version cannot read.
     */
    async *kept(): AsyncGenerator<Alert> {
      const now = Math.floor((await redisNow(redis)) / HOUR_MS);
      // The card service's clock may be fast.
      for (let last = now + DAY_HOURS; last > now - ALERT_TTL_SECONDS / 3600; last -= DAY_HOURS) {
        const hours = Array.from({ length: DAY_HOURS }, (_, index) => last - index);
        const lengths = await lengthsOf(redis, hours);
        for (const [index, hour] of hours.entries())
          for await (const ids of idsOf(redis, hour, lengths[index] ?? 0)) yield* await alertsOf(ids);
      }
    },
    /**
     * Null when the alert is unknown or too old. Also null for a card-testing warning whose cards Redis has lost: their
     * declines are handled again, and each may cause another warning.
     */
    async get(alertId: string): Promise<Alert | null> {
      const { packed, fields } = await read(alertId);
      if (packed.length === 0) return null;
      const alert = withFields(packing.unpack(packed), fields);
      return alert.kind === 'card-testing' && alert.tried.length === 0 ? null : alert;
    },
    setTimeline: (alertId: string, timeline: PurchaseTimeline): Promise<void> =>
      write(alertId, 'timeline', PurchaseTimeline, timeline),
    setProgress: (alertId: string, progress: OrderProgress): Promise<void> =>
      write(alertId, 'progress', OrderProgress, progress),
    setAsked: (alertId: string, asked: AskedBy): Promise<void> => write(alertId, 'asked', AskedBy, asked),
    /** Replaces the earlier outcome of the same action. */
    setOutcome: (alertId: string, actionId: string, outcome: Outcome): Promise<void> =>
      write(alertId, `outcome:${actionId}`, Outcome, outcome),
  };
}

/** The stored alerts with these ids and this kind. Skips alerts that this version cannot read. */
export async function alertsOfKind<Kind extends Alert['kind']>(
  kind: Kind,
  ids: readonly string[],
  alerts: Pick<Alerts, 'get'>,
): Promise<Extract<Alert, { kind: Kind }>[]> {
  const stored = await Promise.all(ids.map((id) => alerts.get(id).catch(nullWhereUnreadable)));
  return stored.filter((alert): alert is Extract<Alert, { kind: Kind }> => alert?.kind === kind);
}

/** The kind of an alert, and when its event arrived (UTC ISO 8601). */
interface AlertArrival {
  readonly kind: string;
  readonly receivedAt: string;
}
const ARRIVALS_MAX = 5000;

/** Remembers alerts that this process has saved: usually the same process posts them a moment later. */
function createArrivals(read: (alertId: string) => Promise<Alert | null>) {
  const arrivals = new BoundedMap<string, AlertArrival>(ARRIVALS_MAX);
  function remember({ kind, event }: Alert): void {
    arrivals.set(event.id, { kind: kind === 'transaction' ? event.kind : kind, receivedAt: event.receivedAt });
  }
  return {
    remember,
    async of(alertId: string): Promise<AlertArrival | null> {
      const alert = arrivals.has(alertId) ? null : await read(alertId);
      if (alert !== null) remember(alert);
      return arrivals.get(alertId) ?? null;
    },
  };
}

/** Reads made in the same turn of the event loop share one script call. `packed` is empty when the alert is unknown. */
function createRead(redis: RedisClient) {
  const readAll = defineReadingScript(redis, readSource);
  return batched(async (ids: readonly string[]) => {
    const answers = (await readAll(ids.map(alertKey), [])) as [packed: Buffer, ...fields: Buffer[]][];
    return answers.map(([packed, ...fields]) => ({ packed, fields: fieldsIn(fields) }));
  });
}

function nullWhereUnreadable(error: unknown): null {
  if (isFaultOfOurs(error)) return null;
  throw error;
}
