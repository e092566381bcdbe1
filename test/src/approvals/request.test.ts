import { describe, expect, it } from 'vitest';
import { approvalOf, asRequested, changeOf } from '../../../src/approvals/execute-approval.ts';
import {
  ApprovalRequest,
  type ApprovedChange,
  isInOwnName,
  temporaryChangeIdOf,
  unconfirmedApproval,
  withInFlight,
  withoutInFlight,
} from '../../../src/approvals/request.ts';
import type { DecideAction, OverrideAction } from '../../../src/approvals/verbs.ts';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import { askedAt, inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';

const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };

describe('approvals in flight', () => {
  it('are stored once per click, the newest last', () => {
    const first = withInFlight(openRequestOf(), inFlight('begun'));
    const both = withInFlight(first, inFlight('begun', 'act_zoe'));

    const again = withInFlight(both, inFlight('sent'));

    expect(again.inFlight.map(({ actionId, state }) => [actionId, state])).toEqual([
      ['act_zoe', 'begun'],
      ['act_ben', 'sent'],
    ]);
    expect(withoutInFlight(again, 'act_ben').inFlight.map(({ actionId }) => actionId)).toEqual(['act_zoe']);
  });

  it('are unconfirmed once they are sent', () => {
    const begun = withInFlight(openRequestOf(), inFlight('begun', 'act_zoe'));

    expect(unconfirmedApproval(begun)).toBeNull();
    expect(unconfirmedApproval(withInFlight(begun, inFlight('sent')))?.actionId).toBe('act_ben');
    expect(unconfirmedApproval(withInFlight(begun, inFlight('unconfirmed')))?.actionId).toBe('act_ben');
  });
});

describe('the decision of a request', () => {
  it('is allowed only on a decided request', () => {
    expect(ApprovalRequest.safeParse({ ...openRequestOf(), decision }).success).toBe(false);
    expect(ApprovalRequest.safeParse({ ...openRequestOf(), state: 'approved', decision }).success).toBe(false);
    expect(ApprovalRequest.safeParse({ ...openRequestOf(), state: 'denied', decision }).success).toBe(true);
  });
});

const abroad: RuleChange = { rule: { kind: 'international' }, from: false, to: true };
it('returns the temporary change that the approval or override of a request made', () => {
  const open = openRequestOf();
  const made = { decision, temporaryChangeId: 'tmp_1' };

  expect(temporaryChangeIdOf({ ...open, state: 'approved', ...made })).toBe('tmp_1');
  expect(temporaryChangeIdOf({ ...open, state: 'overridden', ...made })).toBe('tmp_1');
  expect(temporaryChangeIdOf({ ...open, state: 'approved', ...made, temporaryChangeId: null })).toBeNull();
  expect(temporaryChangeIdOf({ ...open, state: 'denied', decision })).toBeNull();
  expect(temporaryChangeIdOf(open)).toBeNull();
});

describe('a click on a request', () => {
  const target = { kind: 'request', requestId: 'req_ask1' } as const;
  const actor = { userId: 'U0BEN', teamId: 'T1' };
  const decide: DecideAction = ask('decide', { id: 'act_ben', target, approve: true, actor, reason: 'fine', askedAt });
  const override: OverrideAction = ask('emergency-override', {
    id: 'act_olga',
    target,
    actor,
    reason: 'at the counter',
  });
  const byApprover = openRequestOf({
    action: ask('limit', { id: 'act_ana', actor: { userId: 'U0ANA', teamId: 'T1' }, reason: 'trade fair' }),
  });
  const draft: ApprovedChange = {
    changes: [raiseDaily],
    term: { kind: 'permanent' },
    note: 'until May',
    approvals: [],
    counted: null,
  };

  it.each([
    [decide, 'approval'],
    [override, 'override'],
  ] as const)('creates an approval that has only begun: %#', (click, kind) => {
    expect(approvalOf(click, draft)).toEqual({
      ...draft,
      kind,
      state: 'begun',
      actionId: click.id,
      by: 'U0BEN',
      at: click.askedAt,
    });
  });

  it('makes the change on behalf of the approver who asked, under the id of the click', () => {
    expect(isInOwnName(byApprover, approvalOf(decide, draft))).toBe(false);
    expect(changeOf(decide, byApprover, approvalOf(decide, draft))).toMatchObject({
      id: 'act_ben',
      askedAt: decide.askedAt,
      verb: 'limit',
      actor: { userId: 'U0ANA' },
      reason: 'trade fair',
      changeRequest: { goals: [{ rule: raiseDaily.rule, to: 90_000 }], term: { kind: 'permanent' } },
    });
  });

  it('makes a holder’s change on behalf of the approver, with the holder’s reason and card', () => {
    const asked = openRequestOf({ action: { ...openRequestOf().action, reason: 'hotel' } });

    expect(isInOwnName(asked, approvalOf(decide, draft))).toBe(true);
    expect(changeOf(decide, asked, approvalOf(decide, draft))).toMatchObject({
      actor,
      reason: 'hotel',
      target: asked.action.target,
      changeRequest: { payCents: 90_000 },
    });
  });

  it('makes an override on behalf of the operator, with the operator’s reason', () => {
    expect(isInOwnName(byApprover, approvalOf(override, draft))).toBe(true);
    expect(changeOf(override, byApprover, approvalOf(override, draft))).toMatchObject({
      actor,
      reason: 'at the counter',
      target: byApprover.action.target,
    });
  });

  it('opens a rule if the change is not a limit', () => {
    const approval = approvalOf(decide, { ...draft, changes: [abroad] });

    expect(changeOf(decide, byApprover, approval).verb).toBe('allow');
  });

  it('keeps the requested change unless the approver changes it', () => {
    const { changes, term } = openRequestOf();
    const own = { goals: [{ rule: raiseDaily.rule, to: 60_000 }], term: { kind: 'day', day: '2026-11-20' } } as const;
    const changed = { ...decide, changeRequest: { ...own, goals: [...own.goals] } };

    expect(asRequested(decide, openRequestOf({ note: 'as asked' }))).toEqual({
      changes,
      term,
      note: 'as asked',
      approvals: [],
      counted: null,
    });
    expect(asRequested(override, openRequestOf())).toMatchObject({ changes, term });
    expect(asRequested(changed, openRequestOf())).toMatchObject({
      changes: [{ ...raiseDaily, to: 60_000 }],
      term: { kind: 'day', day: '2026-11-20' },
    });
  });
});

it.each<ApprovalRequest>([
  openRequestOf({
    inFlight: [inFlight('begun'), inFlight('sent', 'a'), { ...inFlight('unconfirmed', 'b'), kind: 'override' }],
  }),
  { ...openRequestOf(), state: 'approved', decision, temporaryChangeId: null },
  { ...openRequestOf(), state: 'overridden', decision, temporaryChangeId: 'tmp_1' },
  { ...openRequestOf(), state: 'denied', decision },
  { ...openRequestOf(), state: 'expired' },
])('stores and reads back a request that is $state', (request) => {
  expect(ApprovalRequest.parse(JSON.parse(JSON.stringify(request)))).toEqual(request);
});
