import type { KnownBlock } from '@slack/types';
import { type HomePages, listPage } from '../../src/app-home/home-page.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { activateButton } from '../actions/card-buttons.ts';
import { header, section } from '../core/blocks.ts';
import { cardOfHolder, shortCard } from '../core/card-words.ts';
import { declineLine, type ShownDecline } from '../directory/card-show.ts';
import { type ClaimFacts, claimBlocks, claimWords } from '../holders/claim-request.ts';
import { type HealthFacts, homeHealth } from './home-health.ts';
import { homeList } from './home-list.ts';
import {
  homeMutes,
  homeRequests,
  homeTemporaryChanges,
  type OpenMute,
  type OpenTemporaryChange,
  type WaitingRequest,
} from './home-waiting.ts';

/** A claim. Whoever may not decide about its card sees it without buttons. */
export interface WaitingClaim extends ClaimFacts {
  readonly mayDecide: boolean;
}

export interface TeamFacts {
  /** Approvers decide. Operators only see what waits. */
  readonly isApprover: boolean;
  readonly requests: readonly WaitingRequest[];
  readonly claims: readonly WaitingClaim[];
  /** Soonest end first. */
  readonly temporaryChanges: readonly OpenTemporaryChange[];
  readonly mutes: readonly OpenMute[];
  /** Declines of all cards, newest first. */
  readonly declines: readonly (ShownDecline & { readonly card: CardFacts })[];
  /** Cards that wait to be activated, at most {@link INACTIVE_MAX}. */
  readonly inactive: readonly { readonly card: CardFacts; readonly value: string }[];
  readonly health: HealthFacts;
}

const CLAIMS_SHOWN = 3;
const DECLINES_SHOWN = 10;
const INACTIVE_SHOWN = 5;
/** How many are read, so that one App Home does not read all of a large program. */
export const DECLINES_MAX = 50;
export const INACTIVE_MAX = 200;

/** Everything that waits for the team, and the state of the program. */
export function homeTeam(facts: TeamFacts, pages: HomePages): KnownBlock[] {
  const { requests, temporaryChanges, mutes, health } = facts;
  return [
    ...homeRequests(requests, pages),
    ...homeClaims(facts, pages),
    ...homeTemporaryChanges(temporaryChanges, pages),
    ...homeMutes(mutes, pages),
    ...homeDeclines(facts, pages),
    ...homeInactive(facts, pages),
    ...homeHealth(health),
  ];
}

function homeClaims({ claims }: TeamFacts, pages: HomePages): KnownBlock[] {
  const page = listPage(claims, pages.claims ?? 1, CLAIMS_SHOWN);
  return homeList({ list: 'claims', title: 'Whose card is this?', ...page }, (shown) =>
    shown.flatMap((claim): KnownBlock[] => [
      section(`*${claimWords(claim)}* · ${dateToken(claim.claim.action.askedAt)}`),
      ...(claim.mayDecide ? claimBlocks(claim) : []),
    ]),
  );
}

function homeDeclines({ declines }: TeamFacts, pages: HomePages): KnownBlock[] {
  if (declines.length === 0) return [header('Recent declines'), section('No recent declines among my alerts.')];
  const page = listPage(declines, pages.declines ?? 1, DECLINES_SHOWN);
  return homeList(
    { list: 'declines', title: 'Recent declines', ...page, isWhole: declines.length < DECLINES_MAX },
    (shown) => [
      section(
        ...shown.map(({ card, ...decline }) => `${declineLine(decline, { place: 'private' })} · ${shortCard(card)}`),
      ),
    ],
  );
}

function homeInactive({ inactive }: TeamFacts, pages: HomePages): KnownBlock[] {
  const page = listPage(inactive, pages.inactive ?? 1, INACTIVE_SHOWN);
  const isWhole = inactive.length < INACTIVE_MAX;
  return homeList({ list: 'inactive', title: 'Waiting to be activated', ...page, isWhole }, (shown) =>
    shown.map(({ card, value }) => ({
      ...section(cardOfHolder(card)),
      accessory: activateButton({ value, card }, actionId.homeActivate),
    })),
  );
}
