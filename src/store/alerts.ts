import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Alert, Outcome } from '../alert/alert.ts';
import { stateKey } from '../keys.ts';

/** Alerts stay actionable for this long. */
const ALERT_TTL_SECONDS = 30 * 24 * 3600;

const Ref = z.strictObject({ channel: z.string(), ts: z.string() });

export interface StoredAlert {
  readonly alert: Alert;
  readonly refs: readonly z.infer<typeof Ref>[];
}

export interface Alerts {
  /** Keeps an alert under its event's id, or replaces what is known; its outcomes and messages are kept apart. */
  save(alert: Alert): Promise<void>;
  /** Null when it is unknown or too old. */
  get(alertId: string): Promise<StoredAlert | null>;
  addRef(alertId: string, ref: { channel: string; ts: string }): Promise<void>;
  /** The latest outcome of one action. A running action's outcome is replaced by its result. */
  setOutcome(alertId: string, actionId: string, outcome: Outcome): Promise<void>;
}

/** What the worker knows of each alert, in one hash: the alert, an outcome for each action, a mark for each message. */
export function createAlerts(redis: Redis | Cluster): Alerts {
  const keyOf = (alertId: string): string => stateKey(`alert:${alertId}`);
  const write = async (alertId: string, field: string, value: string): Promise<void> => {
    const key = keyOf(alertId);
    await redis.multi().hset(key, field, value).expire(key, ALERT_TTL_SECONDS).exec();
  };

  return {
    async save(alert) {
      await write(alert.event.id, 'alert', JSON.stringify({ ...alert, outcomes: [] }));
    },
    async get(alertId) {
      const fields = await redis.hgetall(keyOf(alertId));
      const text = fields['alert'];
      if (text === undefined) return null;
      const part = (prefix: string): unknown[] =>
        Object.entries(fields)
          .filter(([field]) => field.startsWith(prefix))
          .map(([, value]) => JSON.parse(value) as unknown);
      const outcomes = z.array(Outcome).parse(part('outcome:'));
      outcomes.sort((one, other) => one.at.localeCompare(other.at));
      return { alert: { ...Alert.parse(JSON.parse(text)), outcomes }, refs: z.array(Ref).parse(part('ref:')) };
    },
    addRef: (alertId, ref) => write(alertId, `ref:${ref.channel}:${ref.ts}`, JSON.stringify(ref)),
    setOutcome: (alertId, actionId, outcome) => write(alertId, `outcome:${actionId}`, JSON.stringify(outcome)),
  };
}
