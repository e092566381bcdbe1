import { z } from 'zod';
import {
  AnyCardStatus,
  Cents,
  completeListOf,
  Flag,
  Id,
  LastFour,
  OwnId,
  OwnName,
  readableListOf,
  renamed,
  Text,
} from './schema.ts';

/** The day of a datetime as sent: `2026-11-30`. Null when there is none. */
const Day = Text.transform((text) => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null);

/**
 * One card of an account in `GET /Details/AccountDetails/{Id}`, which lists every card ever issued to the account. Only its
 * id must be readable.
 */
const CardOfAccount = renamed({
  cardId: ['CardId', Id],
  last4: ['Last4CardNumber', LastFour],
  status: ['CardStatus', AnyCardStatus],
  expiresOn: ['ExpirationDate', Day.catch(null)],
});

const AccountStatus = Text.transform((text) => text?.toUpperCase() ?? null);

const Group = z
  .object({ GroupName: Text, Name: Text })
  .nullish()
  .transform((group) => group?.GroupName ?? group?.Name ?? null);

/** Name on the profile address: often, but not always, the holder. */
const ContactName = z
  .object({ ContactName: OwnName })
  .nullish()
  .transform((address) => address?.ContactName ?? null);

/** Null when the card has its own rules, which the service writes as 0. */
const RulesetId = Id.nullish().transform((id) => id || null);

/** Undefined when the field is missing, which says nothing; null when it is empty. */
const ifSent = (text: typeof Text | typeof OwnId) => z.undefined().or(text);

/** One account in the list of all accounts. Older versions of the API leave out email, group and the card's facts. */
export const ListedAccount = renamed({
  acctId: ['AccountId', Id],
  firstName: ['FirstName', OwnName],
  lastName: ['LastName', OwnName],
  customId: ['CustomId', ifSent(OwnId)],
  isVirtual: ['IsVirtual', Flag],
  accountStatus: ['AccountStatus', AccountStatus],
  availableCents: ['AvailableBalance', Cents.catch(null)],
  email: ['Email', ifSent(Text)],
  group: ['GroupName', ifSent(Text)],
  last4: ['CardNumber4Digits', LastFour],
  cardStatus: ['CardStatus', AnyCardStatus],
});
export type ListedAccount = z.infer<typeof ListedAccount>;

/** The complete business: `GET /Details/AccountDetails`. */
export const Business = renamed({
  balanceCents: ['BusinessAccountBalance', Cents],
  list: ['CHAccountList', readableListOf(ListedAccount)],
}).transform(({ balanceCents, list: { rows, unreadable } }) => {
  // An account that is being made has the number 0.
  return { balanceCents, accounts: rows.filter(({ acctId }) => acctId > 0), unreadable };
});
export type Business = z.infer<typeof Business>;

/** One account with its cards: `GET /Details/AccountDetails/{Id}`. Without first and last name. */
export const AccountDetails = renamed({
  acctId: ['AccountId', Id],
  accountStatus: ['AccountStatus', AccountStatus],
  availableCents: ['AvailableBalance', Cents.catch(null)],
  email: ['Email', Text],
  isVirtual: ['IsVirtual', Flag],
  customId: ['CustomId', OwnId],
  group: ['Group', Group],
  rulesetId: ['SpendingRulesetId', RulesetId],
  contactName: ['ProfileAddress', ContactName],
  // A card that is not listed would be closed without a question when another one is activated, and could not be found.
  cards: ['CardList', completeListOf(CardOfAccount)],
});
export type AccountDetails = z.infer<typeof AccountDetails>;

/** Until when the token works: `GET /Token/Current`. The answer repeats the token itself, which is not read. */
export const CurrentToken = renamed({ expiresOn: ['TokenExpiration', Day] });
