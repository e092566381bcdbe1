import { claimRequest } from '../../templates/holders/claim-request.ts';
import type { CardFacts } from '../alerts/alert.ts';
import type { Message } from '../slack/message.ts';
import type { Claim } from './claim-store.ts';

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
