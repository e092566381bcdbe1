import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { contentId } from '../core/content-id.ts';
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
  /** UTC ISO 8601. */
  readonly askedAt: string;
  readonly origin: {
    readonly channel: string;
    readonly threadTs?: string | undefined;
    /** The sealed `response_url`; null when there is none. */
    readonly reply: string | null;
    /** The answer replaces the message in which something was pressed. */
    readonly replace: boolean;
    /** They no longer wait there. */
    readonly isDirect?: true | undefined;
    /** The open form that shows the answer. */
    readonly view?: { readonly viewId: string; readonly hash: string } | undefined;
  };
}

interface Deps {
  readonly slack: Pick<Slack, 'updateView' | 'postEphemeral'>;
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  readonly respond: Respond;
  readonly seal: Seal;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Answers the person who asked, where they asked: in their open form, else through the `response_url`, else as an
 * ephemeral message in the channel, else in a direct message.
 *
 * Slack accepts an ephemeral message for someone who is away and drops it, so a late answer is a direct message. It also
 * replaces a question, if that is still there, so that nobody presses its button again.
 *
 * Slack's errors are not thrown: the action is on record, and repeating it because of a lost answer would be worse.
 */
export function createAnswer(deps: Deps): (asked: Asked, message: Message, options?: AnswerOptions) => Promise<void> {
  const { slack, respond, seal, log } = deps;
  return async function answer(asked, message, { isOnlyThere = false } = {}) {
    const { origin, actor } = asked;
    const { view } = origin;
    const url = origin.reply === null ? null : seal.open(origin.reply);
    const isLate = deps.now().getTime() - Date.parse(asked.askedAt) > WAITS_MS;
    const isOnlyInPlace = isLate || isOnlyThere;
    const inForm = view === undefined ? [] : [() => slack.updateView(view, answerView(message))];
    const byUrl = url === null ? [] : [() => respond(url, message, { replaceOriginal: origin.replace })];
    const ephemeral = () => slack.postEphemeral(origin.channel, actor.userId, message, origin.threadTs);
    const worked = async (ways: readonly (() => Promise<unknown>)[]): Promise<boolean> => {
      for (const way of ways) {
        try {
          await way();
          return true;
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          log.warn({ err: error, actionId: asked.id }, 'could not deliver an answer; trying another way');
        }
      }
      return false;
    };
    if (origin.isDirect !== true) {
      if (await worked(isOnlyInPlace ? inForm : [...inForm, ...byUrl, ephemeral])) return;
      if (isOnlyInPlace && origin.replace) await worked(byUrl);
    }
    if (!isOnlyThere) await deps.notifyDirectly(actor.userId, asked.id, message);
  };
}

export interface AnswerOptions {
  /** No news: it belongs in the open form or in place of a question, or else nowhere. */
  readonly isOnlyThere?: boolean;
}

type Posting = Pick<Slack, 'postEphemeral' | 'openDirect' | 'post'>;

/**
 * An answer in the channel, else in a direct message: a click in App Home has no channel, and Cardbell may not be in the
 * channel where a form was opened.
 */
export function createPostEphemeral(slack: Posting): Slack['postEphemeral'] {
  return async (channel, userId, message, threadTs) => {
    try {
      if (channel !== userId) return await slack.postEphemeral(channel, userId, message, threadTs);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
    }
    await slack.post(await slack.openDirect(userId), message, contentId('m_', [userId, randomUUID()]));
  };
}

/** An answer in the form that waits for it. */
export function answerView({ blocks }: Message): ModalView {
  const text = (words: string) => ({ type: 'plain_text', text: words }) as const;
  return { type: 'modal', title: text('Card'), close: text('Back'), blocks: blocks.slice(0, limits.VIEW_BLOCKS_MAX) };
}

/** How long a person is taken to wait for an answer. */
const WAITS_MS = 2 * 60_000;
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
