import type { KnownBlock } from '@slack/types';
import { type HomePages, listPage } from '../../src/app-home/home-page.ts';
import { isAboutRules, mayBeApproved, type OpenRequest, requestValue } from '../../src/approvals/request.ts';
import type { RuleChange } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { formatRoughly } from '../../src/core/duration.ts';
import { capital } from '../../src/core/first-letter.ts';
import { ruleMoves } from '../../src/limits/rule-words.ts';
import type { Mute } from '../../src/routing/mute-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import {
  blockedCards,
  cautions,
  earlierApprovalWords,
  reasonLine,
  requestedRaw,
  requestFields,
  requestHeadline,
  requestSummary,
  temporaryWords,
} from '../approvals/request-words.ts';
import { needsWords, whyApprovals } from '../approvals/why-approvals.ts';
import { actions, button, countOf, escapeUntrusted, fields, RULES_MAX, section } from '../core/blocks.ts';
import { cardCommand, cardName, cardOfHolder } from '../core/card-words.ts';
import { mayLeaveRuleset } from '../limits/ruleset-words.ts';
import { revertButton } from '../limits/temporary-change.ts';
import { homeList } from './home-list.ts';

/** A request that waits for approval. */
export interface WaitingRequest extends OpenRequest {
  /** False when the person approved it already, by asking or later, or may not decide. */
  readonly mayDecide: boolean;
}

/** A temporary change of a card's rules. */
export interface OpenTemporaryChange {
  /** Opaque id of the temporary change. */
  readonly value: string;
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  readonly by: string;
  readonly endsAt: string;
  /** Remaining time; zero or less when it has expired and someone must decide. */
  readonly leftMs: number;
  /** Nothing has shown it yet. */
  readonly isUnconfirmed: boolean;
  /** False when *Take back now* would always be refused to the person. */
  readonly mayRevert: boolean;
}

/** A muted card, or a card expected abroad. */
export type OpenMute = Pick<Mute, 'card' | 'kind' | 'by' | 'reason' | 'endsAt'>;

const REQUESTS_SHOWN = 5;
const CHANGES_SHOWN = 8;
const MUTES_SHOWN = 10;

export function homeRequests(requests: readonly WaitingRequest[], pages: HomePages): KnownBlock[] {
  const page = listPage(requests, pages.requests ?? 1, REQUESTS_SHOWN);
  return homeList({ list: 'requests', title: 'Requests waiting', ...page }, (shown) =>
    shown.flatMap((request): KnownBlock[] => [
      section(
        `*${mention(request.action.actor.userId)} ${requestHeadline(request, ` ${cardOfHolder(request.card)}`)}*`,
        [reasonLine(request, 200), approvalsSoFar(request), dateAfter('asked', request.action.askedAt)]
          .filter((part) => part !== null)
          .join(' · '),
        temporaryWords(request),
        earlierApprovalWords(request, 'approver'),
        cautions(request, 'approver'),
        isAboutRules(request) ? mayLeaveRuleset(request.card) : null,
        whyApprovals(request, 'approver'),
      ),
      ...blockedCards(request, 1),
      ...fields(requestFields(request)),
      ...(request.mayDecide ? decideButtons(request) : []),
    ]),
  );
}

/** The person's own undecided requests. */
export function homeOwnRequests(requests: readonly WaitingRequest[], pages: HomePages): KnownBlock[] {
  const page = listPage(requests, pages['own-requests'] ?? 1, REQUESTS_SHOWN);
  return homeList({ list: 'own-requests', title: 'Your requests', ...page }, (shown) =>
    shown.map((request) => ({
      ...section(
        `• You ${requestSummary(request, ` ${whose(request)}`).replace(/^(want|ask)s/, '$1')} · ${approvalsSoFar(request)} · ${dateAfter('asked', request.action.askedAt)}`,
        temporaryWords(request),
        earlierApprovalWords(request, 'asker'),
        cautions(request, 'asker'),
        whyApprovals(request, 'asker'),
      ),
      accessory: withdrawButton(request),
    })),
  );
}

function withdrawButton(request: OpenRequest) {
  const label = `Withdraw your request for ${requestedRaw(request)}`;
  return button({ text: 'Withdraw', action: actionId.withdrawRequest, value: requestValue(request), label });
}

/** Only a card's holder says what is to be paid. */
function whose({ action, card }: OpenRequest): string {
  return action.verb === 'ask' ? `your ${cardName(card)}` : cardOfHolder(card);
}

function approvalsSoFar({ approvals, needed }: OpenRequest): string {
  if (approvals.length === 0) return needsWords(needed).toLowerCase();
  return `${approvals.length} of ${countOf(needed, 'approval')}`;
}

function decideButtons(request: OpenRequest) {
  const value = requestValue(request);
  const control = (text: string, action: string, style: 'primary' | 'danger') =>
    button({ text, action, value, style, label: `${text} the request for ${requestedRaw(request)}` });
  return actions(
    mayBeApproved(request) ? control('Approve', actionId.decideRequestApprove, 'primary') : null,
    control('Deny', actionId.decideRequestDeny, 'danger'),
  );
}

export function homeTemporaryChanges(changes: readonly OpenTemporaryChange[], pages: HomePages): KnownBlock[] {
  const page = listPage(changes, pages.changes ?? 1, CHANGES_SHOWN);
  return homeList({ list: 'changes', title: 'Temporary changes', ...page }, (shown) =>
    shown.map((raise) => ({
      ...section(
        `*${capital(escapeUntrusted(ruleMoves(raise.changes), RULES_MAX))}* · ${cardOfHolder(raise.card)}`,
        `${countdown(raise)} · by ${mention(raise.by)}`,
      ),
      ...(raise.mayRevert &&
        raise.leftMs > 0 &&
        !raise.isUnconfirmed && { accessory: revertButton(raise.value, raise.card) }),
    })),
  );
}

export function homeMutes(mutes: readonly OpenMute[], pages: HomePages): KnownBlock[] {
  const page = listPage(mutes, pages.mutes ?? 1, MUTES_SHOWN);
  return homeList({ list: 'mutes', title: 'Mutes', ...page }, (shown) => [
    section(
      ...shown.map(({ card, kind, by, reason, endsAt }) => {
        const what = kind === 'travel' ? 'declines abroad hidden' : 'muted';
        const why = reason.trim() === '' ? '' : ` · ${escapeUntrusted(reason, 100)}`;
        return `• ${cardOfHolder(card)}: ${what} ${dateAfter('until', endsAt)} · by ${mention(by)}${why} · ${cardCommand('unmute', card)}`;
      }),
    ),
  ]);
}

/** `Goes back in 42 minutes, today at 5:14 AM`: relative to when the page was rendered. */
function countdown({ leftMs, endsAt, isUnconfirmed }: OpenTemporaryChange): string {
  if (isUnconfirmed) return `Not confirmed. ${dateAfter('If the card service still makes it, it goes back', endsAt)}`;
  if (leftMs <= 0) return `${dateAfter('Was to end', endsAt)}: an approver has to decide`;
  return `Goes back in ${formatRoughly(leftMs)}${dateAfter(',', endsAt)}`;
}
