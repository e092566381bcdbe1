import type { CardFacts } from '../alerts/alert.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import { claimMessage } from './claim-message.ts';
import type { Claims } from './claim-store.ts';

interface Deps {
  readonly claims: Claims;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly log: Log;
}

/**
 * Brings the message of a claim up to date with what was decided. Safe to repeat.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateClaim(claimId: string, { claims, factsOf, update, log }: Deps): Promise<void> {
  const claim = await claims.get(claimId);
  // Not posted yet: whoever posts it brings it up to date.
  if (claim === null || claim.ref === null) return;
  try {
    await update(claim.ref, await claimMessage(claim, factsOf));
  } catch (error) {
    if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
    log.warn({ claimId, slackError: error.slackError }, 'message of a claim could not be updated');
  }
}
