import { z } from 'zod';
import { midnight, serviceDay } from '../service-time.ts';
import { type Account, type Card, currentCard, last4 } from '../state/account.ts';
import { allowsCategory, MERCHANT_CATEGORIES } from '../state/merchant-category.ts';
import type { SpendRules } from '../state/spend-rules.ts';
import { balancesOf, rulesOf, type World } from '../state/world.ts';
import { LocalTime } from '../webhook/schema.ts';
import {
  AccountStatus,
  Address,
  balances,
  CardStatus,
  dollars,
  Group,
  id,
  maybeId,
  maybeText,
  maybeTime,
} from './response-parts.ts';
import { AdvancedRules, BasicRules } from './rule-responses.ts';

const OlderLine = z.strictObject({
  AccountId: id,
  FirstName: z.string(),
  LastName: z.string(),
  ...balances,
  AccountStatus,
  IsVirtual: z.boolean(),
  CustomId: maybeText,
});
const AccountLine = OlderLine.extend({
  Email: z.string(),
  CardholderType: z.enum(['Vendor', 'TeamMember']),
  GroupId: maybeId,
  GroupName: maybeText,
  CardStatus,
  CardNumber4Digits: maybeText,
  CardIssueDate: maybeTime,
  CardExpiryDate: maybeTime,
}).or(OlderLine);
export const AccountList = z.strictObject({
  BusinessAccountId: id,
  BusinessName: z.string(),
  BusinessAccountStatus: AccountStatus,
  BusinessAccountBalance: dollars,
  PendingTransferAmount: dollars,
  BankAccountList: z.array(z.record(z.string(), z.unknown())),
  CHAccountList: z.array(AccountLine),
  CardholderGroups: z.array(z.strictObject({ Id: id, Name: z.string() })),
  BusinessAccountNumber: z.string().optional(),
  OpenCardholdersCount: z.int().optional(),
  OpenVendorCardsCount: z.int().optional(),
  UserGroups: z.array(z.unknown()).optional(),
});

const contactFields = {
  ProfileAddress: Address,
  Phone: z.string(),
  ShippingAddress: Address,
  ShippingPhone: z.string(),
  DateOfBirth: LocalTime,
  Email: z.string(),
  IsVirtual: z.boolean(),
  CustomId: maybeText,
};
const Details = z.strictObject({
  AccountId: id,
  Group,
  AccountStatus,
  ...balances,
  ...contactFields,
  CardList: z.array(
    z.strictObject({
      CardId: id,
      IssuedDate: LocalTime,
      ExpirationDate: LocalTime,
      Last4CardNumber: z.string(),
      CardStatus,
    }),
  ),
  SpendingRulesetId: id.describe('0 when the card has its own rules'),
  ScheduledFunding: z.null(),
  LowBalanceFunding: z.null(),
});
export const AccountDetails = Details.extend({ SpendRules: BasicRules });
export const AdvancedAccountDetails = Details.extend({ SpendRules: AdvancedRules });
export const Profile = z.strictObject({
  AccountId: id,
  AccountStatus,
  FirstName: z.string(),
  MiddleName: z.string(),
  LastName: z.string(),
  CardholderGroupId: maybeId,
  SpendRulesetId: maybeId,
  ...contactFields,
});

/** A card status as the API writes it: `Active`, where webhooks write `ACTIVE`. */
export function apiStatus(card: Card | undefined): z.infer<typeof CardStatus> {
  const status = card?.status ?? 'CLOSED';
  return `${status[0]}${status.slice(1).toLowerCase()}`;
}

/** Advanced spend rules as they appear in answers. */
export function advancedRules(rules: SpendRules): z.infer<typeof AdvancedRules> {
  return { ...rules, IsDailySpendLimitEnabled: rules.DailySpendLimit !== null };
}

/** Basic spend rules: thirteen switches and the daily limit. */
export function basicRules({ assume }: World, rules: SpendRules): z.infer<typeof BasicRules> {
  const switches = MERCHANT_CATEGORIES.map(
    ({ id, key }) => [key, allowsCategory(rules, id, assume.emptyCategoryListAllowsAll)] as const,
  );
  return {
    UseMerchantCategory: switches.some(([, isOn]) => !isOn),
    MerchantCategories: Object.fromEntries(switches),
    InternationalSpendEnabled: rules.InternationalSpendEnabled,
    IsDailySpendLimitEnabled: rules.DailySpendLimit !== null,
    DailySpendLimit: rules.DailySpendLimit,
    CardNotPresentUse: rules.CardNotPresentUse,
    UseBusinessBalanceForAuths: rules.UseBusinessBalanceForAuths,
    UseCustomerAuthDecision: rules.UseCustomerAuthDecision,
  };
}

/** One line of the list of accounts. The newer fields can be switched off. */
export function accountLine(world: World, account: Account, shape: 'newer' | 'older'): z.infer<typeof AccountLine> {
  const older = {
    AccountId: account.acctId,
    FirstName: account.firstName,
    LastName: account.lastName,
    ...balancesOf(account),
    AccountStatus: account.status,
    IsVirtual: account.isVirtual,
    CustomId: account.customId,
  };
  if (shape === 'older') return older;
  const card = currentCard(account);
  const group = world.state.groups.find(({ id }) => id === account.groupId);
  return {
    ...older,
    Email: account.email,
    CardholderType: account.isVirtual ? 'Vendor' : 'TeamMember',
    GroupId: account.groupId,
    GroupName: group?.name ?? null,
    CardStatus: apiStatus(card),
    CardNumber4Digits: card === undefined ? null : last4(card),
    CardIssueDate: card === undefined ? null : day(card.issuedAt),
    CardExpiryDate: card === undefined ? null : midnight(card.expiresOn),
  };
}

/** Account details by id; `advanced` chooses the form of the spend rules. Like the service, without first and last name. */
export function accountDetails(world: World, account: Account, advanced: boolean): object {
  const rules = rulesOf(world, account);
  const group = world.state.groups.find(({ id }) => id === account.groupId);
  return {
    AccountId: account.acctId,
    Group: group === undefined ? null : { Id: group.id, GroupName: group.name },
    AccountStatus: account.status,
    ...balancesOf(account),
    ...contactOf(account),
    CardList: account.cards.map((card) => ({
      CardId: card.cardId,
      IssuedDate: day(card.issuedAt),
      ExpirationDate: midnight(card.expiresOn),
      Last4CardNumber: last4(card),
      CardStatus: apiStatus(card),
    })),
    SpendingRulesetId: account.rulesetId ?? 0,
    SpendRules: advanced ? advancedRules(rules) : basicRules(world, rules),
    ScheduledFunding: null,
    LowBalanceFunding: null,
  };
}

/** The holder's profile. */
export function profile(account: Account): z.infer<typeof Profile> {
  return {
    AccountId: account.acctId,
    AccountStatus: account.status,
    FirstName: account.firstName,
    MiddleName: '',
    LastName: account.lastName,
    CardholderGroupId: account.groupId,
    SpendRulesetId: account.rulesetId,
    ...contactOf(account),
  };
}

function contactOf(account: Account) {
  return {
    ProfileAddress: account.profileAddress,
    Phone: account.phone,
    ShippingAddress: account.shippingAddress,
    ShippingPhone: account.shippingPhone,
    DateOfBirth: midnight(account.dateOfBirth),
    Email: account.email,
    IsVirtual: account.isVirtual,
    CustomId: account.customId,
  };
}

/** Midnight of an instant's Eastern day. */
export function day(at: string): string {
  return midnight(serviceDay(new Date(at)));
}
