import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { type Core, nextId } from './core.ts';
import { isRecord, type Json, record, records, text } from './json.ts';
import { LIMITS } from './limits.ts';
import { withIds } from './messages.ts';
import type { StoredView } from './view.ts';
import { checkView } from './view-check.ts';

/** A checked view payload. Throws what `views.open` answers. */
export function toView(value: unknown): Json {
  if (!isRecord(value)) throw new ApiError('invalid_arguments', ['missing required field: view']);
  if (Buffer.byteLength(JSON.stringify(value)) > LIMITS.viewBytes.max) throw new ApiError('view_too_large');
  const problems = checkView(value);
  if (problems.length > 0) throw new ApiError('invalid_arguments', problems);
  return value;
}

function newHash(core: Core): string {
  return `${Math.floor(core.now() / 1000)}.${randomBytes(4).toString('hex')}`;
}

/** An untouched element's value, in the shape of `state.values`. Undefined when it has none. */
function initialValue(element: Json): Json | undefined {
  const { type } = element;
  const value: Json = { type };
  if ('initial_value' in element) value.value = element.initial_value;
  else if ('initial_option' in element) value.selected_option = element.initial_option;
  else if ('initial_date' in element) value.selected_date = element.initial_date;
  else return undefined;
  return value;
}

/** The elements in a list of blocks that a person can act on, with their block ids. */
export function elementsIn(blocks: readonly Json[]): { blockId: string; element: Json; block: Json }[] {
  return blocks.flatMap((block) => {
    const own = [...records(block.elements), block.accessory, block.element].filter(isRecord);
    const named = own.filter((element) => typeof element.action_id === 'string');
    return named.map((element) => ({ blockId: String(block.block_id), element, block }));
  });
}

function initialState(blocks: Json[], before: StoredView['state']['values']): StoredView['state']['values'] {
  const values: StoredView['state']['values'] = {};
  for (const { blockId, element } of elementsIn(blocks)) {
    const action = String(element.action_id);
    // Slack keeps typed input when the block and the action keep their ids.
    const value = before[blockId]?.[action] ?? initialValue(element);
    if (value) values[blockId] = { ...values[blockId], [action]: value };
  }
  return values;
}

function build(core: Core, payload: Json, user: string, before?: StoredView): StoredView {
  const id = before?.id ?? nextId(core, 'V');
  const blocks = withIds(records(payload.blocks));
  const words = (field: string) =>
    isRecord(payload[field]) ? (record(payload[field]) as { type: string; text: string }) : null;
  const title = words('title');
  return {
    id,
    type: payload.type === 'home' ? 'home' : 'modal',
    user,
    hash: newHash(core),
    root_view_id: before?.root_view_id ?? id,
    previous_view_id: before?.previous_view_id ?? null,
    callback_id: text(payload.callback_id) ?? '',
    external_id: text(payload.external_id) ?? '',
    private_metadata: text(payload.private_metadata) ?? '',
    ...(title ? { title } : {}),
    submit: words('submit'),
    close: words('close'),
    clear_on_close: payload.clear_on_close === true,
    notify_on_close: payload.notify_on_close === true,
    blocks,
    state: { values: initialState(blocks, before?.state.values ?? {}) },
  };
}

function requireFreeExternalId(core: Core, payload: Json, self?: StoredView) {
  const id = text(payload.external_id);
  if (!id) return;
  const open = [...core.state.stacks.values()].flat();
  const taken = [...core.state.views.values()].some(
    (view) => view.external_id === id && view !== self && open.includes(view.id),
  );
  if (taken) throw new ApiError('duplicate_external_id');
}

/** Opens a modal as the user's only one. */
export function openView(core: Core, payload: Json, user: string): StoredView {
  requireFreeExternalId(core, payload);
  const view = build(core, payload, user);
  core.state.views.set(view.id, view);
  core.state.stacks.set(user, [view.id]);
  core.changes.emit('change', { type: 'modal', user });
  return view;
}

/** Pushes a modal onto the user's open one. */
export function pushView(core: Core, payload: Json, user: string): StoredView {
  const stack = core.state.stacks.get(user) ?? [];
  if (stack.length >= LIMITS.viewStack.max) throw new ApiError('push_limit_reached');
  const below = stack.at(-1);
  if (below === undefined) throw new ApiError('not_found');
  requireFreeExternalId(core, payload);
  const view = build(core, payload, user);
  view.previous_view_id = below;
  view.root_view_id = stack[0] ?? view.id;
  core.state.views.set(view.id, view);
  core.state.stacks.set(user, [...stack, view.id]);
  core.changes.emit('change', { type: 'modal', user });
  return view;
}

/** Replaces the content of an open modal. */
export function updateView(core: Core, before: StoredView, payload: Json): StoredView {
  requireFreeExternalId(core, payload, before);
  const view = build(core, payload, before.user, before);
  core.state.views.set(view.id, view);
  core.changes.emit('change', { type: 'modal', user: before.user });
  return view;
}

/** Sets a user's App Home. */
export function publishHome(core: Core, payload: Json, user: string): StoredView {
  const view = build(core, payload, user, core.state.homes.get(user));
  core.state.homes.set(user, view);
  core.changes.emit('change', { type: 'home', user });
  return view;
}

/** Closes a user's visible modal, or all of them. */
export function closeViews(core: Core, user: string, all: boolean) {
  const stack = core.state.stacks.get(user) ?? [];
  core.state.stacks.set(user, all ? [] : stack.slice(0, -1));
  core.changes.emit('change', { type: 'modal', user });
}
