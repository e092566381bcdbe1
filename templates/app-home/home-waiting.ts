import type { KnownBlock } from '@slack/types';
import type { RuleChange } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { formatDuration } from '../../src/core/duration.ts';
import { moveWords, ruleNames } from '../../src/limits/rule-words.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, header, outside, RULES_MAX, section } from '../core/blocks.ts';
import { capital, cardHandle, cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { revertButton } from '../limits/temporary-change.ts';

/** A wish that others have to say yes to. */
export interface WaitingRequest {
  /** Opaque id of the request. */
  readonly value: string;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  readonly reason: string;
  readonly approvals: number;
  readonly needed: number;
  /** False for what the person asked for, approved already, or may not decide. */
  readonly mayDecide: boolean;
}

/** A temporary change of a card's rules. */
export interface OpenRaise {
  /** Opaque id of the temporary change. */
  readonly value: string;
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  readonly by: string;
  readonly endsAt: string;
  /** How long it still lasts; zero or less: its time is over, and people are asked. */
  readonly leftMs: number;
}

/** A card that is quiet for a while, or expected abroad. */
export interface OpenMute {
  readonly card: CardFacts;
  readonly isTravel: boolean;
  readonly by: string;
  readonly reason: string;
  readonly endsAt: string;
}

const REQUESTS_MAX = 8;
const RECENT_RAISES_MAX = 8;
const MUTES_MAX = 10;
const MINUTE_MS = 60_000;

export function homeRequests(requests: readonly WaitingRequest[]): KnownBlock[] {
  if (requests.length === 0) return [];
  return [
    header('Requests waiting'),
    ...requests
      .slice(0, REQUESTS_MAX)
      .flatMap((request): KnownBlock[] => [
        section(
          `*${mention(request.askedBy)}: ${outside(ruleNames(request.changes), RULES_MAX)} of ${cardOfHolder(request.card)}, ${moved(request)}*`,
          `Reason: ${outside(request.reason, 200) || 'none given'} · ${request.approvals} of ${request.needed} · ${dateAfter('asked', request.askedAt)}`,
        ),
        ...(request.mayDecide ? actions(...decideButtons(request)) : []),
      ]),
    ...more(requests.length - REQUESTS_MAX, 'requests in the channel for requests'),
  ];
}

function decideButtons({ value, card }: WaitingRequest) {
  const name = cardOfHolderRaw(card);
  return [
    button({
      text: 'Approve',
      action: actionId.decideRequestApprove,
      value,
      style: 'primary',
      label: `Approve the request for ${name}`,
    }),
    button({
      text: 'Deny',
      action: actionId.decideRequestDeny,
      value,
      style: 'danger',
      label: `Deny the request for ${name}`,
    }),
  ];
}

/** @param mayTakeBack approvers end them early, operators look. */
export function homeRaises(recentRaises: readonly OpenRaise[], mayTakeBack: boolean): KnownBlock[] {
  if (recentRaises.length === 0) return [];
  return [
    header('Temporary changes'),
    ...recentRaises.slice(0, RECENT_RAISES_MAX).map((raise) => ({
      ...section(
        `*${capital(outside(ruleNames(raise.changes), RULES_MAX))} of ${cardOfHolder(raise.card)}, ${moved(raise)}*`,
        `${countdown(raise.leftMs)} · ${dateToken(raise.endsAt)} · by ${mention(raise.by)}`,
      ),
      ...(mayTakeBack && raise.leftMs > 0 && { accessory: revertButton(raise.value, raise.card) }),
    })),
    ...more(recentRaises.length - RECENT_RAISES_MAX, 'temporary changes'),
  ];
}

export function homeMutes(mutes: readonly OpenMute[]): KnownBlock[] {
  if (mutes.length === 0) return [];
  return [
    header('Muted cards'),
    section(
      ...mutes.slice(0, MUTES_MAX).map(({ card, isTravel, by, reason, endsAt }) => {
        const what = isTravel ? 'muted on a trip' : 'muted';
        const why = reason.trim() === '' ? '' : ` · ${outside(reason, 100)}`;
        return `• ${cardOfHolder(card)}: ${what} ${dateAfter('until', endsAt)} · by ${mention(by)}${why} · \`/card unmute ${outside(cardHandle(card), 20)}\``;
      }),
    ),
    ...more(mutes.length - MUTES_MAX, 'in `/card mutes`'),
  ];
}

/** What did not fit, said. */
export function more(count: number, what: string): KnownBlock[] {
  return context(count > 0 ? `… and ${count} more ${what}.` : null);
}

function moved({ changes }: { readonly changes: readonly RuleChange[] }): string {
  return outside(moveWords(changes), RULES_MAX);
}

/** `Goes back in 42 minutes`: as of when the page was drawn. */
function countdown(leftMs: number): string {
  if (leftMs <= 0) return 'Its time is over, somebody has to decide';
  const minutes = Math.max(1, Math.round(leftMs / MINUTE_MS));
  const rounded = minutes > 120 ? Math.round(minutes / 60) * 60 : minutes;
  return `Goes back in ${formatDuration(rounded * MINUTE_MS)}`;
}
