import type { Cluster, Redis } from 'ioredis';
import type { z } from 'zod';
import { Outcome } from '../actions/action-state.ts';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';
import { Alert, Asked, OrderProgress, Repeats, TriedCard } from './alert.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** Alerts stay actionable for this long. */
export const ALERT_TTL_SECONDS = 30 * 24 * 3600;

const KEPT_PAGE = 500;

/** How often the list is freed of what is too old. */
const TRIM_EVERY_MS = 60_000;

export type Alerts = ReturnType<typeof createAlerts>;

/**
 * Everything about an alert in one hash: the alert, an outcome for each action, its repeats in each channel
 * (`aggregation-group-store.ts`), its purchase or card order, who ordered it, and the cards of a card-testing warning
 * (`card-testing-store.ts`).
 */
export function createAlerts(redis: Redis | Cluster) {
  const keyOf = (alertId: string): string => stateKey(`alert:${alertId}`);
  const listKey = stateKey('alerts-kept');
  let trimmedAtMs = Number.NEGATIVE_INFINITY;
  const writing = <T>(alertId: string, field: string, schema: z.ZodType<T>, value: T) => {
    const key = keyOf(alertId);
    return redis.multi().hset(key, field, recordFormat(schema).write(value)).expire(key, ALERT_TTL_SECONDS);
  };
  const write = async (...args: Parameters<typeof writing>): Promise<void> => void (await writing(...args).exec());

  return {
    /** Stores an alert under its event's id, or replaces it. Its outcomes are stored separately. */
    async save(alert: Alert): Promise<void> {
      const { id, callbackAt } = alert.event;
      const change = writing(id, 'alert', Alert, withoutFields(alert));
      const atMs = Date.parse(callbackAt);
      const nowMs = Date.now();
      const oldest = nowMs - ALERT_TTL_SECONDS * 1000;
      if (atMs > oldest) change.zadd(listKey, atMs, id);
      if (nowMs - trimmedAtMs >= TRIM_EVERY_MS) {
        trimmedAtMs = nowMs;
        change.zremrangebyscore(listKey, '-inf', oldest);
      }
      await change.exec();
    },
    /** Those of the last 30 days, newest first. What this version cannot read is left out. */
    async *kept(): AsyncGenerator<Alert> {
      for (let from = 0; ; from += KEPT_PAGE) {
        const ids = await redis.zrevrange(listKey, from, from + KEPT_PAGE - 1);
        const texts = await Promise.all(ids.map((id) => redis.hget(keyOf(id), 'alert')));
        for (const text of texts) {
          const { data } = Alert.safeParse(text === null ? null : JSON.parse(text));
          if (data !== undefined) yield data;
        }
        if (ids.length < KEPT_PAGE) return;
      }
    },
    /**
     * Null when it is unknown or too old, and for a card-testing warning whose cards Redis has lost: their declines are
     * handled again, and each of them may cause another warning.
     */
    async get(alertId: string): Promise<Alert | null> {
      const fields = await redis.hgetall(keyOf(alertId));
      const stored = fieldOf('alert', fields, Alert);
      const alert = stored === null ? null : withFields(stored, fields);
      return alert?.kind === 'card-testing' && alert.tried.length === 0 ? null : alert;
    },
    /** The purchase that it is a step of. */
    setTimeline: (alertId: string, timeline: PurchaseTimeline): Promise<void> =>
      write(alertId, 'timeline', PurchaseTimeline, timeline),
    /** The progress of the card order that it is about. */
    setProgress: (alertId: string, progress: OrderProgress): Promise<void> =>
      write(alertId, 'progress', OrderProgress, progress),
    /** Who ordered the virtual card that it is about. */
    setAsked: (alertId: string, asked: Asked): Promise<void> => write(alertId, 'asked', Asked, asked),
    /** Replaces the earlier outcome of the same action. */
    setOutcome: (alertId: string, actionId: string, outcome: Outcome): Promise<void> =>
      write(alertId, `outcome:${actionId}`, Outcome, outcome),
  };
}

/** The stored alerts with these ids that are of this kind. */
export async function alertsOfKind<Kind extends Alert['kind']>(
  kind: Kind,
  ids: readonly string[],
  alerts: Pick<Alerts, 'get'>,
): Promise<Extract<Alert, { kind: Kind }>[]> {
  const stored = await Promise.all(ids.map((id) => alerts.get(id)));
  return stored.filter((alert): alert is Extract<Alert, { kind: Kind }> => alert?.kind === kind);
}

/** What changes independently has fields of its own, and is empty in the alert's. */
function withoutFields(alert: Alert): Alert {
  switch (alert.kind) {
    case 'transaction':
      return { ...alert, outcomes: [], repeats: {}, timeline: null };
    case 'card-testing':
      return { ...alert, outcomes: [], tried: [] };
    case 'virtual-card':
      return { ...alert, outcomes: [], asked: null };
    case 'fraud-case':
      return { ...alert, outcomes: [] };
    // All others tell how far a card is on its way to its holder.
    default:
      return { ...alert, outcomes: [], progress: null };
  }
}

type Fields = Readonly<Record<string, string>>;

function withFields(alert: Alert, fields: Fields): Alert {
  const outcomes = fieldsAt('outcome:', fields, Outcome)
    .map(([, outcome]) => outcome)
    .toSorted((a, b) => a.at.localeCompare(b.at));
  switch (alert.kind) {
    case 'transaction': {
      const repeats = Object.fromEntries(fieldsAt('repeats:', fields, Repeats));
      return { ...alert, outcomes, repeats, timeline: fieldOf('timeline', fields, PurchaseTimeline) };
    }
    case 'card-testing': {
      const tried = fieldsAt('tried:', fields, TriedCard)
        .map(([, card]) => card)
        .toSorted((a, b) => a.firstAt.localeCompare(b.firstAt) || a.acctId - b.acctId);
      return { ...alert, outcomes, tried };
    }
    case 'fraud-case':
      return { ...alert, outcomes };
    case 'virtual-card':
      return { ...alert, outcomes, asked: fieldOf('asked', fields, Asked) };
    default:
      return { ...alert, outcomes, progress: fieldOf('progress', fields, OrderProgress) };
  }
}

function fieldOf<T>(name: string, fields: Fields, schema: z.ZodType<T>): T | null {
  return recordFormat(schema).readOrNull(fields[name]);
}

/** The fields whose names start with `prefix`, by the rest of their names. */
function fieldsAt<T>(prefix: string, fields: Fields, schema: z.ZodType<T>): [name: string, value: T][] {
  return Object.entries(fields)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.slice(prefix.length), recordFormat(schema).read(text)]);
}
