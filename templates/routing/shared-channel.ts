import type { Alert } from '../../src/alerts/alert.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { context, section, textMessage } from '../core/blocks.ts';

/** Replaces a message whose channel was shared after it was posted. */
export function notShownHere(): Message {
  return textMessage('This message is no longer shown, because this channel is shared with another company.');
}

/** All that people of another company may see: that something happened, and how our own people find it. */
export function shared({ event }: Alert): Message {
  const what = 'There is news about a card.';
  const why = 'It is not shown here, because this channel is shared with another company.';
  return {
    text: `${what} ${why}`,
    blocks: [
      section(`*${what}* ${why}`, `Operators see it with ${commandCode(`why ${event.id}`)}.`),
      ...context(event.id),
    ],
  };
}
