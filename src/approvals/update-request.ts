import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { LimitRequest, Requests } from './request-store.ts';

interface Deps {
  readonly requests: Requests;
  readonly render: (request: LimitRequest) => Promise<Message>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly log: Log;
}

/**
 * Brings the message of a request up to date with what was decided. Safe to repeat.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateRequest(requestId: string, { requests, render, update, log }: Deps): Promise<void> {
  const request = await requests.get(requestId);
  // Not posted yet: whoever posts it brings it up to date.
  if (request === null || request.ref === null) return;
  try {
    await update(request.ref, await render(request));
  } catch (error) {
    if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
    log.warn({ requestId, slackError: error.slackError }, 'message of a request could not be updated');
  }
}
