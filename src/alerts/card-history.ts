import type { Cluster, Redis } from 'ioredis';
import type { CardStatus, TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { Alerts } from './alert-store.ts';
import type { StatusRecord } from './status-timeline.ts';

const HISTORY_TTL_SECONDS = 90 * 24 * 3600;
const HISTORY_MAX = 50;
const RECENT_MAX = 50;
/** A status webhook normally follows at once; the service's retries and outages can make it wait. */
const EXPECTED_SECONDS = 3600;

export interface CardHistory {
  /** Adds a status of a card and answers with all that are known, in order of `callbackAt`. Safe to repeat. */
  addStatus(cardId: number, record: StatusRecord): Promise<StatusRecord[]>;
  /** Every known status of a card, in order of `callbackAt`. */
  statuses(cardId: number): Promise<StatusRecord[]>;
  /** Remembers an alert of an account, for "last declines" and "where is my card". */
  addAlert(acctId: number, kind: 'declines' | 'shipments', alertId: string, atMs: number): Promise<void>;
  /** Declines of all cards, newest first. */
  newestDeclines(limit: number): Promise<string[]>;
  /** Newest first. */
  recentAlerts(acctId: number, kind: 'declines' | 'shipments', limit: number): Promise<string[]>;
  /** Who asked for the change that the next status webhook will confirm, and with which action. */
  expectStatus(acctId: number, status: CardStatus, by: { userId: string; actionId: string }): Promise<void>;
  /** It will not come: the card API refused. */
  forgetExpected(acctId: number, status: CardStatus): Promise<void>;
  /** Who caused this event. The first event of that status takes it; the same event again gets the same answer. */
  expectedBy(acctId: number, status: CardStatus, eventId: string): Promise<string | null>;
  /** The event that an action was waiting for; null while it has not come. */
  confirmedBy(acctId: number, status: CardStatus, actionId: string): Promise<string | null>;
}

/** What happened to each card, by the service's time. */
export function createCardHistory(redis: Redis | Cluster): CardHistory {
  const expectKey = (acctId: number, status: CardStatus): string => stateKey(`expect:${acctId}:${status}`);
  const recentKey = (acctId: number, kind: string): string => stateKey(`${kind}:${acctId}`);

  const historyKey = (cardId: number): string => stateKey(`history:${cardId}`);
  const allDeclines = stateKey('declines');

  async function statuses(cardId: number): Promise<StatusRecord[]> {
    const members = await redis.zrange(historyKey(cardId), '0', '-1');
    return members.map((text) => {
      const [callbackAt, status, eventId] = JSON.parse(text) as [string, CardStatus, string];
      return { callbackAt, status, eventId };
    });
  }

  return {
    async addStatus(cardId, { callbackAt, status, eventId }) {
      const key = historyKey(cardId);
      // Equal scores sort by member, and the member begins with the time: seven fraction digits decide.
      const member = JSON.stringify([callbackAt, status, eventId]);
      await redis
        .multi()
        .zadd(key, String(Math.floor(Date.parse(callbackAt) / 1000)), member)
        .zremrangebyrank(key, 0, -HISTORY_MAX - 1)
        .expire(key, HISTORY_TTL_SECONDS)
        .exec();
      return await statuses(cardId);
    },
    statuses,
    async addAlert(acctId, kind, alertId, atMs) {
      const keys = [recentKey(acctId, kind), ...(kind === 'declines' ? [allDeclines] : [])];
      const change = redis.multi();
      for (const key of keys) {
        change
          .zadd(key, String(atMs), alertId)
          .zremrangebyrank(key, 0, -RECENT_MAX - 1)
          .expire(key, HISTORY_TTL_SECONDS);
      }
      await change.exec();
    },
    newestDeclines: (limit) => redis.zrevrange(allDeclines, 0, limit - 1),
    recentAlerts: (acctId, kind, limit) => redis.zrevrange(recentKey(acctId, kind), 0, limit - 1),
    async expectStatus(acctId, status, by) {
      const key = expectKey(acctId, status);
      await redis.multi().del(key).hset(key, by).expire(key, EXPECTED_SECONDS).exec();
    },
    async forgetExpected(acctId, status) {
      await redis.del(expectKey(acctId, status));
    },
    async expectedBy(acctId, status, eventId) {
      const key = expectKey(acctId, status);
      const userId = await redis.hget(key, 'userId');
      if (userId === null) return null;
      await redis.hsetnx(key, 'eventId', eventId);
      return (await redis.hget(key, 'eventId')) === eventId ? userId : null;
    },
    async confirmedBy(acctId, status, actionId) {
      const [waiting, eventId] = await redis.hmget(expectKey(acctId, status), 'actionId', 'eventId');
      return waiting === actionId ? (eventId ?? null) : null;
    },
  };
}

/** Declines of an account's card that came as webhooks, newest first. */
export function createRecentDeclines(history: Pick<CardHistory, 'recentAlerts'>, alerts: Pick<Alerts, 'get'>) {
  return async function recentDeclines(acctId: number, countMax: number): Promise<TransactionEvent[]> {
    const ids = await history.recentAlerts(acctId, 'declines', countMax);
    const stored = await Promise.all(ids.map((id) => alerts.get(id)));
    return stored.flatMap((each) => (each?.kind === 'transaction' ? [each.event] : []));
  };
}
