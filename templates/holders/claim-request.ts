import type { KnownBlock } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { decisionOf } from '../../src/core/decided-record.ts';
import type { Claim, ClaimedCard } from '../../src/holders/claim-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, escapeUntrusted, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';

/** A claim to hold a card, or to hold it no longer. */
export interface ClaimFacts extends Pick<ClaimedCard, 'isSameName' | 'isSameEmail'> {
  readonly claim: Claim;
  readonly card: CardFacts;
  /** Opaque id: the value of *Confirm*. */
  readonly value: string;
  /** Slack user who is linked to it now; null: nobody. */
  readonly heldBy: string | null;
  /** They were linked since the former link was claimed to be over. Confirming that changes nothing. Absent: no. */
  readonly isLinkedSince?: boolean;
}

const titles: Readonly<Record<Claim['state'], string>> = {
  open: 'Whose card is this?',
  confirmed: 'Card linked',
  refused: 'Claim refused',
  expired: 'Claim expired',
};

const unlinkTitles: typeof titles = { ...titles, open: 'Unlink this card?', confirmed: 'Claim confirmed' };

/** Someone claims to hold a card, or to hold it no longer, and an approver decides. */
export function claimRequest(request: ClaimFacts): Message {
  const { state, action, expiresAt } = request.claim;
  const isUnlink = action.verb === 'unlink';
  const what = claimWords(request);
  const held = `${cardOfHolder(request.card)}: ${heldWords(request)}`;
  const advice = `${whyAsked(request.claim)}Confirm only what you know.`;
  const isOpen = state === 'open';
  const title = isUnlink ? unlinkTitles[state] : titles[state];

  return {
    text: sentence(`${title}${isOpen ? '' : ':'} ${what}. ${isOpen ? `${held} ${advice}` : outcome(request)}`),
    blocks: [
      header(title),
      section(`*${what}.*`, isOpen ? advice : outcome(request)),
      ...(isOpen ? claimBlocks(request) : []),
      ...context(
        dateAfter('Asked', action.askedAt),
        isOpen ? `${dateAfter('Expires', expiresAt)}. Nobody confirms their own claim.` : null,
      ),
    ],
  };
}

/** The card with its current holder, *Confirm* and *Refuse*. */
export function claimBlocks(request: ClaimFacts): KnownBlock[] {
  const { claim, card, value } = request;
  const label = `Confirm ${cardOfHolderRaw(card)}`;
  return [
    {
      ...section(`*${cardOfHolder(card)}*`, escapeUntrusted(card.group ?? '', 80), heldWords(request)),
      accessory: button({ text: 'Confirm', action: actionId.confirmClaim, value, label }),
    },
    ...actions(button({ text: 'Refuse', action: actionId.refuseClaim, value: claim.id, style: 'danger' })),
  ];
}

function whyAsked({ action, card }: Claim): string {
  if (action.verb !== 'unlink') return '';
  return card.linkOf === undefined
    ? 'Nobody can unlink their own card without an approver. '
    : `It may be ${mention(action.actor.userId)}’s own card, so somebody else decides. `;
}

/** `@Sam says card 5072 is theirs`, `… card of account 610001 …`, `… is not @Bob’s`. */
export function claimWords({ claim, card }: ClaimFacts): string {
  const { verb, actor } = claim.action;
  const { linkOf } = claim.card;
  const notTheirs = linkOf === undefined ? 'no longer theirs' : `not ${mention(linkOf)}’s`;
  return `${mention(actor.userId)} says ${cardName(card)} is ${verb === 'unlink' ? notTheirs : 'theirs'}`;
}

/** Who would lose the card, and whether name and email support the claim. */
function heldWords({ claim, heldBy, isLinkedSince, isSameName, isSameEmail }: ClaimFacts): string {
  const { verb, actor } = claim.action;
  if (verb === 'unlink' && heldBy !== null) {
    const now = heldBy === actor.userId ? 'now.' : 'now, who would be unlinked.';
    return `Linked to ${mention(heldBy)} ${isLinkedSince ? 'since then, and that stays.' : now}`;
  }
  if (verb === 'unlink') return 'Not linked to anyone.';
  const held =
    heldBy === null
      ? 'Not linked to anyone.'
      : heldBy === actor.userId
        ? 'Already linked to them.'
        : `Linked to ${mention(heldBy)} now, who would be unlinked.`;
  // First, because after the holder's name “their” would be the holder's.
  return `${comparedWords('name', isSameName)} ${comparedWords('email', isSameEmail)} ${held}`;
}

function comparedWords(what: 'name' | 'email', isSame: boolean | null): string {
  if (isSame === null) return `No ${what} to compare.`;
  return `Their Slack ${what} ${isSame ? 'matches' : 'doesn’t match'} the cardholder’s.`;
}

function outcome({ claim, card }: ClaimFacts): string {
  const { action, expiresAt } = claim;
  const decision = decisionOf(claim);
  const by = decision === null ? '' : ` by ${mention(decision.by)}`;
  const when = dateAfter(',', decision?.at ?? expiresAt);
  if (claim.state === 'confirmed') {
    const holds = action.verb === 'unlink' ? 'no longer holds' : 'holds';
    return `Confirmed${by}${when}: ${mention(claim.card.linkOf ?? action.actor.userId)} ${holds} ${cardOfHolder(card)}.`;
  }
  if (claim.state === 'refused') return `Refused${by}${when}. Nothing changed.`;
  return `Nobody decided in time: ${dateAfter('it expired', expiresAt)}. Nothing changed.`;
}
