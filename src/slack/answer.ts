import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Seal } from '../core/seal.ts';
import type { Slack } from './client.ts';
import type { Message } from './message.ts';
import type { Respond } from './respond.ts';

/** Who asked for something, and where. */
interface Asked {
  readonly id: string;
  readonly actor: { readonly userId: string };
  readonly origin: {
    readonly channel: string;
    /** The sealed `response_url`; null when there is none. */
    readonly reply: string | null;
    /** The answer takes the place of the message in which something was pressed. */
    readonly replace: boolean;
  };
}

interface Deps {
  readonly slack: Pick<Slack, 'postEphemeral' | 'openDirect' | 'post'>;
  readonly respond: Respond;
  readonly seal: Seal;
  readonly log: Log;
}

/**
 * Answers the person who asked, where they asked: over the `response_url`, else as an ephemeral message in the channel,
 * else directly. Never throws: what was done is on record, and doing it again because of a lost answer would be worse.
 */
export function createAnswer({ slack, respond, seal, log }: Deps): (asked: Asked, message: Message) => Promise<void> {
  return async function answer(asked, message) {
    const { origin, actor } = asked;
    const url = origin.reply === null ? null : seal.open(origin.reply);
    const ways: (() => Promise<unknown>)[] = [
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
        log.warn({ err: error, actionId: asked.id }, 'answer did not get through, trying another way');
      }
    }
    log.error({ actionId: asked.id }, 'the person could not be answered');
  };
}
