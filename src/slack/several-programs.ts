import type { ReceiverEvent } from '@slack/bolt';
import type { HomeView, ModalView } from '@slack/types';
import type { Respond } from './answer.ts';
import type { FoundMessage, Slack } from './client.ts';
import type { Message } from './message.ts';

/**
 * Several card programs share one Slack app. A delivery belongs to the program whose message, form or command it came
 * from. To find it, every `block_id` is prefixed with the program's name: added when a payload leaves, removed when it
 * comes back, so nothing else knows about it. The first program has no name, and its payloads stay unchanged.
 */
const END = '~';

type AnyBlock = { readonly block_id?: string | undefined };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function markBlocks<Block extends AnyBlock>(program: string, blocks: readonly Block[]): Block[] {
  // Blocks without an id get one, because otherwise Slack would choose it.
  return blocks.map((block, index) => ({
    ...block,
    block_id: `${program}${END}${block.block_id ?? `${END}${index}`}`,
  }));
}

function markView<View extends HomeView | ModalView>(program: string, view: View): View {
  return { ...view, blocks: markBlocks(program, view.blocks) };
}

function markMessage(program: string, message: Message): Message {
  return { ...message, blocks: markBlocks(program, message.blocks) };
}

/** Marks a listener's acknowledgement: a message, a form, or errors of a form's fields. */
export function markAnswer(program: string, answer: unknown): unknown {
  if (program === '' || !isRecord(answer)) return answer;
  const { blocks, view, errors } = answer;
  return {
    ...answer,
    ...(Array.isArray(blocks) ? { blocks: markBlocks(program, blocks) } : {}),
    ...(isRecord(view) && Array.isArray(view.blocks)
      ? { view: { ...view, blocks: markBlocks(program, view.blocks) } }
      : {}),
    ...(isRecord(errors)
      ? { errors: Object.fromEntries(Object.entries(errors).map(([id, text]) => [`${program}${END}${id}`, text])) }
      : {}),
  };
}

/** Null when the block names no program. */
function programOfBlock(block: unknown): string | null {
  const id = isRecord(block) ? block.block_id : undefined;
  return typeof id === 'string' ? (/^([a-z][a-z0-9]*)~/.exec(id)?.[1] ?? null) : null;
}

/** The same delivery with the original `block_id`s of the program. */
export function unmark<Body>(program: string, body: Body): Body {
  if (program === '') return body;
  const mark = `${program}${END}`;
  const off = (id: string): string => (id.startsWith(mark) ? id.slice(mark.length) : id);
  const within = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => within(item, ''));
    if (!isRecord(value)) return name === 'block_id' && typeof value === 'string' ? off(value) : value;
    const entries = Object.entries(value).map(([key, item]) => [name === 'values' ? off(key) : key, within(item, key)]);
    return Object.fromEntries(entries);
  };
  return within(body, '') as Body;
}

/** How to recognize the program of a delivery. */
interface Named {
  readonly name: string;
  /** `/card-eu` */
  readonly command: string;
}

/**
 * The program that a delivery belongs to.
 *
 * @returns `all` for workspace events; `chosen` when someone opened App Home, which shows the program that they chose;
 * `gone` for a button or form of a program that no longer exists, because no other program may guess the meaning of its
 * ids.
 */
export function programOfDelivery(
  body: Readonly<Record<string, unknown>>,
  programs: readonly Named[],
): { name: string } | 'all' | 'chosen' | 'gone' {
  const { command, event, actions, view, message } = body;
  if (typeof command === 'string') {
    const its = programs.filter((one) => command === one.command || command.startsWith(`${one.command}-`));
    return { name: its.toSorted((a, b) => b.command.length - a.command.length)[0]?.name ?? '' };
  }
  if (isRecord(event)) return event.type === 'app_home_opened' ? 'chosen' : 'all';
  const isThere = (name: string | null): name is string => programs.some((one) => one.name === name);
  const ours = [...(Array.isArray(actions) ? actions : []), body, ...blocksOf(view)].map(programOfBlock);
  const marked = [...ours, ...blocksOf(message).map(programOfBlock)].find(isThere);
  // A shortcut may be used on another app's message, whose blocks mean nothing to us.
  return marked === undefined && ours.some((name) => name !== null) ? 'gone' : { name: marked ?? '' };
}

