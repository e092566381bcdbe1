import { z } from 'zod';
import { statusWord } from '../../templates/core/card-words.ts';
import { ALERT_TTL_SECONDS } from '../alerts/alert.ts';
import { type Audit, readRecordsSince } from '../audit/audit.ts';
import { type AuditRecord, nobody } from '../audit/audit-record.ts';
import { CardApiError } from '../core/errors.ts';
import { CardStatus, type CardStatusEvent } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import { holderOf } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import { toMissedStatus } from '../webhooks/card-status.ts';
import { isLong } from './gap-window.ts';

/** So few accounts that reading each costs no more than listing them all. */
const FEW_ACCOUNTS = 40;
/** A webhook normally comes immediately, but the card service's queue may delay it, or repeat it within four minutes. */
export const WEBHOOK_DUE_AFTER_MS = 5 * 60_000;

/** How far the calls got, when the card API did not answer all of them. */
const unread = { operation: 'getAccount', outcome: 'unknown', code: 'unavailable' } as const;

/** A status that was reported without its webhooks, and the time in which they would have been sent. */
const Span = z.strictObject({ status: CardStatus, after: z.string(), until: z.string() });

/** Status changes reported without their webhooks, so that a webhook that arrives later adds nothing. */
type Backfilled = ReturnType<typeof createBackfilled>;

export function createBackfilled(redis: RedisClient) {
  const spans = createRecordStore<z.infer<typeof Span>, number>({
    redis,
    schema: Span,
    keyOf: (cardId) => stateKey(`backfilled:${cardId}`),
    // The card service stores webhooks for as long as an outage of it lasts.
    ttlSeconds: ALERT_TTL_SECONDS,
  });
  return {
    /** Records that the card's change to `status` is reported: it happened after `after` and was seen at `until`. */
    remember: spans.put,
    /**
     * True when what the event is about was reported before. It may also list cards that did not change.
     *
     * @param known the account's cards, with their statuses as they are known.
     */
    async covers(
      { cards, callbackAt }: CardStatusEvent,
      known: readonly { readonly cardId: number | null; readonly status: CardStatus | null }[],
    ): Promise<boolean> {
      const atMs = Date.parse(callbackAt);
      const covered = await Promise.all(
        cards.map(async ({ cardId, status }) => {
          const span = await spans.get(cardId);
          if (span === null)
            return known.some((card) => card.cardId === cardId && card.status === status) ? null : false;
          const untilMs = Date.parse(span.until) + (status === span.status ? CLOCK_SKEW_MS : 0);
          return atMs > Date.parse(span.after) && atMs <= untilMs;
        }),
      );
      return covered.includes(true) && !covered.includes(false);
    },
  };
}

interface Deps {
  readonly directory: Pick<Directory, 'all'> & {
    readonly status: () => Promise<{ readonly accounts: number; readonly listedAt: string | null }>;
    readonly refresh: (options: { readonly force: boolean }) => Promise<unknown>;
    /** @returns false when some could not be read because the API is down. */
    readonly reloadOlderThan: (atMs: number) => Promise<boolean>;
  };
  readonly backfilled: Pick<Backfilled, 'remember'>;
  /** Stores events that are not stored yet, marked as late. @returns how many were new. */
  readonly take: (gapId: string, events: readonly CardStatusEvent[]) => Promise<number>;
  /** Audits a change that happened during a gap, when no other audit entry explains it. */
  readonly recordDiscovered: ReturnType<typeof createRecordDiscovered>;
  /** When the last gap ended (ms); 0 when there was none. */
  readonly lastGapEndMs: () => Promise<number>;
  readonly now: () => Date;
}

/**
 * Reports every card whose status in the API differs from the reported one: one late alert per card, with its current
 * status. Idempotent: the same change gives the same event.
 */
