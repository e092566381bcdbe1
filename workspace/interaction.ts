import { createReport } from './check-report.ts';
import { type Core, nextTs } from './core.ts';
import { type Delivery, deliver } from './delivery.ts';
import { optionsOf, toElementValue } from './element-value.ts';
import type { Json } from './json.ts';
import { LIMITS } from './limits.ts';
import type { StoredMessage } from './message.ts';
import { findShown } from './messages.ts';
import { basePayload, messagePlace, messageState } from './payload.ts';
import type { Conversation } from './state.ts';
import { checkOptions } from './text-check.ts';
import type { StoredView } from './view.ts';
import { elementsIn } from './views.ts';
import { viewOnWire } from './wire.ts';

/** The element that a person acts on: in a message, a modal or App Home. */
export interface ElementAddress {
  user: string;
  message?: Pick<StoredMessage, 'channel' | 'ts'> & Partial<StoredMessage>;
  viewId?: string;
  actionId: string;
  blockId?: string;
  /** Acts on the message as passed in, although it has changed since: the click of someone with an outdated screen. */
  stale?: boolean;
  /** A person's input in other elements of the same message, by action id. */
  inputs?: Record<string, unknown>;
}

interface Place {
  blocks: readonly Json[];
  channel?: Conversation;
  message?: StoredMessage;
  view?: StoredView;
}

function findPlace(core: Core, at: ElementAddress): Place {
  if (at.viewId !== undefined) {
    const view =
      core.state.views.get(at.viewId) ?? [...core.state.homes.values()].find((home) => home.id === at.viewId);
    if (!view) throw new Error(`no view ${at.viewId}`);
    return { blocks: view.blocks, view };
  }
  if (!at.message) throw new Error('say where to act: message or viewId');
  const { channel: channelId, ts } = at.message;
  const current = findShown(core, channelId, ts);
  const message = at.stale ? (at.message as StoredMessage) : current;
  if (!message) throw new Error(`no message ${ts} in ${channelId}`);
  const channel = core.state.channels.get(channelId);
  if (!channel) throw new Error(`no channel ${channelId}`);
  if (message.ephemeralUser && message.ephemeralUser !== at.user)
    throw new Error(`${at.user} does not see message ${ts}`);
  return { blocks: (message.blocks ?? []) as unknown as Json[], channel, message };
}

function findElement(place: Place, at: ElementAddress, value?: string) {
  const elements = elementsIn(place.blocks);
  const meant = elements.filter(
    ({ element }) =>
      element.action_id === at.actionId &&
      (value === undefined || element.value === undefined || element.value === value || element.type !== 'button'),
  );
  // An edit gives blocks new ids, and Slack still delivers clicks from people who saw the old ones.
  const found = meant.find(({ blockId }) => at.blockId === undefined || blockId === at.blockId) ?? meant[0];
  if (found) return found;
  const there = elements.map(({ element }) => `${String(element.action_id)} (${String(element.type)})`).join(', ');
  throw new Error(
    `no element ${at.actionId}${value === undefined ? '' : ` with value ${value}`}; there is: ${there || 'none'}`,
  );
}

async function act(core: Core, at: ElementAddress, place: Place, blockId: string, action: Json): Promise<Delivery> {
  const payload = basePayload(core, 'block_actions', at.user);
  const full = { ...action, block_id: blockId, action_id: at.actionId, action_ts: nextTs(core) };
  if (place.view) {
    const { view } = place;
    if (view.type === 'modal') rememberInput(view, blockId, at.actionId, action);
    Object.assign(payload, {
      container: { type: 'view', view_id: view.id },
      trigger_id: core.triggers.create({ user: at.user, viewId: view.id }),
      view: viewOnWire(core, view),
      actions: [full],
    });
  } else if (place.message && place.channel) {
    const { message, channel } = place;
    const entries = Object.entries({ ...at.inputs }).map(([id, given]): [string, Json] => [
      id,
      toElementValue(findElement(place, { ...at, actionId: id }).element, given),
    ]);
    const held: Record<string, Json> = Object.fromEntries(entries);
    if (action.type !== 'button') held[at.actionId] = action;
    Object.assign(payload, messagePlace(core, channel, message), {
      trigger_id: core.triggers.create({ user: at.user }),
      state: messageState(place.blocks, held),
      response_url: actionUrl(core, at.user, message),
      actions: [full],
    });
  }
  return await deliver(core, 'interactive', payload);
}

function rememberInput(view: StoredView, blockId: string, actionId: string, action: Json) {
  if (action.type === 'button') return;
  view.state.values[blockId] = { ...view.state.values[blockId], [actionId]: action };
}

/** A response URL for an action on a message. */
export function actionUrl(core: Core, user: string, message: StoredMessage): string {
  const original = { ts: message.ts, ephemeral: message.ephemeralUser !== undefined };
  const inThread = message.thread_ts !== undefined && message.thread_ts !== message.ts;
  const thread = inThread && message.thread_ts ? { thread_ts: message.thread_ts } : {};
  return core.origin + core.responseUrls.create('actions', { channel: message.channel, user, original, ...thread });
}

/** Presses a button. Throws when the person does not see this button. */
export async function press(core: Core, at: ElementAddress & { value?: string }): Promise<Delivery> {
  const place = findPlace(core, at);
  const { element, blockId } = findElement(place, at, at.value);
  const { type, text, style, value, url, confirm } = element;
  if (type !== 'button') throw new Error(`${at.actionId} is a ${String(type)}, use select`);
  const action: Json = { type, text, style, value, url, confirm };
  for (const [field, held] of Object.entries(action)) if (held === undefined) delete action[field];
  return await act(core, at, place, blockId, action);
}

/** Chooses or enters something in an element that is not a button: an option's value, a date, a text. */
export async function select(core: Core, at: ElementAddress & { value: unknown }): Promise<Delivery> {
  const place = findPlace(core, at);
  const { element, blockId } = findElement(place, at);
  const extra = element.placeholder === undefined ? {} : { placeholder: element.placeholder };
  return await act(core, at, place, blockId, { ...toElementValue(element, at.value), ...extra });
}

/** Asks the app for an external select's options, as typing in it does. Throws when Slack would not show the answer. */
export async function suggest(core: Core, at: ElementAddress & { value: string }): Promise<Json[]> {
  const place = findPlace(core, at);
  const { blockId } = findElement(place, at);
  const { message, channel, view } = place;
  const where = view
    ? { view: viewOnWire(core, view), container: { type: 'view', view_id: view.id } }
    : message && channel
      ? messagePlace(core, channel, message)
      : {};
  const payload = {
    ...basePayload(core, 'block_suggestion', at.user),
    ...where,
    action_id: at.actionId,
    block_id: blockId,
    value: at.value,
  };
  const delivery = await deliver(core, 'interactive', payload);
  if (!delivery.ok || !delivery.json)
    throw new Error(`no options for ${at.actionId}: ${delivery.error ?? 'empty answer'}`);
  const report = createReport();
  checkOptions(report, delivery.json, 'options', '', { limit: LIMITS.selectOptions, min: 0 });
  if (report.problems.length > 0) throw new Error(`bad options for ${at.actionId}: ${report.problems.join('; ')}`);
  return optionsOf(delivery.json);
}
