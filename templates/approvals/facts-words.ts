import { limitsForBoth } from '../../src/approvals/promised-besides.ts';
import { type ApprovalRequest, openedAtMs } from '../../src/approvals/request.ts';
import { type RequestFacts, takenCents } from '../../src/approvals/request-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { groupBy } from '../../src/core/group-by.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import { ruleStates } from '../../src/limits/rule-words.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, RULES_MAX } from '../core/blocks.ts';

/** They were read when it was asked for, which may be hours ago. */
export function leftWords(request: ApprovalRequest, payCents: number): string {
  const { left } = request.facts;
  if (left.length === 0) return '';
  const cents = takenCents(payCents, request.facts);
  const asOf = dateAfter('As of', new Date(openedAtMs(request)).toISOString());
  return [...left.map((one) => otherLimit(one, cents)), asOf].join('\n');
}

function otherLimit({ period, limitCents, remainingCents }: RequestFacts['left'][number], cents: number): string {
  const of = limitCents === null ? '' : ` of ${formatCents(limitCents)}`;
  const tooLittle = remainingCents < cents ? ' (too little)' : '';
  return `${capital(period)}: ${formatCents(Math.max(0, remainingCents))}${of} left${tooLittle}`;
}

export function thereWords(there: RequestFacts['there']): string {
  const bought = there?.map(({ at, amountCents }) => `${formatCents(amountCents)}, ${dateToken(at, '{date_short}')}`);
  return bought === undefined ? 'Not known right now' : bought.join('\n') || 'None in 30 days';
}

const earlierState: Partial<Readonly<Record<RequestFacts['earlier'][number], string>>> = {
  overridden: 'by emergency override',
  paid: 'no longer needed',
};

/** `2 approved, 1 denied`. */
export function earlierWords(earlier: RequestFacts['earlier']): string {
  const counts = [...groupBy(earlier, (state) => state)].map(
    ([state, { length }]) => `${length} ${earlierState[state] ?? state}`,
  );
  return counts.join(', ') || 'None';
}

/** `Also approved: $84.10. If that is not paid yet, both together need: daily limit $184.10.`; null: nothing was. */
export function alsoApproved(request: ApprovalRequest): string | null {
  const needed = limitsForBoth(request);
  const { promised = [] } = request.facts;
  if (needed.length === 0) return null;
  const amounts = joinWithAnd(promised.map(formatCents));
  const both = promised.length === 1 ? 'both' : 'all';
  return `Also approved: ${amounts}. If that is not paid yet, ${both} together need: ${escapeUntrusted(ruleStates(needed, 'to'), RULES_MAX)}.`;
}
