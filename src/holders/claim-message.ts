import { claimRequest } from '../../templates/holders/claim-request.ts';
import type { CardFacts } from '../alerts/alert.ts';
import type { Message } from '../slack/message.ts';
import type { Claim } from './claim-store.ts';

/** The message of a claim, as it stands now. @param factsOf what is known of an account's card. */
export async function claimMessage(claim: Claim, factsOf: (acctId: number) => Promise<CardFacts>): Promise<Message> {
  const { id, action, acctIds, acctId, state, decidedBy, decidedAt, expiresAt } = claim;
  const { target, actor, askedAt } = action;
  return claimRequest({
    value: id,
    claimedBy: actor.userId,
    claimedAt: askedAt,
    query: target.kind === 'words' ? target.words.join(' ') : 'of a message',
    cards: await Promise.all(acctIds.map(factsOf)),
    state,
    confirmed: acctId === null ? null : await factsOf(acctId),
    decidedBy,
    until: decidedAt ?? expiresAt,
  });
}
