import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

interface Deps {
  readonly temporaryChanges: TemporaryChanges;
  readonly render: (temporaryChange: TemporaryChange) => Promise<Message>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly log: Log;
}

/**
 * Brings the messages of a temporary change up to date with how it stands. Safe to repeat.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateTemporaryChange(
  temporaryChangeId: string,
  { temporaryChanges, render, update, log }: Deps,
): Promise<void> {
  const temporaryChange = await temporaryChanges.get(temporaryChangeId);
  // Not posted yet: whoever posts it brings it up to date.
  for (const ref of temporaryChange?.refs ?? []) {
    try {
      await update(ref, await render(temporaryChange as TemporaryChange));
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      log.warn(
        { temporaryChangeId, slackError: error.slackError },
        'message of a temporary change could not be updated',
      );
    }
  }
}
