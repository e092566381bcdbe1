import type { ModalView } from '@slack/types';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Seal } from '../core/seal.ts';
import type { Slack } from './client.ts';
import * as limits from './limits.ts';
import type { Message } from './message.ts';

/** Who asked for something, and where. */
interface Asked {
  readonly id: string;
  readonly actor: { readonly userId: string };
  readonly origin: {
    readonly channel: string;
    /** The sealed `response_url`; null when there is none. */
    readonly reply: string | null;
    /** The answer replaces the message in which something was pressed. */
    readonly replace: boolean;
    /** The open form that shows the answer. */
    readonly view?: { readonly viewId: string; readonly hash: string } | undefined;
  };
}

interface Deps {
  readonly slack: Pick<Slack, 'updateView' | 'postEphemeral' | 'openDirect' | 'post'>;
  readonly respond: Respond;
  readonly seal: Seal;
  readonly log: Log;
}

/**
 * Answers the person who asked, where they asked: in their open form, else through the `response_url`, else as an
 * ephemeral message in the channel, else in a direct message. Never throws: the action is on record, and repeating it
 * because of a lost answer would be worse.
 */
export function createAnswer({ slack, respond, seal, log }: Deps): (asked: Asked, message: Message) => Promise<void> {
  return async function answer(asked, message) {
    const { origin, actor } = asked;
    const url = origin.reply === null ? null : seal.open(origin.reply);
    const { view } = origin;
    const ways: (() => Promise<unknown>)[] = [
      ...(view === undefined ? [] : [() => slack.updateView(view, viewOf(message))]),
      ...(url === null ? [] : [() => respond(url, message, { replaceOriginal: origin.replace })]),
      () => slack.postEphemeral(origin.channel, actor.userId, message),
      async () => slack.post(await slack.openDirect(actor.userId), message, asked.id),
    ];
    for (const way of ways) {
      try {
        await way();
        return;
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        log.warn({ err: error, actionId: asked.id }, 'could not deliver an answer; trying another way');
      }
    }
    log.error({ actionId: asked.id }, 'could not answer the person');
  };
}

function viewOf({ blocks }: Message): ModalView {
  const text = (words: string) => ({ type: 'plain_text', text: words }) as const;
  return { type: 'modal', title: text('Card'), close: text('Back'), blocks: blocks.slice(0, limits.VIEW_BLOCKS_MAX) };
}

const TIMEOUT_MS = 5000;

/** Answers a command or a click through its `response_url`: up to five times within 30 minutes. */
export type Respond = (
  responseUrl: string,
  message: Message,
  options?: {
    /** Change the message that was clicked instead of adding a new one. */
    replaceOriginal?: boolean;
  },
) => Promise<void>;

/**
 * Only the person who asked sees the answer.
 *
 * @throws SlackError `refused` when the URL has expired, `unknown` when there was no response.
 */
export function createRespond(options: { fetch?: typeof fetch } = {}): Respond {
  const send = options.fetch ?? fetch;

  return async function respond(responseUrl, message, { replaceOriginal = false } = {}) {
    let response: Response;
    let answer: string;
    try {
      response = await send(responseUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({
          response_type: 'ephemeral',
          replace_original: replaceOriginal,
          text: message.text,
          blocks: message.blocks,
        }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer = await response.text();
    } catch (cause) {
      throw new SlackError('response_url', 'unknown', 'no_answer', { cause });
    }
    if (!response.ok) {
      throw new SlackError('response_url', response.status >= 500 ? 'unknown' : 'refused', `http_${response.status}`);
    }
    // Slack also refuses with a 200.
    const code = /"ok":\s*false.*?"error":\s*"(\w{1,60})"/s.exec(answer)?.[1];
    if (code !== undefined) throw new SlackError('response_url', 'refused', code);
  };
}
