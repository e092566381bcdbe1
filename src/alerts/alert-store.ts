import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { Repeats } from './aggregation-rule.ts';
import { Alert, Asked, Outcome } from './alert.ts';
import { OrderProgress } from './card-order.ts';
import { TriedCard } from './card-testing-rule.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** Alerts stay actionable for this long. */
export const ALERT_TTL_SECONDS = 30 * 24 * 3600;

export interface StoredAlert {
  readonly alert: Alert;
}

export interface Alerts {
  /** Keeps an alert under its event's id, or replaces what is known; its outcomes are kept apart. */
  save(alert: Alert): Promise<void>;
  /** Null when it is unknown or too old. */
  get(alertId: string): Promise<StoredAlert | null>;
  /** Where the purchase stands that it is a step of. */
  setTimeline(alertId: string, timeline: PurchaseTimeline): Promise<void>;
  /** How far the card order has come that it is about. */
  setProgress(alertId: string, progress: OrderProgress): Promise<void>;
  /** Who asked for the virtual card that it tells of. */
  setAsked(alertId: string, asked: Asked): Promise<void>;
  /** The latest outcome of one action. A running action's outcome is replaced by its result. */
  setOutcome(alertId: string, actionId: string, outcome: Outcome): Promise<void>;
}

/**
 * What the worker knows of each alert, in one hash: the alert, an outcome for each action, how often it was repeated in
 * each channel (`aggregation-group-store.ts`), its purchase or card order, who asked for it, and the cards of a
 * card-testing warning (`card-testing-store.ts`).
 */
export function createAlerts(redis: Redis | Cluster): Alerts {
  const keyOf = (alertId: string): string => stateKey(`alert:${alertId}`);
  const write = async (alertId: string, field: string, value: string): Promise<void> => {
    const key = keyOf(alertId);
    await redis.multi().hset(key, field, value).expire(key, ALERT_TTL_SECONDS).exec();
  };

  return {
    async save(alert) {
      const apart = {
        outcomes: [],
        ...('repeats' in alert && { repeats: {}, timeline: null }),
        ...('tried' in alert && { tried: [] }),
        ...(alert.event.kind === 'virtual-card' && { asked: undefined }),
        ...(('changes' in alert || 'isReminder' in alert) && { progress: null }),
      };
      await write(alert.event.id, 'alert', JSON.stringify({ ...alert, ...apart }));
    },
    async get(alertId) {
      const fields = await redis.hgetall(keyOf(alertId));
      const text = fields['alert'];
      if (text === undefined) return null;
      const part = (prefix: string): [name: string, value: unknown][] =>
        Object.entries(fields)
          .filter(([field]) => field.startsWith(prefix))
          .map(([field, value]) => [field.slice(prefix.length), JSON.parse(value) as unknown]);
      const outcomes = part('outcome:').map(([, outcome]) => Outcome.parse(outcome));
      outcomes.sort((one, other) => one.at.localeCompare(other.at));
      const alert = Alert.parse(JSON.parse(text));
      if ('tried' in alert) {
        const tried = part('tried:').map(([, card]) => TriedCard.parse(card));
        tried.sort((one, other) => one.firstAt.localeCompare(other.firstAt) || one.acctId - other.acctId);
        return { alert: { ...alert, outcomes, tried } };
      }
      if ('changes' in alert || 'isReminder' in alert) {
        const progress = fields['progress'] === undefined ? null : OrderProgress.parse(JSON.parse(fields['progress']));
        return { alert: { ...alert, outcomes, progress } };
      }
      if (!('repeats' in alert)) {
        const asked = fields['asked'] === undefined ? null : Asked.parse(JSON.parse(fields['asked']));
        return { alert: { ...alert, outcomes, asked } };
      }
      const repeats = Object.fromEntries(part('repeats:').map(([channel, one]) => [channel, Repeats.parse(one)]));
      const timeline = fields['story'] === undefined ? null : PurchaseTimeline.parse(JSON.parse(fields['story']));
      return { alert: { ...alert, outcomes, repeats, timeline } };
    },
    setTimeline: (alertId, timeline) => write(alertId, 'story', JSON.stringify(timeline)),
    setProgress: (alertId, progress) => write(alertId, 'progress', JSON.stringify(progress)),
    setAsked: (alertId, asked) => write(alertId, 'asked', JSON.stringify(Asked.parse(asked))),
    setOutcome: (alertId, actionId, outcome) => write(alertId, `outcome:${actionId}`, JSON.stringify(outcome)),
  };
}