export function createStatusRecovery(deps: Deps) {
  const { directory, backfilled, take, recordDiscovered, lastGapEndMs, now } = deps;

  return {
    /**
     * Reports the cards that changed in a gap.
     *
     * @returns how many.
     * @throws CardApiError when some cards could not be read; run it again.
     */
    async afterGap(gap: Gap): Promise<number> {
      const { accounts } = await directory.status();
      if (accounts <= FEW_ACCOUNTS || isLong(gap)) {
        // A gap is closed only after every card was checked.
        const isWhole = await directory.reloadOlderThan(Date.parse(gap.to));
        if (!isWhole) throw new CardApiError('the card service did not answer for some cards', unread);
      } else {
        await directory.refresh({ force: true });
      }
      return await reportChanges(gap, 0);
    },

    /** Updates the directory, and reports every status that no webhook has explained for a while, even without a gap. */
    async refreshDirectory(): Promise<void> {
      const { listedAt } = await directory.status();
      // The refresh by a recovery may have hit the card service's hourly quota.
      await directory.refresh({ force: (await lastGapEndMs()) > Date.parse(listedAt ?? '') });
      await reportChanges(null, WEBHOOK_DUE_AFTER_MS);
    },
  };

  /** @param gap null when there is none. @param unexplainedMs how long to wait for the webhook. */
  async function reportChanges(gap: Gap | null, unexplainedMs: number): Promise<number> {
    let reported = 0;
    for await (const account of directory.all()) {
      for (const { cardId, last4, status, seenAt, was } of account.cards) {
        if (was === undefined || cardId === null || status === null) continue;
        if (now().getTime() - Date.parse(seenAt) < unexplainedMs) continue;
        const event = toMissedStatus({
          acctId: account.acctId,
          holder: holderOf(account) ?? '',
          customId: account.customId,
          card: { cardId, last4: last4 ?? '', status },
          was,
          seenAt,
        });
        // Before the event is stored, so that no webhook can arrive in between.
        await backfilled.remember(cardId, { status, after: was.seenAt, until: seenAt });
        if (gap !== null) await recordDiscovered(gap, event, was.status);
        reported += await take(gap?.id ?? 'maintenance', [event]);
      }
    }
    return reported;
  }
}

/** A change may have been made shortly before the gap that hid it. */
const BEFORE_MS = 10 * 60_000;
/** Audit entries of changes that Cardbell made or already discovered. */
const explains: ReadonlySet<AuditRecord['event']> = new Set(['sent', 'done', 'confirmed', 'discovered']);

/** Whether a record is of the change that gave the card its status. An activation also closes the account's other cards. */
function isOf({ verb, cardId, after }: AuditRecord, card: CardStatusEvent['cards'][number]): boolean {
  const isClosing = verb === 'activate' && after === statusWord('ACTIVE') && cardId !== card.cardId;
  return after === statusWord(card.status) || (card.status === 'CLOSED' && isClosing);
}

/** Audits a status that a recovery found, when no other entry explains it. Idempotent. */
export function createRecordDiscovered({
  audit,
  now,
}: {
  readonly audit: Pick<Audit, 'append' | 'read' | 'head'>;
  readonly now: () => Date;
}) {
  return async function recordDiscovered(gap: Gap, { id, acctId, cards }: CardStatusEvent, before: CardStatus | null) {
    const [card] = cards;
    if (card === undefined) return;
    const after = statusWord(card.status);
    const records = await readRecordsSince(audit, Date.parse(gap.from) - BEFORE_MS);
    const isExplained = records.some(
      (record) => record.acctId === acctId && explains.has(record.event) && isOf(record, card),
    );
    if (isExplained) return;
    await audit.append({
      ...nobody,
      at: now().toISOString(),
      actionId: id,
      event: 'discovered',
      verb: 'status',
      acctId,
      cardId: card.cardId,
      before: before === null ? null : statusWord(before),
      after,
      alertId: id,
      detail: 'seen in the card service after a gap; no record says who made this change',
    });
  };
}
