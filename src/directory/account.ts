import { z } from 'zod';
import type { AccountDetails, ListedAccount } from '../card-api/schema-account.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardStatus, isTransactionKind, type StoredEvent, type WhichCard, whichCard } from '../core/event.ts';
import { redactText } from '../core/redact-text.ts';
import { contradictsApi } from './contradicts-api.ts';
import {
  type AnswerTimes,
  hasNewerDetails,
  isLater,
  isNotListedYet,
  latestTimes,
  timesOfRead,
  timesOfWebhook,
  withHint,
  withoutFuture,
  withStatus,
} from './newest-status.ts';
import { unreportedOf, withWas } from './status-before.ts';

/**
 * What is known about a card. A card known only from a shipment or a virtual card order has no card id until the API
 * returns it.
 */
export const DirectoryCard = z.strictObject({
  cardId: z.int().nullable(),
  last4: z.string().nullable(),
  status: CardStatus.nullable(),
  /** When the status was seen, UTC ISO 8601. */
  seenAt: z.string(),
  /** When the latest webhook about the status was sent, by the card service's clock. */
  callbackAt: z.string().optional(),
  /** When the API was asked for the latest answer about the status. */
  readAt: z.string().optional(),
  /**
   * The last reported status, while the API shows a change that no webhook has reported yet. A null status: the card is
   * new.
   */
  was: z.strictObject({ status: CardStatus.nullable(), seenAt: z.string() }).optional(),
});
export type DirectoryCard = z.infer<typeof DirectoryCard>;

