import { z } from 'zod';
import { SlackError } from './errors.ts';
import type { Log } from './log.ts';
import type { Outbox } from './store/outbox.ts';
import { OutboxEntry } from './store/outbox-entry.ts';
import type { TellOps } from './tell-ops.ts';
import * as trouble from './trouble.ts';

/** Something for one person's direct messages. */
export const TellPerson = z.strictObject({ userId: z.string(), entry: OutboxEntry });
export type TellPerson = z.infer<typeof TellPerson>;

interface Deps {
  /** The direct conversation with a person. */
  readonly directChannel: (userId: string) => Promise<string>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly tellOps: TellOps;
  readonly log: Log;
}

/**
 * Puts something into the direct conversation with one person. Safe to repeat, by the entry's id.
 *
 * Somebody who cannot be written to (deactivated, the app is switched off for them) disturbs nothing else: the people
 * who run the bot hear of it once.
 *
 * @throws SlackError when trying again later can help.
 */
export async function tellPerson({ userId, entry }: TellPerson, deps: Deps): Promise<void> {
  let channel: string;
  try {
    channel = await deps.directChannel(userId);
  } catch (error) {
    if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
    deps.log.warn({ userId, slackError: error.slackError }, 'a person could not be written to');
    return await deps.tellOps(trouble.personUnreachable(userId, error));
  }
  await deps.outbox.put(channel, entry);
  await deps.wakeOutbox(channel);
}
