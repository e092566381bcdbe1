import { toCents } from '../money.ts';
import type { Account, Card } from '../state/account.ts';
import { allowsCategory, categoryOf } from '../state/merchant-category.ts';
import type { SpendRules } from '../state/spend-rules.ts';
import { availableCents, rulesOf, type World } from '../state/world.ts';
import type { PurchaseRequest } from './purchase-request.ts';
import { countedPadding } from './purchase-request.ts';
import { remainingCategoryLimits, remainingLimits } from './remaining-limit.ts';

/** Why a transaction is not honored. */
export interface Decline {
  readonly code: string;
  readonly message: string;
}

interface Question {
  readonly world: World;
  readonly account: Account;
  readonly card: Card | undefined;
  readonly request: PurchaseRequest;
  readonly rules: SpendRules;
  readonly mccCode: string;
  /** The amount taken from the balance. */
  readonly amountCents: number;
  /** The amount that counts against limits. */
  readonly countedCents: number;
  readonly at: Date;
}

type Rule = (question: Question) => Decline | undefined;

/** The rules in the order they are checked. The first failing one determines code and message. */
const RULES: readonly Rule[] = [
  cardStatus,
  businessBalance,
  cardBalance,
  location,
  cardPresent,
  serviceCategory,
  rulesetCategory,
  categoryLimits,
  overallLimits,
  pin,
  remoteDecision,
  anyOtherReason,
];

/** Decides a purchase. Undefined: approved. Changes nothing. */
export function decide(
  world: World,
  account: Account,
  card: Card | undefined,
  request: PurchaseRequest,
  paddingCents: number,
): Decline | undefined {
  const mccCode = request.MCCCode ?? world.assume.defaultMcc;
  const question = {
    world,
    account,
    card,
    request,
    rules: rulesOf(world, account),
    mccCode,
    amountCents: toCents(request.Amount) + paddingCents,
    countedCents: toCents(request.Amount) + countedPadding(world, paddingCents),
    at: world.now(),
  };
  for (const rule of RULES) {
    const decline = rule(question);
    if (decline !== undefined) return decline;
  }
  return undefined;
}

function cardStatus({ world, card }: Question): Decline | undefined {
  const code = 'decline.card.status';
  switch (card?.status) {
    case 'ACTIVE':
      return undefined;
    case 'INACTIVE':
      return { code, message: world.assume.declineMessageActivation };
    case 'BLOCKED':
      return { code, message: world.assume.declineMessageBlocked };
    default:
      return { code, message: world.assume.declineMessageClosed };
  }
}

function businessBalance({ world, rules, amountCents }: Question): Decline | undefined {
  if (!rules.UseBusinessBalanceForAuths || amountCents <= availableCents(world.state.business)) return undefined;
  return { code: 'decline.balance.business', message: 'Insufficient balance in service account' };
}

function cardBalance({ account, rules, amountCents }: Question): Decline | undefined {
  if (rules.UseBusinessBalanceForAuths || amountCents <= availableCents(account)) return undefined;
  return { code: 'decline.balance.card', message: 'Transaction exceeded current card balance' };
}

function location({ world, rules, request }: Question): Decline | undefined {
  const country = (request.MerchantCountry ?? 'US').trim().toUpperCase();
  if (rules.InternationalSpendEnabled || world.assume.domesticCountries.includes(country)) return undefined;
  return { code: 'decline.rule.location', message: 'International transactions not allowed' };
}

function cardPresent({ rules, request }: Question): Decline | undefined {
  if (rules.CardNotPresentUse || (request.IsCardPresent ?? true)) return undefined;
  return { code: 'decline.rule.cardnotpresent', message: 'Card not present' };
}

function serviceCategory({ world, mccCode }: Question): Decline | undefined {
  if (!world.assume.serviceDisallowedMccs.includes(mccCode)) return undefined;
  return { code: 'decline.mcc', message: 'Transaction type not allowed' };
}

function rulesetCategory({ world, rules, mccCode }: Question): Decline | undefined {
  const category = categoryOf(mccCode);
  if (allowsCategory(rules, category.id, world.assume.emptyCategoryListAllowsAll)) return undefined;
  return { code: 'decline.rule.mcc', message: `Unauthorized merchant category: ${category.name}` };
}

function categoryLimits({ world, account, rules, mccCode, countedCents, at }: Question): Decline | undefined {
  const { id } = categoryOf(mccCode);
  const perPurchase = rules.MerchantCategories.find(({ Id }) => Id === id)?.TransactionLimit ?? null;
  const exceeded =
    (perPurchase !== null && countedCents > toCents(perPurchase)) ||
    remainingCategoryLimits(world, account, at).some(
      (left) => left.categoryId === id && countedCents > left.remainingCents,
    );
  if (!exceeded) return undefined;
  return { code: 'decline.rule.velocity.mcc', message: 'Transaction exceeded merchant category limit' };
}

function overallLimits({ world, account, countedCents, at }: Question): Decline | undefined {
  if (remainingLimits(world, account, at).every((left) => countedCents <= left.remainingCents)) return undefined;
  return { code: 'decline.rule.velocity', message: world.assume.velocityMessage };
}

function pin({ request }: Question): Decline | undefined {
  return request.Pin === 'wrong' ? { code: 'decline.card.pin', message: 'PIN Verification Check' } : undefined;
}

function remoteDecision({ world, rules, request }: Question): Decline | undefined {
  if (!rules.UseCustomerAuthDecision) return undefined;
  if ((request.RemoteDecision ?? world.state.remoteDecision) === 'approve') return undefined;
  return { code: 'decline.remote', message: 'Remote service decline' };
}

function anyOtherReason({ world, request }: Question): Decline | undefined {
  if (world.state.business.status === 'OPEN' && request.DoNotHonor !== true) return undefined;
  return { code: 'decline', message: 'Do not honor' };
}
