import { z } from 'zod';
import { isAmount } from '../money.ts';
import type { Address } from '../state/account.ts';
import type { CardRequest } from '../state/state.ts';

const ascii = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[\x20-\x7e]*$/, 'ASCII only');

/** Any text, at most this long. Null counts as absent. */
const CustomId = z.string().max(50, 'at most 50 characters');

/** A US address as orders and profiles accept it. */
const AddressRequest = z
  .object({
    ContactName: z.string().max(50).nullish(),
    AddressLine1: ascii(26),
    AddressLine2: z.string().max(26).nullish(),
    City: ascii(25),
    State: z.string().regex(/^[A-Za-z]{2}$/, 'two letters'),
    PostalCode: z.string().regex(/^\d{5}$/, 'five digits'),
    Country: z
      .string()
      .regex(/^(?:USA?)?$/i, 'only US')
      .nullish(),
  })
  .transform((address) => ({
    ContactName: address.ContactName ?? '',
    AddressLine1: address.AddressLine1,
    AddressLine2: address.AddressLine2 ?? '',
    City: address.City,
    State: address.State.toUpperCase(),
    PostalCode: address.PostalCode,
    Country: 'USA',
  }));

/** Orders write a birth date month first, profiles as a datetime. Both become a calendar day. */
const DateOfBirth = z
  .string()
  .regex(/^(\d{2}-\d{2}-\d{4}|\d{4}-\d{2}-\d{2}(T[\d:.]+)?)$/, 'MM-DD-YYYY')
  .transform((text) => (text[2] === '-' ? `${text.slice(6)}-${text.slice(0, 5)}` : text.slice(0, 10)))
  .pipe(z.iso.date());

/** Each at its number on the wire. */
const SHIPPING_METHODS = ['FirstClassMail', 'Expedited', 'Rush', 'PriorityMail'];

/** A shipping method by name or number. Undefined when there is no method of that name. */
export function shippingMethod(value: string | number): string | undefined {
  const text = String(value).toLowerCase();
  return SHIPPING_METHODS.find((name, number) => name.toLowerCase() === text || String(number) === text);
}

/** Where the data of one virtual card goes. On the registered host, which the order checks. */
export const CardDataWebhookURL = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .nullish();

const Phone = z.string().regex(/^[\d\-() +.]{10,20}$/, 'a telephone number');

const holder = {
  FirstName: ascii(23),
  LastName: ascii(23),
  Phone,
  Email: z.email(),
  DateOfBirth,
  ProfileAddress: AddressRequest,
  GroupId: z.int().positive().nullish(),
  RulesetId: z.int().positive().nullish(),
};

/** Whether a name can be embossed. */
export const fitsOnCard = ({ FirstName, LastName }: { FirstName: string; LastName: string }): boolean =>
  FirstName.length + LastName.length <= 23;
export const tooLong = { message: 'first and last name together at most 23 characters', path: ['LastName'] };

/** A card of `POST /Card/CreateAsync` and `/Card/CreateSync`. */
export const PhysicalCardRequest = z
  .object({
    ...holder,
    ShippingPhone: Phone,
    ShippingMethod: z.union([z.string(), z.int()]),
    ShippingAddress: AddressRequest.optional(),
    CustomId: CustomId.nullish(),
    VirtualCard: z.boolean().nullish(),
  })
  .refine(fitsOnCard, tooLong);

/** A card of `POST /VirtualCard/Order`. */
export const VirtualCardRequest = z
  .object({
    ...holder,
    AutoActivation: z.boolean().default(true),
    FundCardAmount: z.number().min(0).refine(isAmount, 'no more than two decimals').default(0),
    CardDataWebhookURL,
    CustomId: CustomId.nullish(),
  })
  .refine(fitsOnCard, tooLong);

/** The fields that `PUT /Card/Profile/{Id}` may change. */
export const ProfileUpdate = z.object({
  FirstName: ascii(23).optional(),
  LastName: ascii(23).optional(),
  Email: z.email().optional(),
  Phone: Phone.optional(),
  ShippingPhone: Phone.optional(),
  DateOfBirth: DateOfBirth.optional(),
  CustomId: CustomId.nullish(),
  CardholderGroupId: z.int().positive().nullish(),
  SpendRulesetId: z.int().positive().nullish(),
  ProfileAddress: AddressRequest.optional(),
  ShippingAddress: AddressRequest.optional(),
});

/** Converts a physical request for the engine. */
export function fromPhysical(card: z.infer<typeof PhysicalCardRequest>, method: string): CardRequest {
  return {
    ...common(card),
    ShippingPhone: card.ShippingPhone,
    ShippingMethod: method,
    ShippingAddress: addressedTo(card, card.ShippingAddress ?? card.ProfileAddress),
    VirtualCard: card.VirtualCard ?? false,
    AutoActivation: false,
    FundCardAmount: 0,
    CardDataWebhookURL: null,
  };
}

/** Converts a virtual request for the engine. */
export function fromVirtual(card: z.infer<typeof VirtualCardRequest>): CardRequest {
  return {
    ...common(card),
    ShippingPhone: card.Phone,
    ShippingMethod: '',
    ShippingAddress: addressedTo(card, card.ProfileAddress),
    VirtualCard: true,
    AutoActivation: card.AutoActivation,
    FundCardAmount: card.FundCardAmount,
    CardDataWebhookURL: card.CardDataWebhookURL ?? null,
  };
}

/** An address without a contact is the holder's. */
export function addressedTo(
  { FirstName, LastName }: { FirstName: string; LastName: string },
  address: Address,
): Address {
  return { ...address, ContactName: address.ContactName || `${FirstName} ${LastName}` };
}

function common(card: z.infer<typeof PhysicalCardRequest> | z.infer<typeof VirtualCardRequest>) {
  const { FirstName, LastName, DateOfBirth: born, Phone, Email, ProfileAddress } = card;
  return {
    FirstName,
    LastName,
    DateOfBirth: born,
    Phone,
    Email,
    ProfileAddress: addressedTo(card, ProfileAddress),
    GroupId: card.GroupId ?? null,
    RulesetId: card.RulesetId ?? null,
    CustomId: card.CustomId ?? null,
  };
}
