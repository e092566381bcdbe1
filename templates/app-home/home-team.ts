import type { KnownBlock } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { activateButton } from '../actions/card-buttons.ts';
import { actions, button, header, section } from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw, holderName } from '../core/card-words.ts';
import { declineLine, type ShownDecline } from '../directory/card-show.ts';
import { claimWords } from '../holders/claim-request.ts';
import { type HealthFacts, homeHealth } from './home-health.ts';
import {
  homeMutes,
  homeRequests,
  homeTemporaryChanges,
  more,
  type OpenMute,
  type OpenTemporaryChange,
  type WaitingRequest,
} from './home-waiting.ts';

/** "I hold this card", or no longer, waiting for an approver. */
export interface WaitingClaim {
  /** Opaque id of the claim. */
  readonly value: string;
  readonly claimedBy: string;
  readonly claimedAt: string;
  readonly isUnlink: boolean;
  /** The cards that it can mean. */
  readonly cards: readonly CardFacts[];
}

export interface TeamFacts {
  /** Approvers decide; operators see what waits. */
  readonly isApprover: boolean;
  readonly requests: readonly WaitingRequest[];
  readonly claims: readonly WaitingClaim[];
  /** Soonest end first. */
  readonly temporaryChanges: readonly OpenTemporaryChange[];
  readonly mutes: readonly OpenMute[];
  /** Declines of all cards, newest first. */
  readonly declines: readonly (ShownDecline & { readonly card: CardFacts })[];
  /** Cards that nobody has activated yet. */
  readonly inactive: readonly { readonly card: CardFacts; readonly value: string }[];
  readonly health: HealthFacts;
}

const CLAIMS_MAX = 4;
const CARDS_OF_CLAIM_MAX = 3;
const DECLINES_MAX = 10;
const INACTIVE_MAX = 5;

/** What waits for those who run the program, and how things stand. */
export function homeTeam(facts: TeamFacts): KnownBlock[] {
  const { requests, temporaryChanges, mutes, health } = facts;
  return [
    ...homeRequests(requests),
    ...homeClaims(facts),
    ...homeTemporaryChanges(temporaryChanges),
    ...homeMutes(mutes),
    ...homeDeclines(facts),
    ...homeInactive(facts),
    ...homeHealth(health),
  ];
}

function homeClaims({ claims, isApprover }: TeamFacts): KnownBlock[] {
  if (claims.length === 0) return [];
  return [
    header('Whose card is this?'),
    ...claims.slice(0, CLAIMS_MAX).flatMap(({ value, claimedBy, claimedAt, isUnlink, cards }): KnownBlock[] => [
      section(
        `*${claimWords({ claimedBy, isUnlink, cards: cards.map((card) => ({ card })) })}* · ${dateToken(claimedAt)}`,
      ),
      ...(isApprover
        ? [
            ...cards.slice(0, CARDS_OF_CLAIM_MAX).map((card, index) => ({
              ...section(cardOfHolder(card)),
              accessory: button({
                text: 'Confirm',
                action: actionId.confirmClaim,
                value: `${value}.${index}`,
                label: `Confirm ${cardOfHolderRaw(card)}`,
              }),
            })),
            ...actions(button({ text: 'Refuse', action: actionId.refuseClaim, value, style: 'danger' })),
          ]
        : []),
    ]),
    ...more(claims.length - CLAIMS_MAX, 'claims in the channel for requests'),
  ];
}

function homeDeclines({ declines }: TeamFacts): KnownBlock[] {
  return [
    header('Declined lately'),
    section(
      ...declines
        .slice(0, DECLINES_MAX)
        .map(({ card, ...decline }) => `${declineLine(decline, { place: 'private' })} · ${holderName(card)}`),
      declines.length === 0 ? 'Nothing was declined lately.' : null,
    ),
  ];
}

function homeInactive({ inactive }: TeamFacts): KnownBlock[] {
  if (inactive.length === 0) return [];
  return [
    header('Waiting to be activated'),
    ...inactive.slice(0, INACTIVE_MAX).map(({ card, value }) => ({
      ...section(cardOfHolder(card)),
      accessory: activateButton({ value, card }, actionId.homeActivate),
    })),
    ...more(inactive.length - INACTIVE_MAX, 'cards'),
  ];
}
