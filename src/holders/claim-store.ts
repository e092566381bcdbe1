import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { DecidedBy, saveUndecided } from '../core/decided-record.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { countWithin } from '../core/time-window.ts';
import { ClaimAction, type DecideClaimAction, UnlinkAction } from './verbs.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** Someone who claims more than a few cards in a day is guessing. */
const COUNTED_MS = 24 * 3_600_000;

const ClaimedCard = z.strictObject({
  acctId: z.int(),
  /**
   * Whether the claimant's Slack profile has the holder's name and email address. Null: Slack or the card program has
   * none, so nothing was compared.
   */
  isSameName: z.boolean().nullable(),
  isSameEmail: z.boolean().nullable(),
  /** Whose link an unlink claim is to end, if not the claimant's. */
  linkOf: z.string().optional(),
});
export type ClaimedCard = z.infer<typeof ClaimedCard>;

const claimed = {
  id: z.string(),
  /** The person who claims to hold a card, or to hold it no longer. */
  action: z.discriminatedUnion('verb', [ClaimAction, UnlinkAction]),
  card: ClaimedCard,
  /** UTC ISO 8601. */
  expiresAt: z.string(),
};

/**
 * Someone says that they hold a card, or no longer hold it, and an approver decides.
 *
 * open → confirmed, refused or expired, all final.
 */
export const Claim = z.discriminatedUnion('state', [
  z.strictObject({ ...claimed, state: z.literal('open') }),
  /** The card is linked to the claimant, or to nobody any more. */
  z.strictObject({ ...claimed, state: z.literal('confirmed'), decision: DecidedBy }),
  z.strictObject({ ...claimed, state: z.literal('refused'), decision: DecidedBy }),
  z.strictObject({ ...claimed, state: z.literal('expired') }),
]);
export type Claim = z.infer<typeof Claim>;
export type OpenClaim = Extract<Claim, { state: 'open' }>;
export type ClosedClaim = Exclude<Claim, OpenClaim>;

/** Whether the card was linked to somebody else since its link was claimed to be over. That link stays. */
export function isLinkedSince({ action, card }: Pick<Claim, 'action' | 'card'>, heldBy: string | null): boolean {
  return action.verb === 'unlink' && heldBy !== null && heldBy !== (card.linkOf ?? action.actor.userId);
}

/** The value of *Confirm*: the claim and the holder that the person saw. An opaque id. */
export function claimValue(claimId: string, heldBy: string | null): string {
  return [claimId, ...(heldBy === null ? [] : [seenHolder(claimId, heldBy)])].join('.');
}

/** @param value that of *Confirm*; *Refuse* contains only the claim. */
export function claimTarget(value: string, confirms: boolean): DecideClaimAction['target'] {
  const [claimId = '', seen] = value.split('.');
  return { kind: 'claim', claimId, confirms, ...(seen !== undefined && { seenHolder: seen }) };
}

/** True when the person saw the card's current holder. */
export function hasSeenHolder(
  { claimId, seenHolder: seen }: DecideClaimAction['target'],
  heldBy: string | null,
): boolean {
  return seen === (heldBy === null ? undefined : seenHolder(claimId, heldBy));
}

function seenHolder(claimId: string, heldBy: string): string {
  return contentId('h', [claimId, heldBy]);
}

/** Who says that a card is theirs, in a stored claim. Null: nobody any more. For a restore, which has no key to verify it. */
export function claimantIn(stored: string): { readonly userId: string; readonly acctId: number } | null {
  const { state, action, card } = recordFormat(Claim, null).read(stored);
  return state === 'open' && action.verb === 'claim' ? { userId: action.actor.userId, acctId: card.acctId } : null;
}

export type Claims = ReturnType<typeof createClaims>;

/**
 * Claims by id. Changes happen under the claim's lock, so plain reads and writes are enough. Claims are signed, because
 * an approver confirms what they contain.
 */
export function createClaims(redis: RedisClient, signer: Signer) {
  const store = createOpenRecordStore({
    redis,
    schema: Claim,
    signer,
    idOf: ({ id }) => id,
    keyOf: (id) => stateKey(`claim:${id}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('claims-open'),
    orderOf: ({ state, action }) => (state === 'open' ? Date.parse(action.askedAt) : null),
  });
  return {
    save: (claim: Claim): Promise<void> => saveUndecided(store, claim),
    get: store.get,
    /** Undecided claims, oldest first. */
    open: async (): Promise<OpenClaim[]> => (await store.open()).filter((claim) => claim.state === 'open'),
    /** How many cards someone has claimed within a day, including this one. Each action counts once. */
    count: (userId: string, actionId: string): Promise<number> =>
      countWithin(redis, COUNTED_MS, stateKey(`claims-of:${userId}`), actionId),
  };
}
