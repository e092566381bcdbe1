import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardStatus, type CardStatusEvent } from '../core/event.ts';
import { type Gap, lengthOf } from '../core/gap.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import { holderOf } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';

/** Longer than the service repeats a webhook, or its queue holds one up. */
const KEPT_SECONDS = 3 * 24 * 3600;
/** The service's clock and ours may disagree by this much. */
const SKEW_MS = 60_000;
/** Webhooks that met a shorter gap are repeated within four minutes; only after longer ones every card is asked for. */
const EVERY_CARD_AFTER_MS = 225_000;
/** So few that asking for each costs no more than the list of all. */
const FEW_ACCOUNTS = 40;
/** A status webhook normally follows at once, and may be held up by the service's queue. */
const WEBHOOK_DUE_AFTER_MS = 5 * 60_000;

/** What a card showed, from when to when, was reported without its webhooks. */
const Span = z.strictObject({ status: CardStatus, after: z.string(), until: z.string() });

/** Which status changes were reported without their webhooks, so that webhooks that come after all add nothing. */
export interface Backfilled {
  /** The way of a card from what was known at `after` to `status`, seen at `until`, is reported now. */
  remember(cardId: number, span: z.infer<typeof Span>): Promise<void>;
  /** True when everything in the event has been reported. */
  covers(event: CardStatusEvent): Promise<boolean>;
}

export function createBackfilled(redis: Redis | Cluster): Backfilled {
  const spans = createRecordStore<z.infer<typeof Span>, number>({
    redis,
    schema: Span,
    keyOf: (cardId) => stateKey(`backfilled:${cardId}`),
    ttlSeconds: KEPT_SECONDS,
  });
  return {
    remember: spans.put,
    async covers({ cards, callbackAt }) {
      const atMs = Date.parse(callbackAt);
      const covered = await Promise.all(
        cards.map(async ({ cardId, status }) => {
          const span = await spans.get(cardId);
          if (span === null) return false;
          const untilMs = Date.parse(span.until) + (status === span.status ? SKEW_MS : 0);
          return atMs > Date.parse(span.after) && atMs <= untilMs;
        }),
      );
      return covered.every(Boolean);
    },
  };
}

/** A card whose status changed, as the API shows it, without a webhook that reported it. */
export interface UnreportedStatus {
  readonly acctId: number;
  readonly holder: string;
  readonly customId: string | null;
  readonly card: { readonly cardId: number; readonly last4: string; readonly status: CardStatus };
  /** What was reported last; a null status for a card that is new. */
  readonly was: { readonly status: CardStatus | null; readonly seenAt: string };
  /** When the API showed it. */
  readonly seenAt: string;
}

interface Deps {
  readonly directory: Pick<Directory, 'all'> & {
    readonly status: () => Promise<{ readonly accounts: number; readonly listedAt: string | null }>;
    readonly refresh: (options: { readonly force: boolean }) => Promise<unknown>;
    readonly reloadOlderThan: (atMs: number) => Promise<unknown>;
  };
  readonly toEvent: (unreported: UnreportedStatus) => CardStatusEvent;
  readonly backfilled: Pick<Backfilled, 'remember'>;
  /** Stores events, marked as late, unless they were. @returns how many were new. */
  readonly take: (gapId: string, events: readonly CardStatusEvent[]) => Promise<number>;
  /** When the last gap ended (ms); 0: there was none. */
  readonly lastGapEndMs: () => Promise<number>;
  readonly now: () => number;
}

export interface StatusRecovery {
  /** Reports what changed in a gap. @returns how many cards. */
  afterGap(gap: Gap): Promise<number>;
  /** Brings the directory up to date, and reports statuses that no webhook has explained for a while, gap or no gap. */
  refreshDirectory(): Promise<void>;
}

/**
 * Reports each card whose status the API shows to be another than was reported: one late alert a card, with the status
 * that it has now. Safe to repeat: the same change is the same event.
 */
export function createStatusRecovery({
  directory,
  toEvent,
  backfilled,
  take,
  lastGapEndMs,
  now,
}: Deps): StatusRecovery {
  return {
    async afterGap(gap) {
      const { accounts } = await directory.status();
      if (accounts <= FEW_ACCOUNTS || lengthOf(gap) >= EVERY_CARD_AFTER_MS) {
        await directory.reloadOlderThan(Date.parse(gap.to));
      } else {
        await directory.refresh({ force: true });
      }
      return await reportChanges(gap.id, 0);
    },

    async refreshDirectory() {
      const { listedAt } = await directory.status();
      // The list that a recovery wanted may have been more than the service takes in an hour.
      await directory.refresh({ force: (await lastGapEndMs()) > Date.parse(listedAt ?? '') });
      await reportChanges('maintenance', WEBHOOK_DUE_AFTER_MS);
    },
  };

  /** @param unexplainedMs how long a webhook may take to come by itself. */
  async function reportChanges(gapId: string, unexplainedMs: number): Promise<number> {
    let reported = 0;
    for await (const account of directory.all()) {
      for (const { cardId, last4, status, seenAt, was } of account.cards) {
        if (was === undefined || cardId === null || status === null) continue;
        if (now() - Date.parse(seenAt) < unexplainedMs) continue;
        const event = toEvent({
          acctId: account.acctId,
          holder: holderOf(account) ?? '',
          customId: account.customId,
          card: { cardId, last4: last4 ?? '', status },
          was,
          seenAt,
        });
        // First, so that no webhook slips in between.
        await backfilled.remember(cardId, { status, after: was.seenAt, until: seenAt });
        reported += await take(gapId, [event]);
      }
    }
    return reported;
  }
}
