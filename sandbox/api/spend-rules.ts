import { z } from 'zod';
import { Limit, SpendRulesWrite, writtenRules } from '../engine/write-spend-rules.ts';
import { invalidRequest } from '../service-error.ts';
import type { Account } from '../state/account.ts';
import { allowsCategory, MERCHANT_CATEGORIES } from '../state/merchant-category.ts';
import { rulesOf, type World } from '../state/world.ts';
import { advancedRules, basicRules } from './account-view.ts';
import { accountOf, bodyOf, openAccountOf } from './request-parts.ts';
import { Empty } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';
import { AdvancedRules, BasicRules } from './rule-responses.ts';

const BasicWrite = z.object({
  MerchantCategories: z.record(z.string(), z.boolean()).optional(),
  InternationalSpendEnabled: z.boolean().optional(),
  DailySpendLimit: Limit,
  CardNotPresentUse: z.boolean().optional(),
  UseBusinessBalanceForAuths: z.boolean().optional(),
  UseCustomerAuthDecision: z.boolean().optional(),
});

/** Spend rules of one card account, basic and advanced. */
export const spendRuleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/Card/SpendRules/{Id}/Advanced',
    does: 'Advanced spend rules',
    response: z.strictObject({ AdvancedSpendRules: AdvancedRules }),
    answer: getAdvanced,
  },
  {
    method: 'PUT',
    path: '/Card/SpendRules/{Id}/Advanced',
    does: 'Changes advanced spend rules',
    request: SpendRulesWrite,
    response: Empty,
    answer: putAdvanced,
  },
  {
    method: 'GET',
    path: '/Card/SpendRules/{Id}',
    does: 'Basic spend rules',
    response: z.strictObject({ SpendRules: BasicRules }),
    answer: getBasic,
  },
  {
    method: 'PUT',
    path: '/Card/SpendRules/{Id}',
    does: 'Changes basic spend rules',
    request: BasicWrite,
    response: Empty,
    answer: putBasic,
  },
];

function getAdvanced({ world, params }: ApiRequest): ApiAnswer {
  return ok({ AdvancedSpendRules: advancedRules(rulesOf(world, accountOf(world, params[0]))) });
}

function putAdvanced({ world, params, body }: ApiRequest): ApiAnswer {
  const account = openAccountOf(world, params[0]);
  const write = bodyOf(SpendRulesWrite, body);
  // GET answers with a wrapper, PUT takes none. A GET answer sent back unchanged would silently change nothing.
  if ('AdvancedSpendRules' in write)
    throw invalidRequest('Send the spend rules without the AdvancedSpendRules wrapper.');
  writeRules(world, account, write);
  return world.assume.putSpendRulesAnswer === 'empty' ? { status: 200 } : ok();
}

function writeRules(world: World, account: Account, write: SpendRulesWrite): void {
  account.spendRules = writtenRules(structuredClone(rulesOf(world, account)), write, world.assume);
  if (world.assume.ruleOfRulesetWriteUnassigns) account.rulesetId = null;
}

function getBasic({ world, params }: ApiRequest): ApiAnswer {
  return ok({ SpendRules: basicRules(world, rulesOf(world, accountOf(world, params[0]))) });
}

function putBasic({ world, params, body }: ApiRequest): ApiAnswer {
  const account = openAccountOf(world, params[0]);
  const { MerchantCategories: switches, ...fields } = bodyOf(BasicWrite, body);
  if (switches === undefined) writeRules(world, account, fields);
  else {
    const before = rulesOf(world, account);
    const isAllAllowed = world.assume.emptyCategoryListAllowsAll;
    const allowed = MERCHANT_CATEGORIES.filter(
      ({ id, key }) => switches[key] ?? allowsCategory(before, id, isAllAllowed),
    );
    // The list cannot say "none" where an empty one means all.
    if (allowed.length === 0 && isAllAllowed) throw invalidRequest('At least one merchant category must stay on.');
    writeRules(world, account, { ...fields, MerchantCategories: allowed.map(({ id }) => ({ Id: id })) });
  }
  return ok();
}
