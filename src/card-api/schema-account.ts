import { z } from 'zod';
import { AnyCardStatus, Cents, Flag, Id, LastFour, OwnId, OwnName, rowsOf, Text } from './schema.ts';

/** The day of a datetime as sent: `2026-11-30`. Null when there is none. */
const Day = Text.transform((text) => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null);

/** One card of an account in `GET /Details/AccountDetails/{Id}`, which lists every card ever issued to the account. */
const CardOfAccount = z
  .object({ CardId: Id, Last4CardNumber: LastFour, CardStatus: AnyCardStatus, ExpirationDate: Day })
  .transform((card) => ({
    cardId: card.CardId,
    last4: card.Last4CardNumber,
    status: card.CardStatus,
    expiresOn: card.ExpirationDate,
  }));

const upper = (text: string | null): string | null => text?.toUpperCase() ?? null;

const named = z
  .object({ GroupName: Text, Name: Text })
  .nullish()
  .transform((group) => group?.GroupName ?? group?.Name ?? null);

/** Undefined when the field is missing, which says nothing; null when it is empty. */
const ifSent = (text: typeof Text | typeof OwnId) => z.undefined().or(text);

/** One account in the list of all accounts. Older versions of the API leave out email, group and the card's facts. */
export const ListedAccount = z
  .object({
    AccountId: Id,
    FirstName: OwnName,
    LastName: OwnName,
    CustomId: ifSent(OwnId),
    IsVirtual: Flag,
    AccountStatus: Text,
    AvailableBalance: Cents,
    Email: ifSent(Text),
    GroupName: ifSent(Text),
    CardStatus: AnyCardStatus,
    CardNumber4Digits: LastFour,
  })
  .transform((account) => ({
    acctId: account.AccountId,
    firstName: account.FirstName,
    lastName: account.LastName,
    customId: account.CustomId,
    isVirtual: account.IsVirtual,
    accountStatus: upper(account.AccountStatus),
    availableCents: account.AvailableBalance,
    email: account.Email,
    group: account.GroupName,
    last4: account.CardNumber4Digits,
    cardStatus: account.CardStatus,
  }));
export type ListedAccount = z.infer<typeof ListedAccount>;

/** The complete business: `GET /Details/AccountDetails`. */
export const Business = z
  .object({
    BusinessAccountBalance: Cents,
    CHAccountList: z.preprocess((list) => list ?? [], rowsOf(ListedAccount)),
  })
  .transform((business) => ({
    balanceCents: business.BusinessAccountBalance,
    accounts: business.CHAccountList,
  }));
export type Business = z.infer<typeof Business>;

/** One account with its cards: `GET /Details/AccountDetails/{Id}`. Without first and last name. */
export const AccountDetails = z
  .object({
    AccountId: Id,
    AccountStatus: Text,
    AvailableBalance: Cents,
    Email: Text,
    IsVirtual: Flag,
    CustomId: OwnId,
    Group: named,
    SpendingRulesetId: Id.nullish(),
    ProfileAddress: z.object({ ContactName: OwnName }).nullish(),
    CardList: z.preprocess((list) => list ?? [], rowsOf(CardOfAccount)),
  })
  .transform((account) => ({
    acctId: account.AccountId,
    accountStatus: upper(account.AccountStatus),
    availableCents: account.AvailableBalance,
    email: account.Email,
    isVirtual: account.IsVirtual,
    customId: account.CustomId,
    group: account.Group,
    /** Null when the card has its own rules, which the service writes as 0. */
    rulesetId: account.SpendingRulesetId || null,
    /** Name on the profile address: often, but not always, the holder. */
    contactName: account.ProfileAddress?.ContactName ?? null,
    cards: account.CardList,
  }));
export type AccountDetails = z.infer<typeof AccountDetails>;

/** Until when the token works: `GET /Token/Current`. The answer repeats the token itself, which is not read. */
export const CurrentToken = z
  .object({ TokenExpiration: Day })
  .transform((token) => ({ expiresOn: token.TokenExpiration }));
