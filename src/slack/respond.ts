import { SlackError } from '../core/errors.ts';
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
    // Slack also says no with a 200.
    const code = /"ok":\s*false.*?"error":\s*"(\w{1,60})"/s.exec(answer)?.[1];
    if (code !== undefined) throw new SlackError('response_url', 'refused', code);
  };
}
