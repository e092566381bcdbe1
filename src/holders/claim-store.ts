import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore, saveUndecided } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { ClaimAction, type DecideClaimAction, UnlinkAction } from './verbs.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** Whoever claims more than a few cards in a day is guessing. */
const COUNTED_SECONDS = 24 * 3600;

const ClaimedCard = z.strictObject({
  acctId: z.int(),
  /** Whether Slack has the name and the e-mail address of its holder for the one who claims. */
  isSameName: z.boolean(),
  isSameEmail: z.boolean(),
});
export type ClaimedCard = z.infer<typeof ClaimedCard>;

const claimed = {
  id: z.string(),
  /** Who claims to hold a card, or to hold it no longer. */
  action: z.discriminatedUnion('verb', [ClaimAction, UnlinkAction]),
  /** The cards that this can mean. */
  cards: z.array(ClaimedCard).min(1),
  /** UTC ISO 8601. */
  expiresAt: z.string(),
};

const Decision = z.strictObject({
  /** The click, so that its job recognizes its own decision after a crash. */
  actionId: z.string(),
  /** Slack user, and when, UTC ISO 8601. */
  by: z.string(),
  at: z.string(),
});

/**
 * Somebody says that they hold a card, or hold it no longer, and an approver decides whether that is so.
 *
 * open → confirmed, refused or expired; each of these is final.
 */
export const Claim = z.discriminatedUnion('state', [
  z.strictObject({ ...claimed, state: z.literal('open') }),
  /** The account that was confirmed is linked to who claimed it, or to nobody any more. */
  z.strictObject({ ...claimed, state: z.literal('confirmed'), acctId: z.int(), decision: Decision }),
  z.strictObject({ ...claimed, state: z.literal('refused'), decision: Decision }),
  z.strictObject({ ...claimed, state: z.literal('expired') }),
]);
export type Claim = z.infer<typeof Claim>;
export type OpenClaim = Extract<Claim, { state: 'open' }>;
export type ClosedClaim = Exclude<Claim, OpenClaim>;

/** The click that decided it, and who; null while it is open, and where its time ran out. */
export function decisionOf(claim: Claim): z.infer<typeof Decision> | null {
  return claim.state === 'confirmed' || claim.state === 'refused' ? claim.decision : null;
}

export function isDecidedBy(claim: Claim, actionId: string): boolean {
  return decisionOf(claim)?.actionId === actionId;
}

/** What *Confirm* carries: which card of the claim, and who the person saw as its holder. An opaque id. */
export function claimValue(claimId: string, choice: number, heldBy: string | null): string {
  return [claimId, choice, ...(heldBy === null ? [] : [seenHolder(claimId, heldBy)])].join('.');
}

/** *Refuse* carries the claim only. */
export function claimTarget(value: string): DecideClaimAction['target'] {
  const [claimId = '', index, seen] = value.split('.');
  const choice = index === undefined || !/^\d{1,2}$/.test(index) ? null : Number(index);
  return { kind: 'claim', claimId, choice, ...(seen !== undefined && { seenHolder: seen }) };
}

/** True when the person saw who holds the card now. */
export function hasSeenHolder(
  { claimId, seenHolder: seen }: DecideClaimAction['target'],
  heldBy: string | null,
): boolean {
  return seen === (heldBy === null ? undefined : seenHolder(claimId, heldBy));
}

function seenHolder(claimId: string, heldBy: string): string {
  return contentId('h', [claimId, heldBy]);
}

export type Claims = ReturnType<typeof createClaims>;

/**
 * Claims by id. Changes happen under the claim's lock, so plain reads and writes do. They are signed: what was claimed for whom
 * is what an approver confirms.
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
    /** Those that nobody has decided yet, oldest first. */
    open: async (): Promise<OpenClaim[]> => (await store.open()).filter((claim) => claim.state === 'open'),
    /** How many cards somebody has claimed within a day, including this time. The same action counts once. */
    async count(userId: string, actionId: string): Promise<number> {
      const key = stateKey(`claims-of:${userId}`);
      const answers = await redis.multi().sadd(key, actionId).expire(key, COUNTED_SECONDS, 'NX').scard(key).exec();
      return Number(answers?.[2]?.[1] ?? 0);
    },
  };
}
