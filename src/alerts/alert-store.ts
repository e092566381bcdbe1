import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { Repeats } from './aggregation-rule.ts';
import { Alert, Asked, Outcome } from './alert.ts';
import { OrderProgress } from './card-order.ts';
import { TriedCard } from './card-testing-rule.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** Alerts stay actionable for this long. */
export const ALERT_TTL_SECONDS = 30 * 24 * 3600;

/** A message of an alert, and in whose words it is. */
const Ref = z.strictObject({
  channel: z.string(),
  ts: z.string(),
  audience: z.enum(['team', 'holder']).default('team'),
});
export type AlertRef = z.infer<typeof Ref>;

export interface StoredAlert {
  readonly alert: Alert;
  readonly refs: readonly AlertRef[];
  /** How often its messages were to be brought up to date. */
  readonly edits: number;
}

export interface Alerts {
  /** Keeps an alert under its event's id, or replaces what is known; its outcomes and messages are kept apart. */
  save(alert: Alert): Promise<void>;
  /** Null when it is unknown or too old. */
  get(alertId: string): Promise<StoredAlert | null>;
  /**
   * A message of it was posted.
   *
   * @returns its edits. More than when the message was drawn: something has changed since, and who brought its messages up
   * to date did not know of this one.
   */
  addRef(alertId: string, ref: z.input<typeof Ref>): Promise<number>;
  /** Its messages are about to be brought up to date. */
  countEdit(alertId: string): Promise<void>;
  /** Ids of the alerts that a message tells. */
  at(channel: string, ts: string): Promise<string[]>;
  /**
   * Somebody pressed a button on a message of it, so it stands there, whatever became of our own note of it. Whose words
   * a direct message has only its note can say.
   */
  addSeenRef(alertId: string, ref: { channel: string; ts: string }): Promise<void>;
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
 * What the worker knows of each alert, in one hash: the alert, an outcome for each action, a mark for each message, how
 * often these were brought up to date; for each channel how often it was repeated there (`src/alerts/aggregation-group-store.ts`); its purchase or card order; who asked for it; the cards of a card-testing warning
 * (`src/alerts/card-testing-store.ts`).
 */
export function createAlerts(redis: Redis | Cluster): Alerts {
  const keyOf = (alertId: string): string => stateKey(`alert:${alertId}`);
  const atKey = (channel: string, ts: string): string => stateKey(`alerts-at:${channel}:${ts}`);
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
      const refs = part('ref:').map(([, ref]) => Ref.parse(ref));
      const edits = Number(fields['edits'] ?? 0);
      if ('tried' in alert) {
        const tried = part('tried:').map(([, card]) => TriedCard.parse(card));
        tried.sort((one, other) => one.firstAt.localeCompare(other.firstAt) || one.acctId - other.acctId);
        return { alert: { ...alert, outcomes, tried }, refs, edits };
      }
      if ('changes' in alert || 'isReminder' in alert) {
        const progress = fields['progress'] === undefined ? null : OrderProgress.parse(JSON.parse(fields['progress']));
        return { alert: { ...alert, outcomes, progress }, refs, edits };
      }
      if (!('repeats' in alert)) {
        const asked = fields['asked'] === undefined ? null : Asked.parse(JSON.parse(fields['asked']));
        return { alert: { ...alert, outcomes, asked }, refs, edits };
      }
      const repeats = Object.fromEntries(part('repeats:').map(([channel, one]) => [channel, Repeats.parse(one)]));
      const timeline = fields['story'] === undefined ? null : PurchaseTimeline.parse(JSON.parse(fields['story']));
      return { alert: { ...alert, outcomes, repeats, timeline }, refs, edits };
    },
    async addRef(alertId, ref) {
      const at = atKey(ref.channel, ref.ts);
      await redis.multi().sadd(at, alertId).expire(at, ALERT_TTL_SECONDS).exec();
      const key = keyOf(alertId);
      const field = `ref:${ref.channel}:${ref.ts}`;
      const noting = redis
        .multi()
        .hset(key, field, JSON.stringify(Ref.parse(ref)))
        .expire(key, ALERT_TTL_SECONDS);
      const [edits] = (await noting.hget(key, 'edits').exec())?.at(-1)?.slice(1) ?? [];
      return Number(edits ?? 0);
    },
    async countEdit(alertId) {
      const key = keyOf(alertId);
      await redis.multi().hincrby(key, 'edits', 1).expire(key, ALERT_TTL_SECONDS).exec();
    },
    at: (channel, ts) => redis.smembers(atKey(channel, ts)),
    async addSeenRef(alertId, ref) {
      if (ref.channel.startsWith('D')) return;
      await redis.hsetnx(keyOf(alertId), `ref:${ref.channel}:${ref.ts}`, JSON.stringify(Ref.parse(ref)));
    },
    setTimeline: (alertId, timeline) => write(alertId, 'story', JSON.stringify(timeline)),
    setProgress: (alertId, progress) => write(alertId, 'progress', JSON.stringify(progress)),
    setAsked: (alertId, asked) => write(alertId, 'asked', JSON.stringify(Asked.parse(asked))),
    setOutcome: (alertId, actionId, outcome) => write(alertId, `outcome:${actionId}`, JSON.stringify(outcome)),
  };
}
