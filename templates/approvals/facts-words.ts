import { type ApprovalRequest, openedAtMs } from '../../src/approvals/request.ts';
import { type RequestFacts, takenCents } from '../../src/approvals/request-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { groupBy } from '../../src/core/group-by.ts';
import { formatCents } from '../../src/core/money.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';

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
