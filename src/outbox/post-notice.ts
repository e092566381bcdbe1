import type { Message } from '../slack/message.ts';
import type { Outbox } from './outbox-store.ts';

/**
 * Puts a message into a channel's outbox; the id makes repeating it nothing.
 *
 * @param priority how long others may go before it.
 */
export type PostNotice = (
  channel: string,
  id: string,
  message: Message,
  priority?: 'record' | 'request',
) => Promise<void>;

interface Deps {
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
}

export function createPostNotice({ outbox, wakeOutbox }: Deps): PostNotice {
  return async (channel, id, message, priority = 'record') => {
    await outbox.put(channel, { kind: 'notice', id, message: asKept(message), priority });
    await wakeOutbox(channel);
  };
}

/** As an outbox keeps it: of its own. */
export function asKept({ text, blocks }: Message) {
  return { text, blocks: [...blocks] };
}
