import { expect, it } from 'vitest';
import { type ApprovalRequest, withInFlight } from '../../../src/approvals/request.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';

const shown = (request: ApprovalRequest): string => JSON.stringify(approvalRequest(request));

it('shows the status of an open request', () => {
  expect(shown(openRequestOf())).toContain('Needs one approval');
  expect(shown(withInFlight(openRequestOf(), inFlight('sent')))).toContain('I’m checking whether the change was made');
  expect(shown(withInFlight(openRequestOf(), inFlight('unconfirmed')))).toContain('It may still have been made');
});

it('shows who denied a request, and when', () => {
  const decision = { actionId: 'act_zoe', by: 'U0ZOE', at: askedAt };

  const text = shown({ ...openRequestOf(), state: 'denied', decision });

  expect(text).toMatch(/Denied by <@U0ZOE>.*Nothing changed\./);
});

it('offers the emergency override once the approvers were reminded and had 15 minutes', () => {
  expect(shown(openRequestOf())).not.toContain('Break glass…');
  expect(shown(openRequestOf({ remindedAt: '2026-11-20T15:14:59.999Z' }))).not.toContain('Break glass…');
  expect(shown(openRequestOf({ remindedAt: '2026-11-20T15:15:00.000Z' }))).toContain('Break glass…');
});

it('offers no emergency override that the policy does not allow', () => {
  const overdue = openRequestOf({ remindedAt: '2026-11-20T15:15:00.000Z' });

  expect(JSON.stringify(approvalRequest(overdue, null, false))).not.toContain('Break glass…');
});
