import { SlackError } from '../errors.ts';
import type { Message } from './message.ts';

const TIMEOUT_MS = 5000;

/** Answers to a command or a click over its `response_url`: five uses within 30 minutes. */
export type Respond = (
  responseUrl: string,
  message: Message,
  options?: {
    /** Change the message that the click came from instead of adding one. */
    replaceOriginal?: boolean;
  },
) => Promise<void>;

/**
 * Only the person who asked sees the answer.
 *
 * @throws SlackError `refused` when the address has run out, `unknown` when nobody answered.
 */
export function createRespond(options: { fetch?: typeof fetch } = {}): Respond {
  const send = options.fetch ?? fetch;

  return async function respond(responseUrl, message, { replaceOriginal = false } = {}) {
    let response: Response;
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
    } catch (cause) {
      throw new SlackError('response_url', 'unknown', 'no_answer', { cause });
    }
    await response.body?.cancel();
    if (!response.ok) {
      throw new SlackError('response_url', response.status >= 500 ? 'unknown' : 'refused', `http_${response.status}`);
    }
  };
}
