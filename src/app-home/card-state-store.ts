import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CardClient } from '../card-api/client.ts';
import { LimitWindow } from '../card-api/rule.ts';
import { stateKey } from '../core/keys.ts';
import { createChangingRecordStore, createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { DirectoryCard } from '../directory/account.ts';
import { balanceOf, limitsInForce } from '../directory/show-card.ts';
import { VIEWER_TTL_MS } from './viewer-store.ts';

/** What the card API says about an account, without what it did not return in time. */
const CardState = z.strictObject({
  /** When it was asked, UTC ISO 8601. */
  readAt: z.string(),
  /** Null: not returned. */
  cards: z.array(DirectoryCard.pick({ cardId: true, last4: true, status: true })).nullable(),
  balance: z.union([z.int(), z.literal('business')]).nullable(),
  limits: z.array(
    z.strictObject({
      period: LimitWindow,
      category: z.string().nullable(),
      limitCents: z.int().nullable(),
      remainingCents: z.int().nullable(),
    }),
  ),
  /** False: not returned. */
  hasLimits: z.boolean(),
  /** Whoever is reading it. Absent: it has been read. */
  reading: z.string().optional(),
});
export type CardState = z.infer<typeof CardState>;

interface Deps {
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly now: () => Date;
}

/** A page with gaps is better than no page. */
const CALL_LIMITS = { deadlineMs: 2500, maxRetries: 0 } as const;

/** Asks the card API: three calls. */
export async function readCardState(acctId: number, { card, now }: Deps): Promise<CardState> {
  const readAt = now().toISOString();
  const [details, rules, remaining] = await Promise.all([
    card.getAccount(acctId, CALL_LIMITS).catch(() => null),
    card.getSpendRules(acctId, CALL_LIMITS).catch(() => null),
    card.getRemainingLimits(acctId, CALL_LIMITS).catch(() => null),
  ]);
  return {
    readAt,
    cards: details?.cards.map(({ cardId, last4, status }) => ({ cardId, last4, status })) ?? null,
    balance: balanceOf(details, rules?.rules ?? null),
    limits: limitsInForce(rules?.rules ?? null, remaining, details === null || details.rulesetId !== null),
    hasLimits: rules !== null || remaining !== null,
  };
}

/** Older than any. An older build, which knows no `reading`, reads it again, too. */
const unread: CardState = {
  readAt: new Date(0).toISOString(),
  cards: null,
  balance: null,
  limits: [],
  hasLimits: false,
};

/**
 * What App Home shows of people's own cards. It is rendered again far more often than the card API may be called, so the
 * API is asked when a person opens App Home and when a card has changed. What it did not return is not asked for again
 * until then either: it may have refused because of its rate limit.
 */
export function createCardStates(redis: RedisClient, deps: Deps) {
  const options = {
    redis,
    schema: CardState,
    keyOf: (acctId: number) => stateKey(`home-card:${acctId}`),
    ttlSeconds: VIEWER_TTL_MS / 1000,
  };
  const store = createRecordStore(options);
  const { change } = createChangingRecordStore(options);
  return {
    /** @param sinceMs what was read before is too old. */
    async of(acctId: number, sinceMs: number): Promise<CardState> {
      const kept = await store.get(acctId);
      if (kept !== null && kept.reading === undefined && Date.parse(kept.readAt) >= sinceMs) return kept;
      const reading = randomUUID();
      await store.put(acctId, { ...unread, reading });
      const read = await readCardState(acctId, deps);
      // If the card has changed since, or somebody else asked later, this answer may be too old to be kept.
      await change(acctId, (current) => (current?.reading === reading ? read : null));
      return read;
    },
    /** The card has changed. */
    forget: (acctId: number): Promise<void> => store.delete(acctId),
  };
}
