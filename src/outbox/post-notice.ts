import type { Queues } from '../app/queues.ts';
import type { Message } from '../slack/message.ts';
import type { Outbox } from './outbox-store.ts';

/**
 * Puts a message into a channel's outbox; the id makes repeating it nothing.
 *
 * @param requestId of the request, claim or temporary change that the message shows and that keeps it up to date.
 * @param urgency how long others may go before it.
 */
export type PostNotice = (
  channel: string,
  id: string,
  message: Message,
  requestId?: string | null,
  urgency?: 'record' | 'request',
) => Promise<void>;

interface Deps {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: Queues['flushOutbox'];
}

export function createPostNotice({ outbox, wakeOutbox }: Deps): PostNotice {
  return async (channel, id, message, requestId = null, urgency = requestId === null ? 'record' : 'request') => {
    await outbox.put(channel, { kind: 'notice', id, message: asKept(message), requestId, urgency });
    await wakeOutbox(channel);
  };
}

/** As an outbox keeps it: of its own. */
export function asKept({ text, blocks }: Message) {
  return { text, blocks: [...blocks] };
}
