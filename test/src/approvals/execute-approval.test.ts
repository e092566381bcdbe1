import { describe, expect, it } from 'vitest';
import { type ActionState, type Result, reported, stateOf } from '../../../src/actions/action-state.ts';
import { createChangeUnlessKnown } from '../../../src/actions/change-once.ts';
import type { Progress } from '../../../src/actions/progress-store.ts';
import type { Reports } from '../../../src/actions/report.ts';
import { createExecution, createMakeApprovedChange } from '../../../src/approvals/execute-approval.ts';
import { type ApprovalRequest, withInFlight } from '../../../src/approvals/request.ts';
import { held } from '../../support/held.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { acctId, ask, virtualOrder } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const click = ask('decide', {
  id: 'act_ben',
  target: { kind: 'request', requestId: 'req_ask1' },
  approve: true,
  actor: { userId: 'U0BEN', teamId: 'T1' },
});
const sending: ActionState = { state: 'sending', before: null, after: null };
const done: Result = { state: 'done', card, before: null, after: null, apiWords: null, note: null };
const run = { isLast: false, lease: held };

function setUp(written: ActionState | null = null) {
  const steps: string[] = [];
  const changes: unknown[] = [];
  const progress: Pick<Progress, 'read' | 'begin' | 'write'> = {
    read: async () => written,
    begin: async () => (written === null || written.state === 'asked' ? null : written),
    write: async (_id, next) => next,
  };
  const reports: Pick<Reports, 'resume'> = {
    async resume(_action, _verb, state) {
      const known = reported(state);
      if (known !== null) steps.push('told');
      return known?.result ?? null;
    },
  };
  const makeChange = createMakeApprovedChange({
    blockAll: async () => expect.fail('nothing is blocked'),
    changeUnlessKnown: createChangeUnlessKnown({
      progress,
      reports,
      withLock: async (name, work) => {
        steps.push(`locked ${name}`);
        return await work(held);
      },
    }),
    changeRule: async ({ action }, approved) => {
      steps.push(`changed on behalf of ${action.actor.userId}`);
      changes.push(approved);
      return done;
    },
    async placeOrder({ id }, { by, approvers }) {
      steps.push(`ordered as ${id}, allowed by ${by}, one of ${approvers.join(' ')}`);
      return done;
    },
    whyNoLonger: async () => null,
  });
  const execution = createExecution({
    requests: { save: async ({ inFlight: held }) => void steps.push(`saved ${held.map(({ state }) => state).join()}`) },
    progress,
    reports,
    now: () => new Date('2026-11-20T15:00:00.000Z'),
    makeChange,
    complete: async (_click, _request, _approval, { state }) => void steps.push(`completed ${state}`),
  });
  return { execution, steps, changes };
}

const approved = (request: ApprovalRequest) => ({ ...request, approvals: inFlight('begun').approvals });

describe('executing an approval', () => {
  it('places the order under the id of the click, with everyone who approved it', async () => {
    const { execution, steps } = setUp();
    const action = ask('order-virtual', { id: 'act_order1', target: virtualOrder });
    const request = openRequestOf({ action, orderCents: 2500, goals: [], changes: [] });
    const approvals = ['U0ANA', 'U0BEN'].map((by) => ({ by, at: askedAt, actionId: null }));

    await execution.execute(click, request, { ...request, approvals }, run);

    expect(steps).toEqual([
      'saved begun',
      'ordered as act_ben, allowed by U0BEN, one of U0ANA U0BEN',
      'completed done',
    ]);
  });

  it('stores it on the request, then makes the change under the account’s lock', async () => {
    const { execution, steps, changes } = setUp();
    const request = openRequestOf();

    await execution.execute(click, request, approved(request), run);

    expect(steps).toEqual(['saved begun', `locked account:${acctId}`, 'changed on behalf of U0BEN', 'completed done']);
    expect(changes).toEqual([
      {
        outcomeOf: 'act_ask1',
        requestId: 'req_ask1',
        raisedBy: { by: 'U0BEN', askedBy: 'U0HUGO' },
        people: ['U0HUGO', 'U0BEN'],
        unanswered: [],
        approvers: 1,
        judged: openRequestOf().changes,
        whyNoLonger: expect.any(Function),
      },
    ]);
  });

  it('makes a change requested by an approver on behalf of that approver', async () => {
    const { execution, steps } = setUp();
    const request = openRequestOf({ action: ask('limit'), term: { kind: 'permanent' } });

    await execution.execute(click, request, approved(request), run);

    expect(steps).toContain('changed on behalf of U0OLGA');
  });

  it('makes something else than was requested on behalf of the approver who decided it', async () => {
    const { execution, steps } = setUp();
    const request = openRequestOf({ action: ask('limit'), term: { kind: 'permanent' } });
    const hour = { kind: 'duration', ms: 3_600_000 } as const;

    await execution.execute(click, request, { ...approved(request), term: hour }, run);

    expect(steps).toContain('changed on behalf of U0BEN');
  });

  it.each([
    ['that one of them asked for', ask('limit'), 'U0OLGA'],
    ['that its holder asked for', openRequestOf().action, 'U0HUGO'],
  ])(
    'counts a change for each of several approvers, for none of them alone: one %s',
    async (_what, action, askedBy) => {
      const { execution, changes } = setUp();
      const request = openRequestOf({ action });
      const approvals = ['U0OLGA', 'U0BEN'].map((by) => ({ by, at: askedAt, actionId: null }));

      await execution.execute(click, request, { ...request, approvals }, run);

      const raisedBy = { by: null, askedBy, approvedBy: ['U0OLGA', 'U0BEN'] };
      expect(changes).toMatchObject([{ raisedBy, approvers: 2 }]);
    },
  );

  it('reports a result stored before a crash, and changes nothing again', async () => {
    const { execution, steps } = setUp(stateOf(done, '2026-11-20T15:00:00.000Z'));
    const request = openRequestOf();

    await execution.execute(click, request, approved(request), run);

    expect(steps.slice(2)).toEqual(['told', 'completed done']);
  });
});

describe('an approval in flight', () => {
  it.each<['begun' | 'sent' | 'unconfirmed', ActionState | null, boolean, boolean]>([
    ['begun', null, false, false],
    ['begun', { state: 'asked' }, false, false],
    ['begun', { state: 'refused', pending: null }, false, false],
    ['begun', sending, true, true],
    ['sent', null, true, true],
    ['unconfirmed', null, true, false],
  ])('%s, with progress %j: resumes %s, prevents other decisions %s', async (state, written, goesOn, holdsUp) => {
    const { execution } = setUp(written);
    const request = withInFlight(openRequestOf(), inFlight(state));

    expect((await execution.whyNotYet(request)) !== null).toBe(holdsUp);
    expect((await execution.stop(request)) !== null, 'it cannot be closed').toBe(holdsUp);
    expect(await execution.resume(click, request, run)).toBe(goesOn);
  });

  it('of another click is not resumed', async () => {
    const { execution } = setUp(sending);

    expect(await execution.resume(click, withInFlight(openRequestOf(), inFlight('sent', 'act_zoe')), run)).toBe(false);
  });
});
