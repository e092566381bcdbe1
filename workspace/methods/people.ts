import { ApiError } from '../api-error.ts';
import { booleanArg, page, requiredArg, stringArg } from '../arguments.ts';
import type { Core } from '../core.ts';
import type { Json } from '../json.ts';
import type { WorkspaceUserGroup } from '../options.ts';
import { membersOf } from '../state.ts';
import { userOnWire } from '../wire.ts';
import { listConversations } from './conversations.ts';
import type { Methods } from './method.ts';

function info(core: Core, args: Json): Json {
  const user = core.state.users.get(requiredArg(args, 'user', 'user_not_found'));
  if (!user) throw new ApiError('user_not_found');
  return { user: userOnWire(core, user) };
}

function list(core: Core, args: Json): Json {
  const { items, next } = page([...core.state.users.values()], args);
  return { members: items.map((user) => userOnWire(core, user)), response_metadata: { next_cursor: next } };
}

function lookupByEmail(core: Core, args: Json): Json {
  const email = requiredArg(args, 'email', 'users_not_found').toLowerCase();
  const user = [...core.state.users.values()].find((other) => other.email?.toLowerCase() === email);
  if (!user) throw new ApiError('users_not_found');
  return { user: userOnWire(core, user) };
}

function groupOnWire(core: Core, group: WorkspaceUserGroup, withUsers: boolean): Json {
  return {
    id: group.id,
    team_id: core.identity.teamId,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    description: '',
    date_delete: 0,
    user_count: group.users.length,
    ...(withUsers ? { users: [...group.users] } : {}),
  };
}

function groupUsers(core: Core, args: Json): Json {
  const group = core.state.groups.get(requiredArg(args, 'usergroup', 'no_such_subteam'));
  if (!group) throw new ApiError('no_such_subteam');
  return { users: [...group.users] };
}

/** `users.*` and `usergroups.*`. */
export const peopleMethods: Methods = {
  'users.info': { tier: 'tier4', scopes: ['users:read'], run: info },
  'users.list': { tier: 'tier2', scopes: ['users:read'], run: list },
  'users.lookupByEmail': { tier: 'tier3', scopes: ['users:read.email'], run: lookupByEmail },
  'users.conversations': {
    tier: 'tier3',
    scopes: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
    run: (core, args) => {
      const user = stringArg(args, 'user') ?? core.identity.botUserId;
      return listConversations(core, args, (channel) => membersOf(core.state, core.identity, channel).includes(user));
    },
  },
  'usergroups.list': {
    tier: 'tier2',
    scopes: ['usergroups:read'],
    run: (core, args) => ({
      usergroups: [...core.state.groups.values()].map((group) =>
        groupOnWire(core, group, booleanArg(args, 'include_users')),
      ),
    }),
  },
  'usergroups.users.list': { tier: 'tier2', scopes: ['usergroups:read'], run: groupUsers },
};
