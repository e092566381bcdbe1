import { z } from 'zod';
import { defaultSpendRules } from '../engine/create-account.ts';
import { type SpendRulesWrite, SpendRulesWrite as Write, writtenRules } from '../engine/write-spend-rules.ts';
import { invalidRequest, ServiceError } from '../service-error.ts';
import { allowsCategory, MERCHANT_CATEGORIES } from '../state/merchant-category.ts';
import type { Ruleset } from '../state/spend-rules.ts';
import { takeId, type World } from '../state/world.ts';
import { AccountDetails, AdvancedAccountDetails, accountDetails } from './account-view.ts';
import { bodyOf } from './request-parts.ts';
import { Empty, id } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';
import { RulesetView } from './rule-responses.ts';

const names = {
  Name: z.string().trim().min(1).max(50),
  InternationalAllowed: z.boolean().optional(),
  CardNotPresentAllowed: z.boolean().optional(),
};
const RulesetCreate = Write.extend(names);
const RulesetUpdate = Write.extend({ ...names, Name: names.Name.optional(), Id: z.int().positive() });

const RulesetDelete = z.object({ Id: z.int().positive() });

/** Spending rulesets: shared spend rules, and the cards that use them. */
export const rulesetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/SpendingRuleset/Advanced',
    does: 'All rulesets',
    response: z.array(RulesetView),
    answer: list,
  },
  {
    method: 'POST',
    path: '/SpendingRuleset/Advanced',
    does: 'Creates a ruleset',
    request: RulesetCreate,
    response: z.strictObject({ RulesetId: id }),
    answer: create,
  },
  {
    method: 'PUT',
    path: '/SpendingRuleset/Advanced',
    does: 'Changes a ruleset',
    request: RulesetUpdate,
    response: RulesetView,
    answer: update,
  },
  {
    method: 'DELETE',
    path: '/SpendingRuleset/Advanced',
    does: 'Deletes a ruleset that no card uses',
    request: RulesetDelete,
    response: Empty,
    answer: remove,
  },
  {
    method: 'GET',
    path: '/SpendingRuleset/{Id}/Advanced',
    does: 'One ruleset',
    response: RulesetView,
    answer: ({ world, params }) => ok(view(world, rulesetOf(world, params[0]))),
  },
  {
    method: 'GET',
    path: '/SpendingRuleset/{Id}/Advanced/Cards',
    does: 'The accounts that use a ruleset, with advanced spend rules',
    response: z.array(AdvancedAccountDetails),
    answer: (request) => cards(request, true),
  },
  {
    method: 'GET',
    path: '/SpendingRuleset/{Id}/Cards',
    does: 'The accounts that use a ruleset',
    response: z.array(AccountDetails),
    answer: (request) => cards(request, false),
  },
];

function list({ world }: ApiRequest): ApiAnswer {
  if (world.state.rulesets.length === 0) throw new ServiceError(404, 'No spending rulesets');
  return ok(world.state.rulesets.map((ruleset) => view(world, ruleset)));
}

function cards({ world, params }: ApiRequest, advanced: boolean): ApiAnswer {
  const ruleset = rulesetOf(world, params[0]);
  const own = world.state.accounts.filter(({ rulesetId }) => rulesetId === ruleset.id);
  return ok(own.map((account) => accountDetails(world, account, advanced)));
}

function create({ world, body }: ApiRequest): ApiAnswer {
  const write = bodyOf(RulesetCreate, body);
  assertFreeName(world, write.Name);
  const spendRules = writtenRules(defaultSpendRules(), rulesOfWrite(write), world.assume);
  const id = takeId(world, 'ruleset');
  world.state.rulesets.push({ id, name: write.Name, spendRules });
  return ok({ RulesetId: id });
}

function update({ world, body }: ApiRequest): ApiAnswer {
  const write = bodyOf(RulesetUpdate, body);
  const ruleset = find(world, write.Id);
  if (write.Name !== undefined) assertFreeName(world, write.Name, ruleset.id);
  ruleset.spendRules = writtenRules(ruleset.spendRules, rulesOfWrite(write), world.assume);
  ruleset.name = write.Name ?? ruleset.name;
  return ok(view(world, ruleset));
}

function remove({ world, body }: ApiRequest): ApiAnswer {
  const { Id } = bodyOf(RulesetDelete, body);
  const ruleset = find(world, Id);
  if (cardCount(world, ruleset) > 0) throw new ServiceError(403, 'Ruleset is assigned to cards');
  world.state.rulesets.splice(world.state.rulesets.indexOf(ruleset), 1);
  return ok();
}

/** A ruleset's switches have different names from a card's. */
function rulesOfWrite(write: z.infer<typeof RulesetCreate> | z.infer<typeof RulesetUpdate>): SpendRulesWrite {
  const {
    Name: _name,
    Id: _id,
    CardCount: _count,
    MccRestrictions: _restrictions,
    InternationalAllowed,
    CardNotPresentAllowed,
    ...rules
  } = write;
  return {
    ...rules,
    ...(InternationalAllowed === undefined ? {} : { InternationalSpendEnabled: InternationalAllowed }),
    ...(CardNotPresentAllowed === undefined ? {} : { CardNotPresentUse: CardNotPresentAllowed }),
  };
}

function view(world: World, ruleset: Ruleset): z.infer<typeof RulesetView> {
  const { InternationalSpendEnabled, CardNotPresentUse, MerchantCategories, ...rest } = ruleset.spendRules;
  return {
    Id: ruleset.id,
    Name: ruleset.name,
    CardCount: cardCount(world, ruleset),
    ...rest,
    InternationalAllowed: InternationalSpendEnabled,
    CardNotPresentAllowed: CardNotPresentUse,
    MccRestrictions: MERCHANT_CATEGORIES.some(
      ({ id }) => !allowsCategory(ruleset.spendRules, id, world.assume.emptyCategoryListAllowsAll),
    ),
    MerchantCategories,
  };
}

function cardCount(world: World, ruleset: Ruleset): number {
  return world.state.accounts.filter(({ rulesetId }) => rulesetId === ruleset.id).length;
}

function assertFreeName(world: World, name: string, except?: number): void {
  if (world.state.rulesets.some((other) => other.id !== except && other.name.toLowerCase() === name.toLowerCase())) {
    throw invalidRequest('Name already exists');
  }
}

function rulesetOf(world: World, text: string | undefined): Ruleset {
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new ServiceError(400, 'Invalid ruleset ID');
  return find(world, Number(text));
}

function find(world: World, id: number): Ruleset {
  const ruleset = world.state.rulesets.find((each) => each.id === id);
  if (ruleset === undefined) throw new ServiceError(404, 'Ruleset not found');
  return ruleset;
}
