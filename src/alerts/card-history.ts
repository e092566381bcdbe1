import type { StatusChanger } from '../actions/send-status.ts';
import { batched } from '../core/batched.ts';
import { type DeclinedCard, declinedCard } from '../core/card-facts.ts';
import type { CardStatus, CardStatusEvent, StatusRecord, TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { commit } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { LatestKind, TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import { allDeclinesKey, LATEST_MAX, LATEST_TTL_SECONDS, latestKey } from './save-alerts.ts';

const HISTORY_MAX = 50;
/** A status webhook normally comes immediately, but retries and outages of the card service may delay it. */
const EXPECTED_SECONDS = 3600;

type Member = [callbackAt: string, status: CardStatus, eventId: string, receivedAt: string, changedAfter?: string];

/** An activation may close several cards. Every other status is that of the card in use. */
const expectKey = (acctId: number, status: CardStatus, cardId: number | null = null): string =>
  stateKey(`expect:${acctId}:${status}${status === 'CLOSED' ? `:${cardId}` : ''}`);
const historyKey = (cardId: number): string => stateKey(`history:${cardId}`);

const declinesLastSource = readScript(new URL('./declines-last.lua', import.meta.url));

export type CardHistory = ReturnType<typeof createCardHistory>;

/** The history of each card, in card-service time. */
export function createCardHistory(redis: RedisClient) {
  const declinesLast = defineScript(redis, declinesLastSource);
  async function statuses(cardId: number): Promise<StatusRecord[]> {
    const members = await redis.zrange(historyKey(cardId), '0', '-1');
    const records = members.map((text): StatusRecord => {
      const [callbackAt, status, eventId, receivedAt, changedAfter] = JSON.parse(text) as Member;
      return { callbackAt, status, eventId, receivedAt, ...(changedAfter !== undefined && { changedAfter }) };
    });
    // A card is activated once. So of two statuses of the same moment, as a new virtual card has them, this is the first.
    const isLater = ({ status }: StatusRecord): number => Number(status !== 'INACTIVE');
    const order = (a: StatusRecord, b: StatusRecord): number =>
      a.callbackAt === b.callbackAt ? isLater(a) - isLater(b) : a.callbackAt < b.callbackAt ? -1 : 1;
    return records.toSorted(order);
  }

  return {
    /**
     * Idempotent.
     *
     * @returns all known statuses with this one, in order of `callbackAt`. A status older than all kept ones is not kept.
     */
    async addStatus(cardId: number, record: StatusRecord): Promise<StatusRecord[]> {
      const { callbackAt, status, eventId, receivedAt, changedAfter } = record;
      const key = historyKey(cardId);
      // Equal scores sort by member. It begins with the time, so all seven fraction digits count.
      const reported: Member = [callbackAt, status, eventId, receivedAt];
      const member = JSON.stringify(changedAfter === undefined ? reported : [...reported, changedAfter]);
      const atSeconds = Math.floor(Date.parse(callbackAt) / 1000);
      const adding = redis
        .multi()
        .zadd(key, atSeconds, member)
        .zremrangebyrank(key, 0, -HISTORY_MAX - 1);
      await commit(adding.expire(key, LATEST_TTL_SECONDS));
      const known = await statuses(cardId);
      const isKept = known.some((status) => status.eventId === eventId);
      return isKept ? known : [record, ...known];
    },
    /** Every known status of a card, in order of `callbackAt`. */
    statuses,
    /** Declines of all cards, newest first. */
    newestDeclines: (limit: number): Promise<string[]> => redis.zrevrange(allDeclinesKey, 0, limit - 1),
    /** Newest first. */
    recentAlerts: (acctId: number, kind: LatestKind, limit: number): Promise<string[]> =>
      redis.zrevrange(latestKey(acctId, kind), 0, limit - 1),
    /** Alerts of a time, inclusive (ms), oldest first: the newest two hundred, because every purchase reads them. */
    async alertsBetween(acctId: number, kind: LatestKind, fromMs: number, toMs: number): Promise<string[]> {
      const newest = await redis.zrevrangebyscore(latestKey(acctId, kind), toMs, fromMs, 'LIMIT', 0, LATEST_MAX);
      return newest.toReversed();
    },
    /** The time between the first and the last of the account's latest declines (ms). */
    declinesLast: batched(async (acctIds: readonly number[]) => {
      // A burst holds many declines of the same cards.
      const accounts = [...new Set(acctIds)];
      const lists = accounts.map((acctId) => latestKey(acctId, 'declines'));
      const spans = (await declinesLast.run(lists, [])) as number[];
      const byAccount = new Map(accounts.map((acctId, at) => [acctId, spans[at] ?? 0]));
      return acctIds.map((acctId) => byAccount.get(acctId) ?? 0);
    }),
    ...createExpectations(redis),
  };
}

/** Which of our actions the webhooks of a status belong to. */
function createExpectations(redis: RedisClient) {
  async function expectedAction(
    { acctId, id, callbackAt }: Pick<CardStatusEvent, 'acctId' | 'id' | 'callbackAt'>,
    status: CardStatus,
    cardId: number | null = null,
  ): Promise<{ readonly userId: string; readonly actionId: string } | null> {
    const key = expectKey(acctId, status, cardId);
    const [userId, actionId, after] = await redis.hmget(key, 'userId', 'actionId', 'after');
    if (userId == null || actionId == null) return null;
    // The delayed webhook of an earlier change.
    if (callbackAt <= (after ?? '')) return null;
    await redis.hsetnx(key, 'eventId', id);
    return (await redis.hget(key, 'eventId')) === id ? { userId, actionId } : null;
  }
  return {
    /** Records the action that the next webhook with this status will confirm. @param cardId the card that is closed. */
    async expectStatus(
      acctId: number,
      status: CardStatus,
      { userId, actionId, after, notBefore }: StatusChanger,
      cardId: number | null = null,
    ): Promise<void> {
      const key = expectKey(acctId, status, cardId);
      const [earlierId, eventId] = await redis.hmget(key, 'actionId', 'eventId');
      // After a crash, an action expects again what may have come meanwhile.
      if (earlierId === actionId) return;
      // The webhook of the earlier action may still come.
      const isAwaited = earlierId != null && eventId == null;
      await redis
        .multi()
        .del(key)
        .hset(key, { userId, actionId, after: isAwaited && notBefore > after ? notBefore : after })
        .expire(key, EXPECTED_SECONDS)
        .exec();
    },
    /** The webhook will not come, because the card API refused the change. */
    async forgetExpected(acctId: number, status: CardStatus, cardId: number | null = null): Promise<void> {
      await redis.del(expectKey(acctId, status, cardId));
    },
    /** The action that caused this event: the first event with the status. Repeated calls give the same answer. */
    expectedAction,
    /** Whether the next event with this status is expected, or this event was. */
    async isExpected(
      acctId: number,
      { status, eventId, callbackAt }: Pick<StatusRecord, 'status' | 'eventId' | 'callbackAt'>,
    ): Promise<boolean> {
      const [waiting, seen, after] = await redis.hmget(expectKey(acctId, status), 'actionId', 'eventId', 'after');
      return waiting != null && (seen == null ? callbackAt > (after ?? '') : seen === eventId);
    },
    /** The event that confirmed an action; null until it comes. */
    async confirmedBy(acctId: number, status: CardStatus, actionId: string): Promise<string | null> {
      const [waiting, eventId] = await redis.hmget(expectKey(acctId, status), 'actionId', 'eventId');
      return waiting === actionId ? (eventId ?? null) : null;
    },
  };
}

/** Declines of an account that came as webhooks, with what would have let them pass. Newest first. */
export function createRecentDeclines(history: Pick<CardHistory, 'recentAlerts'>, alerts: Pick<Alerts, 'get'>) {
  return async function recentDeclines(
    acctId: number,
    countMax: number,
  ): Promise<(TransactionEvent & Pick<TransactionAlert, 'remedy'> & DeclinedCard)[]> {
    const ids = await history.recentAlerts(acctId, 'declines', countMax);
    return (await alertsOfKind('transaction', ids, alerts)).map(({ event, remedy, card }) => ({
      ...event,
      ...declinedCard(card),
      remedy,
    }));
  };
}
