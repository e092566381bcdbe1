import { claimRequest } from '../../templates/holders/claim-request.ts';
import type { CardFacts } from '../alerts/alert.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { Claim, Claims } from './claim-store.ts';

/** The message of a claim, as it stands now. @param factsOf what is known of an account's card. */
export async function claimMessage(claim: Claim, factsOf: (acctId: number) => Promise<CardFacts>): Promise<Message> {
  const { target, actor, askedAt } = claim.action;
  const decision = 'decision' in claim ? claim.decision : null;
  return claimRequest({
    value: claim.id,
    claimedBy: actor.userId,
    claimedAt: askedAt,
    query: target.kind === 'words' ? target.words.join(' ') : 'of a message',
    cards: await Promise.all(claim.acctIds.map(factsOf)),
    state: claim.state,
    confirmed: claim.state === 'confirmed' ? await factsOf(claim.acctId) : null,
    decidedBy: decision?.by ?? null,
    until: decision?.at ?? claim.expiresAt,
  });
}

interface Deps {
  readonly claims: Pick<Claims, 'get'>;
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
