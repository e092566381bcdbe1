import { addDays, serviceDay } from '../service-time.ts';
import type { Account, Card } from '../state/account.ts';
import { lastFourOf, testCardNumber } from '../state/card-number.ts';
import { allMerchantCategories } from '../state/merchant-category.ts';
import { noLimits, type SpendRules } from '../state/spend-rules.ts';
import type { CardRequest } from '../state/state.ts';
import { takeId, type World } from '../state/world.ts';

/** Rules of a new card: no limits, all categories, domestic only, card present or not. */
export function defaultSpendRules(): SpendRules {
  return {
    MerchantCategories: allMerchantCategories(),
    InternationalSpendEnabled: false,
    ...noLimits(),
    CardNotPresentUse: true,
    UseBusinessBalanceForAuths: false,
    UseCustomerAuthDecision: false,
  };
}

/** Makes a card with the next serial number. INACTIVE until someone activates it, unless `own` says otherwise. */
export function newCard(world: World, cardOrderId: number, own: Partial<Card> = {}, lastFour?: string): Card {
  const cardId = takeId(world, 'card');
  const at = world.now();
  return {
    cardId,
    cardNumber: testCardNumber(cardId, lastFour ?? lastFourOf(cardId)),
    cvv2: String((cardId * 271) % 1000).padStart(3, '0'),
    issuedAt: at.toISOString(),
    // Cards are valid for three years, to the end of a month.
    expiresOn: endOfMonth(addDays(serviceDay(at), 3 * 365)),
    cardOrderId,
    status: 'INACTIVE',
    wrongPins: 0,
    shippedAt: null,
    ...own,
  };
}

/** An order for a holder. What is not given is filled in. */
export function holderRequest(own: Pick<CardRequest, 'FirstName' | 'LastName'> & Partial<CardRequest>): CardRequest {
  const { FirstName, LastName } = own;
  const phone = own.Phone ?? '2025550199';
  const address = own.ProfileAddress ?? {
    ContactName: `${FirstName} ${LastName}`,
    AddressLine1: '12 Harbor Lane',
    AddressLine2: '',
    City: 'Albany',
    State: 'NY',
    PostalCode: '12207',
    Country: 'USA',
  };
  return {
    DateOfBirth: '1988-04-12',
    Phone: phone,
    ShippingPhone: phone,
    Email: `${FirstName}.${LastName}@example.com`.toLowerCase(),
    ShippingMethod: 'FirstClassMail',
    ProfileAddress: address,
    ShippingAddress: address,
    GroupId: null,
    RulesetId: null,
    CustomId: null,
    VirtualCard: false,
    AutoActivation: true,
    FundCardAmount: 0,
    CardDataWebhookURL: null,
    ...own,
  };
}

/** Creates the account and the first card of an order. Announces nothing yet. */
export function newAccount(world: World, cardOrderId: number, request: CardRequest): Account {
  const acctId = takeId(world, 'account');
  return {
    acctId,
    accountNumber: `1000${String(acctId).padStart(10, '0')}`,
    isVirtual: request.VirtualCard,
    createdAt: world.now().toISOString(),
    firstName: request.FirstName,
    lastName: request.LastName,
    customId: request.CustomId,
    email: request.Email,
    phone: request.Phone,
    dateOfBirth: request.DateOfBirth,
    profileAddress: request.ProfileAddress,
    shippingAddress: request.ShippingAddress,
    shippingPhone: request.ShippingPhone,
    groupId: null,
    rulesetId: null,
    status: 'OPEN',
    ledgerCents: 0,
    heldCents: 0,
    spendRules: defaultSpendRules(),
    cards: [newCard(world, cardOrderId)],
  };
}

function endOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
