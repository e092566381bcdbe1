import { expect, it } from 'vitest';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { whyApprovals } from '../../../templates/approvals/why-approvals.ts';
import { askedAt, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { shown } from '../shown.ts';

const counted = { rule: raiseDaily.rule, ownCents: 600_000, earlier: [], aboveCents: 500_000, cap: null };
const cap = { scope: 'card', days: 1, earlierCents: 80_000, capCents: 100_000 } as const;

it('gives the amount above which three approvals are needed, not the one for two', () => {
  const request = openRequestOf({ needed: 3, counted });

  expect(whyApprovals(request, 'approver')).toMatch(/^\*3 approvals: more than \$5,000\.00 in 24 hours\.\*/);
});

it('no longer says of a decided request what it would change', () => {
  const decision = { actionId: 'U0BEN', by: 'U0BEN', at: askedAt };
  const request = { ...openRequestOf({ needed: 2, counted }), state: 'denied', decision } as const;
  const { text, blocks } = approvalRequest(request);

  expect(shown(blocks)).toContain('2 approvals were needed: more than $5,000.00 in 24 hours.');
  expect(shown(blocks)).not.toContain('This raises');
  expect(text).toMatch(/^Denied: <@\w+> (?:asked|wanted) to /);
});

it('gives a cap as the reason for a second approval, but not for a third', () => {
  expect(whyApprovals(openRequestOf({ needed: 2, counted: { ...counted, cap } }), 'approver')).toContain(
    '2 approvals: over the cap for one card',
  );
  expect(whyApprovals(openRequestOf({ needed: 3, counted: { ...counted, cap } }), 'approver')).toContain(
    '3 approvals: more than $5,000.00 in 24 hours.',
  );
});

it.each([
  ['amount', '3 approvals:* it is more than 2 people may order together.'],
  ['day', '3 approvals:* it is more than 2 people may order within 24 hours.'],
] as const)('says of an order that two people are not enough: %s', (kind, words) => {
  const order = openRequestOf({ needed: 3, orderCents: 600_000, changes: [], orderWhy: { kind } });

  expect(whyApprovals(order, 'approver')).toContain(words);
});

it('lists three approvers in words', () => {
  const approvals = ['U0ANA', 'U0BEN', 'U0CAL'].map((by) => ({ by, at: askedAt, actionId: by }));
  const decision = { actionId: 'U0CAL', by: 'U0CAL', at: askedAt };
  const request = { ...openRequestOf({ approvals }), state: 'approved', decision, temporaryChangeId: null } as const;

  expect(shown(approvalRequest(request).blocks)).toContain('Approved by <@U0ANA>, <@U0BEN> and <@U0CAL><!date');
});

it.each([
  ['moved', 'no longer count: the card was changed after them.'],
  ['rights', 'no longer count: they may not approve this any more.'],
] as const)('speaks of several void approvals in the plural: %s', (why, words) => {
  const voided = ['U0ANA', 'U0BEN'].map((by) => ({ by, why, standsInFor: null }));

  expect(shown(approvalRequest(openRequestOf({ voided })).blocks)).toContain(
    `The approvals of <@U0ANA> and <@U0BEN> ${words}`,
  );
});
