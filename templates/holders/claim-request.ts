import type { Button, SectionBlock } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { decisionOf } from '../../src/core/decided-record.ts';
import type { Claim } from '../../src/holders/claim-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, escapeUntrusted, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';

/** A card the claim may refer to. */
interface ClaimedCard {
  /** Opaque id: the value of *Confirm*. */
  readonly choice: string;
  readonly card: CardFacts;
  /** Slack user who is linked to it now; null: nobody. */
  readonly heldBy: string | null;
  /** They were linked since the former link was claimed to be over. Confirming that changes nothing. Absent: no. */
  readonly isLinkedSince?: boolean;
  /** Whether the claimant's Slack profile has the holder's name and email address. Null: one of the two is not known. */
  readonly isSameName: boolean | null;
  readonly isSameEmail: boolean | null;
}

/** A claim to hold a card, or to hold it no longer, with the cards that the readers see. */
export interface ClaimFacts {
  readonly claim: Claim;
  readonly cards: readonly ClaimedCard[];
  /** False: it may also mean cards that only other approvers decide about and see. Then nobody refuses it here. */
  readonly isWhole: boolean;
}

const titles: Readonly<Record<Claim['state'], string>> = {
  open: 'Whose card is this?',
  confirmed: 'Card linked',
  refused: 'Claim refused',
  expired: 'Claim expired',
};

const unlinkTitles: typeof titles = { ...titles, open: 'Unlink this card?', confirmed: 'Card unlinked' };

/** Someone claims to hold a card, or to hold it no longer, and an approver decides. */
export function claimRequest(request: ClaimFacts): Message {
  const { state, action, expiresAt } = request.claim;
  const isUnlink = action.verb === 'unlink';
  const what = claimWords(request);
  const held = request.cards.map((one) => `${cardOfHolder(one.card)}: ${heldWords(one, action)}`);
  const whyAsked = isUnlink ? 'Nobody can unlink their own card without an approver. ' : '';
  const advice = `${whyAsked}Confirm only what you know.`;
  const isOpen = state === 'open';
  const title = isUnlink ? unlinkTitles[state] : titles[state];

  return {
    text: sentence(`${title}${isOpen ? '' : ':'} ${what}. ${isOpen ? [...held, advice].join(' ') : outcome(request)}`),
    blocks: [
      header(title),
      section(`*${what}.*`, isOpen ? advice : outcome(request)),
      ...(isOpen ? [...claimedCards(request), ...actions(refuseButton(request))] : []),
      ...context(
        dateAfter('Asked', action.askedAt),
        isOpen ? `${dateAfter('Expires', expiresAt)}. Nobody confirms their own claim.` : null,
        isOpen ? whyNotRefuse(request) : null,
      ),
    ],
  };
}

/** Each card with its current holder and *Confirm*. */
export function claimedCards({ claim, cards }: ClaimFacts): SectionBlock[] {
  return cards.map(({ card, choice, ...claimed }) => ({
    ...section(`*${cardOfHolder(card)}*`, escapeUntrusted(card.group ?? '', 80), heldWords(claimed, claim.action)),
    accessory: button({
      text: 'Confirm',
      action: actionId.confirmClaim,
      value: choice,
      label: `Confirm ${cardOfHolderRaw(card)}`,
    }),
  }));
}

export function refuseButton({ claim, isWhole }: ClaimFacts): Button | null {
  return isWhole ? button({ text: 'Refuse', action: actionId.refuseClaim, value: claim.id, style: 'danger' }) : null;
}

/** Null when it can be refused here. */
export function whyNotRefuse({ isWhole }: ClaimFacts): string | null {
  if (isWhole) return null;
  return 'Approvers of other cards were asked, too. If it is none of these, leave it to them.';
}

/** `@Sam says card 5072 is theirs`, `… card of account 610001 …`. */
export function claimWords({ claim, cards }: ClaimFacts): string {
  const { verb, actor } = claim.action;
  const names = [...new Set(cards.map(({ card }) => cardName(card)))];
  const which = names.length > 1 ? `one of ${names.join(', ')}` : (names[0] ?? 'a card');
  return `${mention(actor.userId)} says ${which} is ${verb === 'unlink' ? 'no longer theirs' : 'theirs'}`;
}

/** Who would lose the card, and whether name and email support the claim. */
function heldWords(
  { heldBy, isLinkedSince, isSameName, isSameEmail }: Omit<ClaimedCard, 'choice' | 'card'>,
  { verb, actor }: Claim['action'],
): string {
  if (verb === 'unlink' && heldBy !== null)
    return `Linked to ${mention(heldBy)} ${isLinkedSince ? 'since then, and that stays.' : 'now.'}`;
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

function outcome({ claim, cards }: ClaimFacts): string {
  const { action, expiresAt } = claim;
  const decision = decisionOf(claim);
  const by = decision === null ? '' : ` by ${mention(decision.by)}`;
  const when = dateAfter(',', decision?.at ?? expiresAt);
  if (claim.state === 'confirmed') {
    const holds = action.verb === 'unlink' ? 'no longer holds' : 'holds';
    // The readers may not see the confirmed card.
    const confirmed = cards.find(({ card }) => card.acctId === claim.acctId)?.card;
    const card = confirmed === undefined ? 'another card' : cardOfHolder(confirmed);
    return `Confirmed${by}${when}: ${mention(action.actor.userId)} ${holds} ${card}.`;
  }
  if (claim.state === 'refused') return `Refused${by}${when}. Nothing changed.`;
  return `Nobody decided in time: ${dateAfter('it expired', expiresAt)}. Nothing changed.`;
}
