import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { Lease, Leases } from './temporary-change-store.ts';

interface Deps {
  readonly leases: Leases;
  readonly render: (lease: Lease) => Promise<Message>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly log: Log;
}

/**
 * Brings the messages of a temporary change up to date with how it stands. Safe to repeat.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateLease(leaseId: string, { leases, render, update, log }: Deps): Promise<void> {
  const lease = await leases.get(leaseId);
  // Not posted yet: whoever posts it brings it up to date.
  for (const ref of lease?.refs ?? []) {
    try {
      await update(ref, await render(lease as Lease));
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      log.warn({ leaseId, slackError: error.slackError }, 'message of a temporary change could not be updated');
    }
  }
}