/** One card account with its holder and cards, as stored in Redis. Never logged: it contains names and an email address. */
export const DirectoryAccount = z.strictObject({
  acctId: z.int(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  /** When the list gave the names; null: there are none, or a webhook or the contact's address gave them. */
  namesAt: z.string().nullable(),
  customId: z.string().nullable(),
  isVirtual: z.boolean().nullable(),
  group: z.string().nullable(),
  /** The spending ruleset that the card follows; null when it has its own rules, or when that is not known yet. */
  rulesetId: z.int().nullable().default(null),
  /** `OPEN` or `CLOSED`. */
  accountStatus: z.string().nullable(),
  availableCents: z.int().nullable(),
  email: z.string().nullable(),
  cards: z.array(DirectoryCard),
  /** When the API was last asked for this account's cards; null: never. */
  detailsAt: z.string().nullable(),
  /**
   * When a webhook contradicted what the API had said. The API counts, and the cards are read again before they are used.
   * Stored only while there is a doubt: an older build beside this one does not know accounts with it.
   */
  doubtedAt: z.string().optional(),
});
export type DirectoryAccount = z.infer<typeof DirectoryAccount>;

function emptyAccount(acctId: number): DirectoryAccount {
  const unknown = { firstName: null, lastName: null, namesAt: null, customId: null, isVirtual: null, group: null };
  const more = { rulesetId: null, accountStatus: null, availableCents: null, email: null, cards: [], detailsAt: null };
  return { acctId, ...unknown, ...more };
}

/** `Jane Doe`; null when no name is known. Redacted as a whole: each half of a card number or code looks harmless. */
export function holderOf(account: Pick<DirectoryAccount, 'firstName' | 'lastName'>): string | null {
  const name = [account.firstName, account.lastName].filter((part) => part !== null).join(' ');
  return name === '' ? null : redactText(name);
}

/** True when the cards have not been read from the API yet, or a webhook knew better since. */
export function lacksDetails(account: Pick<DirectoryAccount, 'cards' | 'detailsAt' | 'doubtedAt'>): boolean {
  const { cards, detailsAt, doubtedAt } = account;
  return detailsAt === null || doubtedAt !== undefined || cards.some((card) => card.cardId === null);
}

/** True when an account is closed, or each of its cards is. False while nothing is known. */
export function isAccountClosed(account: Pick<DirectoryAccount, 'accountStatus' | 'cards'> | null): boolean {
  if (account === null) return false;
  const { accountStatus, cards } = account;
  return accountStatus === 'CLOSED' || (cards.length > 0 && cards.every(({ status }) => status === 'CLOSED'));
}

/** The group that an account is in; null: none, undefined: not read yet. A webhook and an older list name no group. */
export function groupIn(account: Pick<DirectoryAccount, 'group' | 'detailsAt'> | null): string | null | undefined {
  return account?.group ?? (account?.detailsAt == null ? undefined : null);
}

/**
 * The facts that an alert shows about the card with `last4` or `cardId`, or else about the only card that it can be: with
 * one of the statuses; if none are given, the open one, or the only one of the account.
 */
export function toCardFacts(
  acctId: number | null,
  account: DirectoryAccount | null,
  { cardId = null, last4 = null, statuses }: WhichCard = {},
): CardFacts {
  const all = account?.cards ?? [];
  const suited = withStatusIn(statuses ?? openStatuses, all);
  const otherwise = statuses === undefined ? all : [];
  const card =
    cardId !== null
      ? all.find((one) => one.cardId === cardId)
      : last4 !== null
        ? cardWithDigits(all, last4)
        : (onlyOf(suited) ?? onlyOf(otherwise));
  const isUnnamed = cardId === null && last4 === null;
  const status = card?.status ?? (isUnnamed ? commonStatus(suited, otherwise) : null);
  return {
    acctId,
    cardId: card?.cardId ?? cardId,
    last4: card?.last4 ?? last4,
    holder: account === null ? null : holderOf(account),
    customId: account?.customId ?? null,
    isVirtual: account?.isVirtual ?? null,
    group: account?.group ?? null,
    ...(status === null ? {} : { status }),
    ...(account?.rulesetId == null ? {} : { ruleset: followed(account.rulesetId) }),
  };
}

/** A renewed card may have the digits of the one before: they mean the newest card that is not closed. */
export function cardWithDigits(cards: readonly DirectoryCard[], last4: string): DirectoryCard | undefined {
  const alike = cards.filter((card) => card.last4 === last4);
  return alike.findLast(({ status }) => status !== 'CLOSED') ?? alike.at(-1);
}

function onlyOf(cards: readonly DirectoryCard[]): DirectoryCard | undefined {
  return cards.length === 1 ? cards[0] : undefined;
}

export const openStatuses: readonly CardStatus[] = ['INACTIVE', 'ACTIVE', 'BLOCKED'];

/** A card whose status is not known may have any. */
function withStatusIn(statuses: readonly CardStatus[], cards: readonly DirectoryCard[]): readonly DirectoryCard[] {
  return cards.filter(({ status }) => status === null || statuses.includes(status));
}

/** The status that all cards of the first list that is not empty have. */
function commonStatus(...lists: readonly (readonly DirectoryCard[])[]): CardStatus | null {
  const [first, ...others] = lists.find((cards) => cards.length > 0) ?? [];
  return first !== undefined && others.every(({ status }) => status === first.status) ? first.status : null;
}

/** A ruleset of which only the id is known. */
function followed(rulesetId: number): NonNullable<CardFacts['ruleset']> {
  return { id: rulesetId, name: null, mayOverrule: true };
}

/** Merges an account from the list into the known facts. */
export function withListed(
  stored: DirectoryAccount | null,
  listed: ListedAccount,
  times: AnswerTimes,
): DirectoryAccount {
  const { at } = times;
  const account = withoutFuture(stored, at) ?? emptyAccount(listed.acctId);
  const hasNames = (listed.firstName !== null || listed.lastName !== null) && !isLater(account.namesAt, at);
  const isSame =
    hasNames &&
    account.namesAt !== null &&
    listed.firstName === account.firstName &&
    listed.lastName === account.lastName;
  return {
    ...account,
    // Unchanged names keep their time, so that an unchanged account is not rewritten.
    ...(hasNames && !isSame ? { firstName: listed.firstName, lastName: listed.lastName, namesAt: at } : {}),
    // A list takes long. Meanwhile the account may have been read.
    ...(hasNewerDetails(account, times) ? {} : listedFacts(account, listed)),
    cards:
      listed.last4 === null
        ? account.cards
        : withHint(
            account.cards,
            { last4: listed.last4, status: listed.cardStatus, ...timesOfRead(at) },
            unreportedOf(account),
          ),
  };
}

function listedFacts(account: DirectoryAccount, listed: ListedAccount) {
  return {
    // An older list lacks these fields, and then they stay. Null: the card service has removed it.
    customId: listed.customId === undefined ? account.customId : listed.customId,
    email: listed.email === undefined ? account.email : listed.email,
    group: listed.group === undefined ? account.group : listed.group,
    isVirtual: listed.isVirtual ?? account.isVirtual,
    accountStatus: listed.accountStatus ?? account.accountStatus,
    availableCents: listed.availableCents ?? account.availableCents,
  };
}

/**
 * Merges an account's details. They contain every card, group, email address and CustomId, so they
 * replace everything except newer facts.
 */
export function withDetails(
  stored: DirectoryAccount | null,
  details: AccountDetails,
  answer: AnswerTimes,
): DirectoryAccount {
  const { at } = answer;
  const account = withoutFuture(stored, at) ?? emptyAccount(details.acctId);
  if (hasNewerDetails(account, answer)) return account;
  const newer = account.cards.filter((card) => isLater(card.seenAt, at));
  // The service writes 0 for what has no number yet. Nobody can change such a card, and no webhook is about it.
  const numbered = details.cards.filter(({ cardId }) => cardId > 0);
  const listed = numbered.map((card): DirectoryCard => {
    const news = newer.find((one) => one.cardId === card.cardId);
    const times = timesOfRead(at);
    if (news !== undefined)
      return { ...news, ...latestTimes(news, times), last4: card.last4, status: news.status ?? card.status };
    const before =
      account.cards.find((one) => one.cardId === card.cardId) ??
      account.cards.find((one) => one.cardId === null && one.last4 === card.last4);
    return withWas(
      {
        cardId: card.cardId,
        last4: card.last4,
        status: card.status,
        ...times,
        ...(before && latestTimes(before, times)),
      },
      before,
      unreportedOf(account),
    );
  });
  const unlisted = account.cards.filter(
    (card) =>
      (isLater(card.seenAt, at) || isNotListedYet(card, at)) &&
      !listed.some((one) => one.cardId === card.cardId || (card.cardId === null && one.last4 === card.last4)),
  );
  const names =
    holderOf(account) === null && details.contactName !== null
      ? { ...splitName(details.contactName), namesAt: null }
      : {};
  return {
    ...account,
    ...names,
    customId: details.customId,
    email: details.email,
    group: details.group,
    rulesetId: details.rulesetId,
    isVirtual: details.isVirtual ?? account.isVirtual,
    accountStatus: details.accountStatus ?? account.accountStatus,
    availableCents: details.availableCents ?? account.availableCents,
    cards: [...listed, ...unlisted],
    detailsAt: at,
    doubtedAt: isLater(account.doubtedAt, at) ? account.doubtedAt : undefined,
  };
}

/** Whether an event contains facts about an account. A purchase names no card. */
export function saysSomething({ kind }: StoredEvent): boolean {
  return !isTransactionKind(kind);
}

/** Merges the facts from a webhook into an account. Older facts never replace newer ones. */
export function withEvent(stored: DirectoryAccount | null, event: StoredEvent, now: string): DirectoryAccount | null {
  if (event.acctId === null) return null;
  // If the card service's clock is fast, its webhooks must not seem newer than data that we read later.
  const at = isLater(event.callbackAt, now) ? now : event.callbackAt;
  const times = timesOfWebhook(event);
  const account = withoutFuture(stored, now) ?? emptyAccount(event.acctId);
  switch (event.kind) {
    case 'card-status':
      return {
        ...withHolder(account, event.holder),
        customId: account.detailsAt === null ? (event.customId ?? account.customId) : account.customId,
        doubtedAt: contradictsApi(event, account, at) ? now : account.doubtedAt,
        cards: event.cards.reduce(
          (cards, { cardId, last4, status }) => withStatus(cards, { cardId, last4: last4 || null, status, ...times }),
          account.cards,
        ),
      };
    case 'virtual-card': {
      const status = CardStatus.safeParse(event.status?.toUpperCase());
      // The payload has only two states: a card that a resend calls inactive may be blocked or closed.
      const isVague = event.outcome === 'resend' && status.data !== 'ACTIVE';
      const said =
        isVague || status.data === undefined ? { status: null, seenAt: at } : { status: status.data, ...times };
      const { last4 } = event;
      const cards = last4 === null ? account.cards : withHint(account.cards, { last4, ...said });
      return { ...withHolder(account, event.holder), isVirtual: true, cards };
    }
    default: {
      const { last4 } = whichCard(event);
      if (last4 == null) return stored;
      return { ...account, cards: withHint(account.cards, { last4, status: null, seenAt: at }) };
    }
  }
}

/** A webhook names a holder only until the list does. */
function withHolder(account: DirectoryAccount, holder: string): DirectoryAccount {
  const isNews = holder.trim() !== '' && holder.trim() !== holderOf(account) && account.namesAt === null;
  return isNews ? { ...account, ...splitName(holder) } : account;
}

/** `Mary Ann Smith` → `Mary Ann`, `Smith`: a guess, corrected by the API's list. */
function splitName(holder: string): { firstName: string | null; lastName: string | null } {
  const words = holder.trim().split(/\s+/u);
  return { firstName: words.slice(0, -1).join(' ') || null, lastName: words.at(-1) ?? null };
}
