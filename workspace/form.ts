import { ApiError } from './api-error.ts';
import type { Core } from './core.ts';
import { type Delivery, deliver } from './delivery.ts';
import { inputFault, toElementValue } from './element-value.ts';
import { isRecord, type Json, words } from './json.ts';
import { basePayload } from './payload.ts';
import type { StoredView } from './view.ts';
import { closeViews, elementsIn, pushView, toView, updateView } from './views.ts';
import { viewOnWire } from './wire.ts';

function topView(core: Core, user: string, viewId: string): StoredView {
  const view = core.state.views.get(viewId);
  const top = core.state.stacks.get(user)?.at(-1);
  if (!view || top !== viewId)
    throw new Error(`${user} does not have view ${viewId} open; on top is ${top ?? 'nothing'}`);
  return view;
}

/** Stores input in the view's state. Throws for an element that the view does not have. */
function fill(view: StoredView, values: Record<string, unknown>) {
  const elements = elementsIn(view.blocks);
  for (const [actionId, given] of Object.entries(values)) {
    const found = elements.find(({ element }) => element.action_id === actionId);
    if (!found) {
      const there = elements.map(({ element }) => String(element.action_id)).join(', ');
      throw new Error(`no element ${actionId} in the view; there is: ${there || 'none'}`);
    }
    view.state.values[found.blockId] = {
      ...view.state.values[found.blockId],
      [actionId]: toElementValue(found.element, given),
    };
  }
}

/** What the Slack client itself rejects, by block id. */
function faultsIn(view: StoredView): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { element, blockId, block } of elementsIn(view.blocks)) {
    if (block.type !== 'input') continue;
    const value = view.state.values[blockId]?.[String(element.action_id)];
    const fault = inputFault(element, value, block.optional === true);
    if (fault) faults[blockId] = fault;
    // An untouched input is also in the state, as null.
    if (!value)
      view.state.values[blockId] = {
        ...view.state.values[blockId],
        [String(element.action_id)]: toElementValue(element, null),
      };
  }
  return faults;
}

function applyAnswer(core: Core, view: StoredView, delivery: Delivery): Delivery {
  const action = delivery.json?.response_action;
  const next = delivery.json?.view;
  if (action === undefined) {
    if (delivery.body.trim() === '' || delivery.body.trim() === '{}') closeViews(core, view.user, false);
    else return { ...delivery, ok: false, error: `invalid_response: ${delivery.body.slice(0, 200)}` };
    return delivery;
  }
  if (action === 'errors') {
    const errors = isRecord(delivery.json?.errors) ? delivery.json.errors : {};
    const inputs = view.blocks.filter((block) => block.type === 'input').map((block) => block.block_id);
    const strange = Object.keys(errors).filter((id) => !inputs.includes(id));
    if (strange.length > 0)
      return { ...delivery, ok: false, error: `errors for blocks that are not inputs: ${strange.join(', ')}` };
    return { ...delivery, errors: errors as Record<string, string> };
  }
  if (action === 'clear') closeViews(core, view.user, true);
  else if (action === 'update') updateView(core, view, toView(next));
  else if (action === 'push') pushView(core, toView(next), view.user);
  else return { ...delivery, ok: false, error: `unknown response_action: ${words(action)}` };
  return delivery;
}

/**
 * Submits the user's visible modal.
 *
 * If Slack's own client would reject it, for instance an empty required input, nothing is sent: status 0 with `errors`
 * by block id.
 */
export async function submitView(
  core: Core,
  args: { user: string; viewId: string; values?: Record<string, unknown> },
): Promise<Delivery> {
  const view = topView(core, args.user, args.viewId);
  fill(view, args.values ?? {});
  const errors = faultsIn(view);
  if (Object.keys(errors).length > 0) {
    const unsent = {
      status: 0,
      body: '',
      ms: 0,
      timedOut: false,
      ok: false,
      responseUrl: '',
      triggerId: '',
      payload: {},
    };
    return { ...unsent, errors, error: 'not sent: the form is incomplete' };
  }
  const payload: Json = {
    ...basePayload(core, 'view_submission', args.user),
    trigger_id: core.triggers.create({ user: args.user, viewId: view.id }),
    view: viewOnWire(core, view),
    response_urls: [],
  };
  const delivery = await deliver(core, 'interactive', payload);
  if (!delivery.ok) return delivery;
  try {
    // The app may have changed the view with views.update before it answered.
    return applyAnswer(core, core.state.views.get(view.id) ?? view, delivery);
  } catch (error) {
    if (error instanceof ApiError) return { ...delivery, ok: false, error: error.message };
    throw error;
  }
}

/** Closes the user's visible modal, and notifies the app if the view asks for it. */
export async function closeView(
  core: Core,
  args: { user: string; viewId: string; all?: boolean },
): Promise<Delivery | undefined> {
  const view = topView(core, args.user, args.viewId);
  const all = args.all === true || view.clear_on_close;
  closeViews(core, args.user, all);
  if (!view.notify_on_close) return undefined;
  const payload = { ...basePayload(core, 'view_closed', args.user), view: viewOnWire(core, view), is_cleared: all };
  return await deliver(core, 'interactive', payload);
}
