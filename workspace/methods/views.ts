import { ApiError } from '../api-error.ts';
import { jsonArg, requiredArg, stringArg } from '../arguments.ts';
import type { Core } from '../core.ts';
import type { Json } from '../json.ts';
import { openView, publishHome, pushView, toView, updateView } from '../views.ts';
import { viewOnWire } from '../wire.ts';
import type { Methods } from './method.ts';

function payload(args: Json, type: 'modal' | 'home'): Json {
  const view = toView(jsonArg(args, 'view', 'invalid_arguments'));
  if (view.type !== type) throw new ApiError('invalid_arguments', [`must be a ${type} view [json-pointer:/view/type]`]);
  return view;
}

function trigger(args: Json): string {
  const id = stringArg(args, 'trigger_id') ?? stringArg(args, 'interactivity_pointer');
  if (!id) throw new ApiError('invalid_arguments', ['missing required field: trigger_id']);
  return id;
}

function open(core: Core, args: Json): Json {
  const view = payload(args, 'modal');
  const origin = core.triggers.exchange(trigger(args));
  return { view: viewOnWire(core, openView(core, view, origin.user)) };
}

function push(core: Core, args: Json): Json {
  const view = payload(args, 'modal');
  const origin = core.triggers.exchange(trigger(args));
  if (!origin.viewId) throw new ApiError('invalid_trigger_id');
  return { view: viewOnWire(core, pushView(core, view, origin.user)) };
}

function update(core: Core, args: Json): Json {
  const next = payload(args, 'modal');
  const [id, externalId] = [stringArg(args, 'view_id'), stringArg(args, 'external_id')];
  if (!id && !externalId) throw new ApiError('invalid_arguments', ['missing required field: view_id']);
  const open = [...core.state.stacks.values()].flat();
  const view = [...core.state.views.values()].find(
    (other) => open.includes(other.id) && (id ? other.id === id : other.external_id === externalId),
  );
  if (!view) throw new ApiError('not_found');
  const hash = stringArg(args, 'hash');
  if (hash && hash !== view.hash) throw new ApiError('hash_conflict');
  return { view: viewOnWire(core, updateView(core, view, next)) };
}

function publish(core: Core, args: Json): Json {
  const user = requiredArg(args, 'user_id');
  const known = core.state.users.get(user);
  if (!known || known.isBot) throw new ApiError('invalid_arguments', ['invalid user_id [json-pointer:/user_id]']);
  const view = payload(args, 'home');
  const hash = stringArg(args, 'hash');
  if (hash && hash !== core.state.homes.get(user)?.hash) throw new ApiError('hash_conflict');
  return { view: viewOnWire(core, publishHome(core, view, user)) };
}

/** `views.*`. They need no scope. */
export const viewMethods: Methods = {
  'views.open': { tier: 'tier4', run: open },
  'views.push': { tier: 'tier4', run: push },
  'views.update': { tier: 'tier4', run: update },
  'views.publish': { tier: 'tier4', run: publish },
};
