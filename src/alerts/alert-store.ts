import type { Cluster, Redis } from 'ioredis';
import type { z } from 'zod';
import { Outcome } from '../actions/outcome.ts';
import { stateKey } from '../core/keys.ts';
import { Repeats } from './aggregation-rule.ts';
import { Alert, Asked } from './alert.ts';
import { OrderProgress } from './card-order.ts';
import { TriedCard } from './card-testing-rule.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** Alerts stay actionable for this long. */
export const ALERT_TTL_SECONDS = 30 * 24 * 3600;

export interface Alerts {
  /** Keeps an alert under its event's id, or replaces what is known; its outcomes are kept apart. */
  save(alert: Alert): Promise<void>;
  /** Null when it is unknown or too old. */
  get(alertId: string): Promise<Alert | null>;
  /** Where the purchase stands that it is a step of. */
  setTimeline(alertId: string, timeline: PurchaseTimeline): Promise<void>;
  /** How far the card order has come that it is about. */
  setProgress(alertId: string, progress: OrderProgress): Promise<void>;
  /** Who asked for the virtual card that it tells of. */
  setAsked(alertId: string, asked: Asked): Promise<void>;
  /** The latest outcome of one action; it replaces the one before. */
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
      await write(alert.event.id, 'alert', JSON.stringify({ ...alert, ...keptApart(alert) }));
    },
    async get(alertId) {
      const fields = await redis.hgetall(keyOf(alertId));
      const text = fields['alert'];
      return text === undefined ? null : readAlert(Alert.parse(JSON.parse(text)), fields);
    },
    setTimeline: (alertId, timeline) => write(alertId, 'timeline', JSON.stringify(timeline)),
    setProgress: (alertId, progress) => write(alertId, 'progress', JSON.stringify(progress)),
    setAsked: (alertId, asked) => write(alertId, 'asked', JSON.stringify(Asked.parse(asked))),
    setOutcome: (alertId, actionId, outcome) => write(alertId, `outcome:${actionId}`, JSON.stringify(outcome)),
  };
}

/** What changes by itself is in fields of its own, and nothing of it in the alert's. */
function keptApart({ kind }: Alert): Partial<Alert> {
  switch (kind) {
    case 'transaction':
      return { outcomes: [], repeats: {}, timeline: null };
    case 'card-testing':
      return { outcomes: [], tried: [] };
    case 'card-status':
    case 'card-shipping':
    case 'activation-reminder':
      return { outcomes: [], progress: null };
    case 'virtual-card':
      return { outcomes: [], asked: null };
  }
}

type Fields = Readonly<Record<string, string>>;

function readAlert(alert: Alert, fields: Fields): Alert {
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
    case 'card-status':
    case 'card-shipping':
    case 'activation-reminder':
      return { ...alert, outcomes, progress: fieldOf('progress', fields, OrderProgress) };
    case 'virtual-card':
      return { ...alert, outcomes, asked: fieldOf('asked', fields, Asked) };
  }
}

function fieldOf<T>(name: string, fields: Fields, schema: z.ZodType<T>): T | null {
  const text = fields[name];
  return text === undefined ? null : schema.parse(JSON.parse(text));
}

/** Fields that begin with `prefix`, by the rest of their names. */
function fieldsAt<T>(prefix: string, fields: Fields, schema: z.ZodType<T>): [name: string, value: T][] {
  return Object.entries(fields)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, text]) => [name.slice(prefix.length), schema.parse(JSON.parse(text))]);
}