const blocksOf = (shown: unknown): unknown[] =>
  isRecord(shown) && Array.isArray(shown['blocks']) ? shown['blocks'] : [];

/** One program's view of Slack: marks everything it sends, and does not treat other programs' messages as its own. */
export function slackOf(program: string, slack: Slack): Slack {
  const mark = program === '' ? '' : `${program}${END}`;
  const isOwn = (ref: string): boolean => (mark === '' ? !ref.includes(END) : ref.startsWith(mark));
  const own = (message: FoundMessage): FoundMessage =>
    message.ref !== null && isOwn(message.ref)
      ? { ...message, ref: message.ref.slice(mark.length) }
      : { ...message, ref: null, marks: [] };
  const findMessages: Slack['findMessages'] = async (search) => (await slack.findMessages(search)).map(own);
  if (mark === '') return { ...slack, findMessages };
  return {
    ...slack,
    findMessages,
    post: (channel, message, ref, thread, marks) =>
      slack.post(channel, markMessage(program, message), `${mark}${ref}`, thread, marks),
    update: (ref, message) => slack.update(ref, markMessage(program, message)),
    postEphemeral: (channel, userId, message, threadTs) =>
      slack.postEphemeral(channel, userId, markMessage(program, message), threadTs),
    openView: (triggerId, view) => slack.openView(triggerId, markView(program, view)),
    pushView: (triggerId, view) => slack.pushView(triggerId, markView(program, view)),
    updateView: (form, view) => slack.updateView(form, markView(program, view)),
    publishHome: (userId, view) => slack.publishHome(userId, markView(program, view)),
  };
}

/** The same for answers through a `response_url`. */
export function respondOf(program: string, respond: Respond): Respond {
  return program === '' ? respond : (url, message, options) => respond(url, markMessage(program, message), options);
}

/** A card program's part of the Slack app. */
export interface SlackProgram extends Named {
  readonly processEvent: (event: ReceiverEvent) => Promise<void>;
  /** Runs code so that its texts name the program's own command and time zone. */
  readonly inside: <T>(run: () => T) => T;
}

/** How to find the program of a delivery. */
export interface WhichProgram {
  /** All programs, even if this process serves only one of them. */
  readonly all: readonly Named[];
  /** Whose App Home someone sees. */
  readonly chosen: (userId: string) => Promise<string>;
}

/**
 * Hands a delivery to its program, as the program wrote it.
 *
 * @param programs those that this process serves.
 * @returns the bodies that the listeners got; empty when the program is gone or another process serves it.
 */
export async function deliver(
  event: ReceiverEvent,
  programs: readonly SlackProgram[],
  { all, chosen }: WhichProgram,
): Promise<object[]> {
  const found = programOfDelivery(event.body, all);
  if (found === 'gone') return [];
  const own = found === 'chosen' ? { name: await chosen(openedBy(event.body) ?? '') } : found;
  const its = programs.filter(({ name }) => own === 'all' || name === own.name);
  // Workspace events go to all programs, and each acknowledges them, but Bolt accepts only one acknowledgement.
  let isAcknowledged = false;
  return await Promise.all(
    its.map(async ({ name, processEvent, inside }) => {
      const body = unmark(name, event.body);
      const ack: ReceiverEvent['ack'] = async (answer) => {
        if (isAcknowledged && its.length > 1) return;
        isAcknowledged = true;
        await event.ack(markAnswer(name, answer) as typeof answer);
      };
      await inside(() => processEvent({ ...event, body, ack }));
      return body;
    }),
  );
}

/** Who opened App Home. Null for any other delivery. */
export function openedBy({ event }: Readonly<Record<string, unknown>>): string | null {
  return isRecord(event) && event.type === 'app_home_opened' && typeof event.user === 'string' ? event.user : null;
}
