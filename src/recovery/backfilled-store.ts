import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardStatus, type CardStatusEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';

/** Longer than the service repeats a webhook, or its queue holds one up. */
const KEPT_SECONDS = 3 * 24 * 3600;
/** The service's clock and ours may disagree by this much. */
const SKEW_MS = 60_000;

const Told = z.strictObject({ status: CardStatus, after: z.string(), until: z.string() });
type Told = z.infer<typeof Told>;

/** Which status changes were told without their webhooks, so that webhooks that come after all add nothing. */
export interface Backfilled {
  /** A card's way from what was known at `after` to `status`, seen at `until`, is told now. */
  remember(cardId: number, told: Told): Promise<void>;
  /** True when everything in the event has been told. */
  covers(event: CardStatusEvent): Promise<boolean>;
}

export function createBackfilled(redis: Redis | Cluster): Backfilled {
  const keyOf = (cardId: number): string => stateKey(`told-late:${cardId}`);
  return {
    async remember(cardId, told) {
      await redis.set(keyOf(cardId), JSON.stringify(told), 'EX', KEPT_SECONDS);
    },
    async covers({ cards, callbackAt }) {
      const atMs = Date.parse(callbackAt);
      const covered = await Promise.all(
        cards.map(async ({ cardId, status }) => {
          const text = await redis.get(keyOf(cardId));
          if (text === null) return false;
          const told = Told.parse(JSON.parse(text));
          const untilMs = Date.parse(told.until) + (status === told.status ? SKEW_MS : 0);
          return atMs > Date.parse(told.after) && atMs <= untilMs;
        }),
      );
      return covered.every(Boolean);
    },
  };
}
