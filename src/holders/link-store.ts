import { z } from 'zod';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { batched } from '../core/batched.ts';
import { RolesUnreadError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import { commit, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { Directory } from '../directory/directory.ts';
import type { Claims, OpenClaim } from './claim-store.ts';

/** Whose card it is: one Slack user per account, any number of accounts per user. */
export const Link = z.strictObject({
  acctId: z.int().positive(),
  userId: z.string(),
  /** How it was proved: by an approver, or by matching email addresses and the holder's confirmation. */
  provedBy: z.enum(['approver', 'email']),
  /** Slack user who confirmed it: the approver, or the holder. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type Link = z.infer<typeof Link>;

export type Links = ReturnType<typeof createLinks>;

/** How long a former holder still may not decide about the card. */
const FORMER_HOLDER_MS = 24 * 3_600_000;

const setScript = readScript(new URL('./set-link.lua', import.meta.url));
const format = recordFormat(Link);

/** Sorts after every digit: the end of one user's range. */
const AFTER_DIGITS = ';';

/** Links between Slack users and card accounts. They last until someone removes them. */
export function createLinks(redis: RedisClient, now: () => Date) {
  const set = defineScript(redis, setScript);
  const byAccount = stateKey('links');
  // Equal scores keep members in alphabetical order, so one range finds all accounts of a user.
  const byUser = stateKey('links-by-user');
  /** Slack users whose link to an account ended, and `claim:` with those whose claim was confirmed; both with the time. */
  const heldKey = (acctId: number): string => stateKey(`former-holders:${acctId}`);
  const claimed = (userId: string): string => `claim:${userId}`;
  const keysOf = (acctId: number): string[] => [byAccount, byUser, heldKey(acctId)];
  /** The web process may read no more of a link than this. */
  const accountsOf = async (userId: string): Promise<number[]> => {
    const members = await redis.zrangebylex(byUser, `[${userId}:`, `(${userId}:${AFTER_DIGITS}`);
    return members.map((member) => Number(member.slice(userId.length + 1)));
  };

  const textOf = batched((accounts: readonly number[]) => redis.hmget(byAccount, ...accounts.map(String)));
  const ofAccount = async (acctId: number): Promise<Link | null> => format.readOrNull(await textOf(acctId));

  return {
    /** Replaces the account's previous link. Idempotent. */
    async link(link: Link): Promise<void> {
      const { acctId, userId } = link;
      await set.run(keysOf(acctId), [acctId, format.write(link), userId, now().getTime(), FORMER_HOLDER_MS]);
    },
    async unlink(acctId: number): Promise<void> {
      await set.run(keysOf(acctId), [acctId, '', '', now().getTime(), FORMER_HOLDER_MS]);
    },
    /** Null: nobody is linked to the account. */
    ofAccount,
    accountsOf,
    isHeldBy: async (userId: string, acctId: number): Promise<boolean> => (await ofAccount(acctId))?.userId === userId,
    /** Links of a person, by account. */
    async ofUser(userId: string): Promise<Link[]> {
      const accounts = await accountsOf(userId);
      if (accounts.length === 0) return [];
      const texts = await redis.hmget(byAccount, ...accounts.map(String));
      const links = texts.map(format.readOrNull).filter((link) => link?.userId === userId);
      return links.filter((link) => link !== null).toSorted((a, b) => a.acctId - b.acctId);
    },
    isHolder: async (userId: string): Promise<boolean> => (await accountsOf(userId)).length > 0,
    /** A claim to the account is about to be confirmed. Until the link is there, the card is already this person's own. */
    async expectHolder(acctId: number, userId: string): Promise<void> {
      const key = heldKey(acctId);
      await commit(redis.multi().zadd(key, now().getTime(), claimed(userId)).pexpire(key, FORMER_HOLDER_MS));
    },
    /** The claim came to nothing: the card stays as it is. */
    async expectNoHolder(acctId: number, userId: string): Promise<void> {
      await redis.zrem(heldKey(acctId), claimed(userId));
    },
    /**
     * True for the holder and anyone who was the holder in the last 24 hours, so that nobody evades the own-card rule
     * by unlinking. Also for anyone whose claim was confirmed in that time.
     */
    async wasHolderLately(userId: string, acctId: number): Promise<boolean> {
      // Reads the link first, so that a link that ends between the two reads is found by the second.
      const link = await ofAccount(acctId);
      if (link?.userId === userId) return true;
      const times = await redis.zmscore(heldKey(acctId), userId, claimed(userId));
      return times.some((at) => at !== null && now().getTime() - Number(at) < FORMER_HOLDER_MS);
    },
  };
}

/** The person who is linked to an account; null: nobody. */
export async function linkedHolder(acctId: number, links: Pick<Links, 'ofAccount'>): Promise<string | null> {
  return (await links.ofAccount(acctId))?.userId ?? null;
}

/**
 * From when on a person may read what happened to a card (ms). As its holder, since it was linked to them: the purchases of an
 * earlier holder are not theirs to read.
 */
export function createVisibleSince({ links }: { readonly links: Pick<Links, 'ofAccount'> }) {
  return async function visibleSince({ asHolder, actor }: Pick<Action, 'asHolder' | 'actor'>, acctId: number) {
    if (!asHolder) return 0;
    const link = await links.ofAccount(acctId);
    return link?.userId === actor.userId ? Date.parse(link.at) : Number.POSITIVE_INFINITY;
  };
}

interface OwnCardDeps extends Pick<ActionTools, 'person'> {
  readonly links: Pick<Links, 'wasHolderLately'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly directory: Pick<Directory, 'account' | 'current'>;
}

/**
 * Whether a card account is this person's own: nobody decides about their own card. They are linked to it, were linked within
 * the last 24 hours, say that it is theirs in a claim that nobody has decided yet, or have the email address that the card
 * program has for it. So nobody evades the rule by not linking their card.
 *
 * @throws SlackError when the Slack profile could not be read and a retry may help.
 * @throws RolesUnreadError when the card service did not return whose card it is. A retry may help.
 */
export function createIsOwnCard({ links, claims, directory, person }: OwnCardDeps) {
  /** @param isLooser whether this decides if the card is loosened: the email address is then read again. */
  return async function isOwnCard(userId: string, acctId: number, isLooser = false): Promise<boolean> {
    // Reads the claims first, so that a claim that is confirmed between the two reads is found by the second.
    const isClaimed = ({ action, card }: OpenClaim) =>
      action.verb === 'claim' && action.actor.userId === userId && card.acctId === acctId;
    if ((await claims.open()).some(isClaimed)) return true;
    if (await links.wasHolderLately(userId, acctId)) return true;
    const email = await emailOf(acctId, isLooser);
    return email !== null && isSameMailbox(email, (await person(userId))?.email ?? null);
  };

  /** Null: the card program has none. Webhooks create accounts without it, so it is read if it was not yet. */
  async function emailOf(acctId: number, isLooser: boolean): Promise<string | null> {
    const stored = isLooser ? null : await directory.account(acctId);
    if (stored !== null && (stored.email !== null || stored.detailsAt !== null)) return stored.email;
    return await currentEmail(acctId, { directory });
  }
}

/** The address that the card program has now; null: none. @throws RolesUnreadError when the card service did not return it. */
export async function currentEmail(acctId: number, { directory }: { readonly directory: Pick<Directory, 'current'> }) {
  const account = await directory.current(acctId);
  if (account === null) throw new RolesUnreadError('the card service did not return whose card it is');
  return account.email;
}

/** Compares addresses as mail programs do in practice, ignoring case and Unicode form. */
export function isSameEmail(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && fold(one) !== '' && fold(one) === fold(other);
}

/**
 * The same without `+tag`: mail for `ana+card@…` usually reaches `ana@…`. Says whom a rule restrains. It proves nothing, because
 * it may be another mailbox.
 */
export function isSameMailbox(one: string | null, other: string | null): boolean {
  return isSameEmail(one && withoutTag(one), other && withoutTag(other));
}

function withoutTag(email: string): string {
  const at = email.lastIndexOf('@');
  const tag = email.indexOf('+');
  return tag > 0 && tag < at ? email.slice(0, tag) + email.slice(at) : email;
}

function fold(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}
