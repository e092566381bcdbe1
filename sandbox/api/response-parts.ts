import { z } from 'zod';
import { CARD_STATUSES } from '../state/account.ts';
import { LocalTime } from '../webhook/schema.ts';

/** Fields that several answers of the API share. Used for the OpenAPI document; tests check answers against them. */

/** Every refusal. */
export const Refusal = z.strictObject({ Message: z.string() });
export const Empty = z.strictObject({});

/** A card status as the API writes it: `Active`, where webhooks write `ACTIVE`. */
export const CardStatus = z.enum(CARD_STATUSES.map((status) => `${status[0]}${status.slice(1).toLowerCase()}`));
export const AccountStatus = z.enum(['OPEN', 'CLOSED']);
export const id = z.int();
export const maybeId = z.int().nullable();
export const dollars = z.number();
export const maybeText = z.string().nullable();
export const maybeTime = LocalTime.nullable();

export const balances = { LedgerBalance: dollars, AvailableBalance: dollars };
export const Address = z.strictObject({
  ContactName: z.string(),
  AddressLine1: z.string(),
  AddressLine2: z.string(),
  City: z.string(),
  State: z.string(),
  PostalCode: z.string(),
  Country: z.string(),
});
export const Group = z.strictObject({ Id: id, GroupName: z.string() }).nullable();
export const ordered = {
  AcctId: id.describe('0 until the account exists'),
  Status: z.string(),
  FirstName: z.string(),
  LastName: z.string(),
  DateOfBirth: LocalTime,
  Email: z.string(),
  HomeAddress: Address,
  AccountNumber: maybeText,
};
