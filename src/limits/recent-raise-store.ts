import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createOwnedKey } from '../core/lock.ts';
import type { RedisClient } from '../core/redis.ts';
import { firstWithin } from '../core/time-window.ts';
import { fromStored, toStored } from '../core/unknown-fields.ts';
import type { Loosened } from '../policy/approval-policy.ts';
import { CAPPED_MS, RAISES_ADDED_MS } from '../policy/decide-action.ts';

/** The stored part of a raise; its time is the score. Identical for the same action, so that it counts once. */
const Kept = z.strictObject({
  actionId: z.string(),
  /** Null: a virtual card that is still being ordered has no account yet. */
  acctId: z.int().nullable(),
  /** See `ruleKey`. Raises that are not about a rule use a separate name. */
  rule: z.string(),
  /** Null: no amount is known, such as of a limit that was removed. */
  cents: z.int().positive().nullable(),
  /** Slack user who allowed it alone; null: several people had to approve it. */
  by: z.string().nullable(),
  /** The people they, or those who approved it together, acted for as delegates. It counts as theirs, too. */
  inPlaceOf: z.array(z.string()),
  /** Slack user who asked for it: the same person, the cardholder, or another approver. */
  askedBy: z.string(),
  /** Those who approved it together: it counts with the next raises of each of them, but they allowed nothing alone. */
  approvedBy: z.array(z.string()).optional(),
});

/** Anything that let a card spend more: a raise of a rule, opening a rule, or an order. */
export interface RecentRaise extends z.infer<typeof Kept> {
  readonly atMs: number;
}

/** Which raises: of one card, allowed alone by one person, or of the entire program. */
export type RaiseScope = { readonly acctId: number } | { readonly userId: string } | 'program';

/** Recent raises, and the cards on which an emergency override was used. */
export type RecentRaises = ReturnType<typeof createRecentRaises>;

/** Several small raises must not sum up to one that needs two people. Kept as long as a cap counts them. */
export function createRecentRaises(redis: RedisClient) {
  const override = createOwnedKey(redis);
  const overrideKey = (acctId: number): string => stateKey(`emergency-override:${acctId}`);
  const inEach = async (
    raise: Omit<RecentRaise, 'atMs'>,
    change: (batch: ChainableCommander, key: string) => ChainableCommander,
  ): Promise<void> => {
    await scopesOf(raise)
      .map(keyOf)
      .reduce((batch, key) => change(batch, key), redis.multi())
      .exec();
  };
  return {
    /** The same action counts once, at its first time, no matter how often it is added. */
    async add({ atMs, ...raise }: RecentRaise): Promise<void> {
      const member = JSON.stringify(Kept.parse(raise));
      await inEach(raise, (batch, key) =>
        batch
          .zadd(key, 'NX', atMs, member)
          .zremrangebyscore(key, '-inf', atMs - CAPPED_MS)
          .pexpire(key, CAPPED_MS),
      );
    },
    /** The raise was not made. */
    async cancel(raise: Omit<RecentRaise, 'atMs'>): Promise<void> {
      const member = JSON.stringify(toStored(Kept, raise));
      await inEach(raise, (batch, key) => batch.zrem(key, member));
    },
    /** Raises within 30 days, oldest first. */
    async list(scope: RaiseScope, nowMs: number): Promise<RecentRaise[]> {
      const pairs = await redis.zrangebyscore(keyOf(scope), nowMs - CAPPED_MS, '+inf', 'WITHSCORES');
      return pairs.flatMap((text, index): RecentRaise[] =>
        index % 2 === 0 ? [{ ...fromStored(Kept, JSON.parse(text)), atMs: Number(pairs[index + 1]) }] : [],
      );
    },
    /** Once within 24 hours per card. @returns false when another click has used it. */
    async reserveOverride(acctId: number, actionId: string): Promise<boolean> {
      return (await firstWithin(redis, RAISES_ADDED_MS, overrideKey(acctId), actionId)) === actionId;
    },
    /** The override was not made. It may be used again, if this action used it. */
    async releaseOverride(acctId: number, actionId: string): Promise<void> {
      await override.free(overrideKey(acctId), actionId);
    },
  };
}

/**
 * What was loosened before an action, for the caps; for several people, the highest sum of any one person.
 *
 * @param exceptIds the action, and others that add nothing to it.
 * @param acctId null: a card that is still being ordered.
 */
export async function loosenedBefore(
  exceptIds: readonly string[],
  acctId: number | null,
  people: readonly string[],
  { recentRaises, now }: { readonly recentRaises: Pick<RecentRaises, 'list'>; readonly now: () => Date },
): Promise<Loosened> {
  const nowMs = now().getTime();
  const sumsOf = async (scope: RaiseScope) => sumsIn(await recentRaises.list(scope, nowMs), exceptIds, nowMs);
  const each = await Promise.all(people.map((userId) => sumsOf({ userId })));
  return {
    person: {
      dayCents: Math.max(...each.map(({ dayCents }) => dayCents)),
      monthCents: Math.max(...each.map(({ monthCents }) => monthCents)),
    },
    card: acctId === null ? { dayCents: 0, monthCents: 0 } : await sumsOf({ acctId }),
    program: await sumsOf('program'),
  };
}

function scopesOf({ acctId, by, inPlaceOf }: Omit<RecentRaise, 'atMs'>): RaiseScope[] {
  const people = by === null ? [] : [by, ...inPlaceOf];
  return [...(acctId === null ? [] : [{ acctId }]), ...people.map((userId) => ({ userId })), 'program'];
}

function keyOf(scope: RaiseScope): string {
  if (scope === 'program') return stateKey('recent-raises:program');
  return stateKey(`recent-raises:${'acctId' in scope ? scope.acctId : scope.userId}`);
}

/** Whether one of these people added it: asked for it or approved it, alone or together, or was represented by one who did. */
export function isAddedBy(
  { by, askedBy, inPlaceOf, approvedBy = [] }: RecentRaise,
  people: readonly string[],
): boolean {
  return [by, askedBy, ...inPlaceOf, ...approvedBy].some((userId) => userId !== null && people.includes(userId));
}

/**
 * Sums of raises, without those of some actions and those without an amount. If an action raised several rules, the largest
 * raise counts.
 *
 * @param raises within 30 days.
 */
export function sumsIn(
  raises: readonly RecentRaise[],
  exceptIds: readonly string[],
  nowMs: number,
): Loosened['person'] {
  const sum = (counted: readonly RecentRaise[]): number => {
    const most = new Map<string, number>();
    for (const { actionId, cents } of counted) most.set(actionId, Math.max(most.get(actionId) ?? 0, cents ?? 0));
    return [...most.values()].reduce((total, cents) => total + cents, 0);
  };
  const others = raises.filter(({ actionId }) => !exceptIds.includes(actionId));
  return { dayCents: sum(others.filter(({ atMs }) => atMs >= nowMs - RAISES_ADDED_MS)), monthCents: sum(others) };
}
