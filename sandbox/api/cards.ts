import { z } from 'zod';
import { activate, block, terminate, unblock } from '../engine/card-status.ts';
import { invalidRequest, ServiceError } from '../service-error.ts';
import { Profile, profile } from './account-view.ts';
import { addressedTo, fitsOnCard, ProfileUpdate, tooLong } from './card-request.ts';
import { accountOf, bodyOf, idOf, openAccountOf } from './request-parts.ts';
import { Empty, id } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

const StatusWrite = z.object({ Status: z.union([z.string(), z.int()]).describe('Active (0) or Blocked (2)') });
const GroupWrite = z.object({ GroupId: z.int().nonnegative().describe('0: none'), AcctId: z.int() });
const RulesetWrite = z.object({ RulesetId: z.int().nonnegative().describe('0: none'), AccountId: z.int() });

/** Status, activation, closing and profile of a card account. */
export const cardRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/Card/Status/{Id}',
    does: 'Blocks or unblocks a card',
    request: StatusWrite,
    response: Empty,
    answer: putStatus,
  },
  {
    method: 'POST',
    path: '/Card/Activate/{Id}/{CardId}',
    does: 'Activates a card',
    response: Empty,
    answer: activateCard,
  },
  {
    method: 'POST',
    path: '/Card/Activate/{Id}',
    does: 'Activates the newest card',
    response: Empty,
    answer: activateCard,
  },
  // The path as the specification writes it, without the slash.
  {
    method: 'POST',
    path: '/Card/Activate{Id}/{CardId}',
    does: 'Activates a card, as the specification writes it',
    response: Empty,
    answer: activateCard,
  },
  {
    method: 'POST',
    path: '/Card/Terminate/{Id}',
    does: 'Closes an account permanently',
    response: Empty,
    answer: terminateAccount,
  },
  {
    method: 'GET',
    path: '/Card/Profile/{Id}',
    does: 'A holder without spend rules',
    response: Profile,
    answer: getProfile,
  },
  {
    method: 'PUT',
    path: '/Card/Profile/{Id}',
    does: 'Changes a holder',
    request: ProfileUpdate,
    response: Empty,
    answer: putProfile,
  },
  {
    method: 'PUT',
    path: '/Card/SetGroup',
    does: 'Adds an account to a group',
    request: GroupWrite,
    response: Empty,
    answer: setGroup,
  },
  {
    method: 'PUT',
    path: '/Card/SetSpendingRuleset',
    does: 'Assigns a ruleset to an account',
    request: RulesetWrite,
    response: z.strictObject({ AccountId: id }),
    answer: setRuleset,
  },
];

/** Numbers of the statuses on the wire. Only Active and Blocked may be set. */
const STATUS_NAMES = new Map([
  ['-1', 'invalid'],
  ['0', 'active'],
  ['1', 'inactive'],
  ['2', 'blocked'],
  ['5', 'closed'],
  ['11', 'removed'],
]);

function putStatus({ world, params, body }: ApiRequest): ApiAnswer {
  const account = accountOf(world, params[0]);
  const { Status } = bodyOf(StatusWrite, body);
  const text = String(Status).toLowerCase();
  const name = STATUS_NAMES.get(text) ?? text;
  if (![...STATUS_NAMES.values()].includes(name)) throw invalidRequest('Status must be Active (0) or Blocked (2).');
  if (name === 'active') unblock(world, account);
  else if (name === 'blocked') block(world, account);
  else throw new ServiceError(403, 'Cannot change status');
  return ok();
}

function activateCard({ world, params }: ApiRequest): ApiAnswer {
  const account = accountOf(world, params[0]);
  activate(world, account, params[1] === undefined ? undefined : idOf(params[1]));
  return ok();
}

function terminateAccount({ world, params }: ApiRequest): ApiAnswer {
  terminate(world, accountOf(world, params[0]));
  return ok();
}

function getProfile({ world, params }: ApiRequest): ApiAnswer {
  // The one endpoint where the business account is refused with 401.
  if (idOf(params[0]) === world.state.business.businessAccountId)
    throw new ServiceError(401, 'Must be card account ID');
  return ok(profile(accountOf(world, params[0])));
}

function putProfile({ world, params, body }: ApiRequest): ApiAnswer {
  const account = openAccountOf(world, params[0]);
  const update = bodyOf(ProfileUpdate, body);
  if (update.CardholderGroupId != null && !world.state.groups.some(({ id }) => id === update.CardholderGroupId)) {
    throw new ServiceError(403, 'Card group not found');
  }
  if (update.SpendRulesetId != null && !world.state.rulesets.some(({ id }) => id === update.SpendRulesetId)) {
    throw new ServiceError(403, 'Invalid ruleset ID');
  }
  const holder = {
    FirstName: update.FirstName ?? account.firstName,
    LastName: update.LastName ?? account.lastName,
  };
  if (!fitsOnCard(holder)) throw invalidRequest(tooLong.message);
  account.firstName = holder.FirstName;
  account.lastName = holder.LastName;
  account.email = update.Email ?? account.email;
  account.phone = update.Phone ?? account.phone;
  account.shippingPhone = update.ShippingPhone ?? account.shippingPhone;
  account.dateOfBirth = update.DateOfBirth ?? account.dateOfBirth;
  if (update.CustomId !== undefined) account.customId = update.CustomId === '' ? null : update.CustomId;
  if (update.CardholderGroupId !== undefined) account.groupId = update.CardholderGroupId;
  if (update.SpendRulesetId !== undefined) account.rulesetId = update.SpendRulesetId;
  if (update.ProfileAddress !== undefined) account.profileAddress = addressedTo(holder, update.ProfileAddress);
  if (update.ShippingAddress !== undefined) account.shippingAddress = addressedTo(holder, update.ShippingAddress);
  return ok();
}

function setGroup({ world, body }: ApiRequest): ApiAnswer {
  const { GroupId, AcctId } = bodyOf(GroupWrite, body);
  const account = openAccountOf(world, String(AcctId));
  if (GroupId !== 0 && !world.state.groups.some(({ id }) => id === GroupId))
    throw new ServiceError(403, 'Card group not found');
  account.groupId = GroupId === 0 ? null : GroupId;
  return ok();
}

function setRuleset({ world, body }: ApiRequest): ApiAnswer {
  const { RulesetId, AccountId } = bodyOf(RulesetWrite, body);
  const account = openAccountOf(world, String(AccountId));
  if (RulesetId !== 0 && !world.state.rulesets.some(({ id }) => id === RulesetId))
    throw new ServiceError(403, 'Invalid ruleset ID');
  account.rulesetId = RulesetId === 0 ? null : RulesetId;
  return ok({ AccountId });
}
