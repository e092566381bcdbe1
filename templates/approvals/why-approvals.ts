import { type ApprovalRequest, blocksIn } from '../../src/approvals/request.ts';
import { formatCents } from '../../src/core/money.ts';
import type { CountedRaise } from '../../src/policy/approval-policy.ts';
import { BLOCKED_ALONE_MAX } from '../../src/policy/decide-action.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { countOf } from '../core/blocks.ts';
import { BY_CAP, countedWords, otherApprovers, overCap } from '../limits/counted-words.ts';

/** Whom a text about a request is for: those who decide it, or the person who asked. */
export type Reader = 'approver' | 'asker';

/** Why others have to approve, and why more than one; null if there is nothing to explain. */
export function whyApprovals(request: ApprovalRequest, reader: Reader): string | null {
  if (request.state !== 'open') return whyNeeded(request);
  return (
    [whyBlocks(request), whySeveral(request), whyOwn(request, reader)].filter((line) => line !== null).join('\n') ||
    null
  );
}

/** `2 approvals were needed: more than $1,000.00 in 24 hours.` What the change would add no longer matters. */
function whyNeeded({ counted, needed, orderCents, orderWhy }: ApprovalRequest): string | null {
  if (needed === 1) return null;
  const head = `${countOf(needed, 'approval')} were needed`;
  if (counted !== null) return `${head}: ${whyMore(counted, needed)}.`;
  return orderCents === null ? `${head}.` : `${head}: ${whyOrder(orderWhy, needed)}.`;
}

/** Why nobody blocks many cards alone. */
export const blocksNeedTwo = `Blocking more than ${BLOCKED_ALONE_MAX} cards needs a second person.`;

function whyBlocks(request: ApprovalRequest): string | null {
  return blocksIn(request).length === 0 ? null : blocksNeedTwo;
}

/** `It is @Ana’s own card, so it needs another approver.` */
function whyOwn({ isOwnCard, needed, action, orderCents }: ApprovalRequest, reader: Reader): string | null {
  if (!isOwnCard) return null;
  const whose = reader === 'asker' ? 'your' : `${mention(action.actor.userId)}’s`;
  const why = orderCents === null ? `It is ${whose} own card` : `It has ${whose} name or email address`;
  return `${why}, so it needs ${otherApprovers(needed)}.`;
}

/** `2 approvals: more than $1,000.00 in 24 hours. …`; null if one approval is enough. */
function whySeveral({ counted, needed, orderCents, orderWhy, isOwnCard }: ApprovalRequest): string | null {
  if (needed === 1) return null;
  const head = countOf(needed, 'approval');
  if (counted !== null) return `*${head}: ${whyMore(counted, needed)}.* ${countedWords(counted)}`;
  if (orderCents !== null) return `*${head}:* ${whyOrder(orderWhy, needed)}.`;
  return isOwnCard ? null : `*${head}:* whoever asked counts as one, and somebody else has to agree.`;
}

/** Absent in older requests: their amount counted with other orders, or alone. */
function whyOrder(why: ApprovalRequest['orderWhy'], needed: number): string {
  const fewer = needed === 2 ? 'one person' : `${needed - 1} people`;
  if (why?.kind === 'amount') return `it is more than ${fewer} may order ${needed === 2 ? 'alone' : 'together'}`;
  return why?.kind === 'cap' ? `it goes ${overCap(why.cap)}` : `it is more than ${fewer} may order within 24 hours`;
}

/** `more than $1,000.00 in 24 hours`. */
function whyMore({ cap, ownCents, aboveCents }: CountedRaise, needed: number): string {
  if (cap !== null && needed <= BY_CAP) return overCap(cap);
  return ownCents === null || aboveCents === null
    ? 'it has no amount'
    : `more than ${formatCents(aboveCents)} in 24 hours`;
}

export function needsWords(needed: number): string {
  return needed === 1 ? 'Needs one approval' : `Needs ${countOf(needed, 'approval')}`;
}
