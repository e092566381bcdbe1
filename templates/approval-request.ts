import type { CardFacts, LimitPeriod } from '../src/alert/alert.ts';
import { formatCents } from '../src/alert/money.ts';
import { actionId } from '../src/slack/action-id.ts';
import type { Message } from '../src/slack/message.ts';
import { dateToken, mention } from '../src/slack/mrkdwn.ts';
import { capital, cardName, cardOfHolder, cardOfHolderRaw, holderName, limitWord } from './card-words.ts';
import { actions, button, context, fields, header, outside, section, sentence } from './parts.ts';

export interface ApprovalRequest {
  /** Opaque id: what the buttons carry. */
  readonly value: string;
  /** Slack user id. */
  readonly askedBy: string;
  readonly askedAt: string;
  readonly card: CardFacts;
  readonly period: LimitPeriod;
  readonly category: string | null;
  /** Null: no limit. */
  readonly fromCents: number | null;
  readonly toCents: number | null;
  readonly reason: string;
  /** When a temporary raise would end; null: it stays. */
  readonly endsAt: string | null;
  readonly needed: number;
  /** Who has approved so far, oldest first. */
  readonly approvals: readonly { readonly by: string; readonly at: string }[];
  readonly state: 'open' | 'approved' | 'denied' | 'expired';
  /** Who denied; null otherwise. */
  readonly deniedBy: string | null;
  /** When it was decided or expired, or will expire. */
  readonly until: string | null;
}

const titles: Readonly<Record<ApprovalRequest['state'], string>> = {
  open: 'Approval needed',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
};

/** A raise that needs more than one approver, open or decided. */
export function approvalRequest(request: ApprovalRequest): Message {
  const { value, askedBy, askedAt, card, period, category, fromCents, toCents, state, endsAt } = request;
  const limit = `${period} limit${category === null ? '' : ` for ${outside(category, 60)}`}`;
  const change = `${limitWord(fromCents)} → ${limitWord(toCents)}`;
  const raise =
    fromCents !== null && toCents !== null && toCents > fromCents ? ` (+${formatCents(toCents - fromCents)})` : '';

  return {
    text: sentence(
      `${titles[state]}: ${mention(askedBy)} asks to raise the ${limit} of ${cardOfHolder(card)}, ${change}. ${progress(request)}`,
    ),
    blocks: [
      header(`${titles[state]}: raise to ${limitWord(toCents)} for ${cardOfHolderRaw(card)}`),
      section(
        `*${mention(askedBy)} asks to raise the ${limit}*`,
        `Reason: ${outside(request.reason, 500) || 'none given'}`,
      ),
      ...fields([
        ['Cardholder', holderName(card)],
        ['Card', capital(cardName(card))],
        [capital(limit), `${change}${raise}`],
        ['Ends', endsAt === null ? 'Stays until it is changed' : dateToken(endsAt)],
      ]),
      section(progress(request)),
      ...(state === 'open'
        ? actions(
            button({ text: 'Approve', action: actionId.decideRequestApprove, value, style: 'primary' }),
            button({ text: 'Deny', action: actionId.decideRequestDeny, value, style: 'danger' }),
          )
        : []),
      ...context(
        `Asked ${dateToken(askedAt)}`,
        state === 'open' ? `Needs ${request.needed} different approvers.` : null,
      ),
    ],
  };
}

function progress({ needed, approvals, state, deniedBy, until }: ApprovalRequest): string {
  const when = until === null ? '' : ` ${dateToken(until)}`;
  const by = approvals.slice(0, 10).map((approval) => mention(approval.by));
  const names = by.length === 0 ? '' : ` by ${by.join(' and ')}`;
  if (state === 'approved') return `Approved${names}${when}.`;
  if (state === 'denied')
    return `Denied${deniedBy === null ? '' : ` by ${mention(deniedBy)}`}${when}. Nothing changed.`;
  if (state === 'expired') return `Nobody decided in time: it expired${when}. Nothing changed.`;
  return `${approvals.length} of ${needed}${names}${when && `, expires${when}`}.`;
}
