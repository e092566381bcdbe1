import { describe, expect, it } from 'vitest';
import type { Result } from '../../../src/actions/action-state.ts';
import {
  createApprovalVerified,
  createCompleteApproval,
  createFinishRequest,
} from '../../../src/approvals/complete-approval.ts';
import {
  type ApprovalClick,
  type ApprovalInFlight,
  type ApprovalRequest,
  type ClosedRequest,
  withInFlight,
} from '../../../src/approvals/request.ts';
import type { Message } from '../../../src/slack/message.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { held } from '../../support/held.ts';
import { askedAt, inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask, virtualOrder } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const click = ask('decide', { id: 'act_ben', target: { kind: 'request', requestId: 'req_ask1' }, approve: true });
const result = (state: Result['state'], over: Partial<Result> = {}): Result => ({
  state,
  card,
  before: null,
  after: null,
  apiWords: null,
  note: null,
  ...over,
});

function setUp() {
  const saved: ApprovalRequest[] = [];
  const finished: ClosedRequest[] = [];
  const cancelled: string[] = [];
  const told: string[] = [];
  const messages: string[] = [];
  const updated: string[] = [];
  const answers: string[] = [];
  const deps = {
    requests: { save: async (request: ApprovalRequest) => void saved.push(request) },
    updateRequest: async (id: string) => void updated.push(id),
    finish: async (request: ClosedRequest) => void finished.push(request),
    notifyDirectly: async (userId: string, id: string, { text }: Message) =>
      void messages.push(`${userId} ${id}: ${text}`),
  };
  const verified = createApprovalVerified({
    ...deps,
    progress: { read: async () => null },
    temporaryChanges: { get: async () => null },
    notifyDecided: async ({ state }) => void told.push(state),
  });
  const completeApproval = createCompleteApproval({
    ...deps,
    verified,
    recentRaises: { releaseOverride: async (_acctId, actionId) => void cancelled.push(actionId) },
    progress: { read: async () => null },
    responses: {
      answer: async ({ actor }, { text }) => void answers.push(`${actor.userId}: ${text}`),
    },
  });
  const complete = (...given: readonly [ApprovalClick, ApprovalRequest, ApprovalInFlight, Result]) =>
    completeApproval(...given, held);
  return { complete, verified, saved, updated, finished, cancelled, told, answers, messages };
}

const begun = (over: Partial<ApprovalInFlight> = {}): ApprovalInFlight => ({ ...inFlight('begun'), ...over });

describe('a completed approval', () => {
  it('decides the request if the change was made, and keeps approvals that others have begun', async () => {
    const world = setUp();
    const others = withInFlight(openRequestOf(), inFlight('begun', 'act_zoe'));

    await world.complete(click, withInFlight(others, begun()), begun(), result('done'));

    expect(world.finished).toMatchObject([{ state: 'approved', decision: { actionId: 'act_ben', by: 'U0BEN' } }]);
    expect(world.finished[0]?.inFlight.map(({ actionId }) => actionId)).toEqual(['act_zoe']);
  });

  it.each([
    ['done', null, 'The alert shows what became of each card.'],
    ['done', 'No answer came for 1 card: B.', 'No answer came for 1 card: B. The alert shows'],
    ['failed', '1 of 2 cards could not be blocked: B.', '1 of 2 cards could not be blocked: B. The request is still'],
  ] as const)('to block many cards (%s) is reported to whoever asked', async (state, note, words) => {
    const world = setUp();
    const action = ask('block-all', { acctIds: [1, 2], names: ['A', 'B'] });
    const request = withInFlight(openRequestOf({ action, changes: [] }), begun());

    await world.complete(click, request, begun(), result(state, { note }));

    expect(world.messages).toEqual([
      expect.stringContaining(
        `${action.actor.userId} act_ben-block-all: <@U0BEN> approved your request to block 2 cards. ${words}`,
      ),
    ]);
  });

  it('shows the approved raise, not the requested one', async () => {
    const world = setUp();
    const raise = { rule: raiseDaily.rule, earlier: [], aboveCents: 100_000, cap: null };
    const request = openRequestOf({ counted: { ...raise, ownCents: 150_000 }, needed: 2 });
    const counted = { ...raise, ownCents: 120_000 };

    await world.complete(click, request, begun({ counted }), result('done'));

    expect(world.finished).toMatchObject([{ counted }]);
  });

  it('is sent if it has no response but will be verified, and unconfirmed if it will not', async () => {
    const world = setUp();
    const request = withInFlight(openRequestOf(), begun());
    const expects = { kind: 'rule', changes: request.changes } as const;

    await world.complete(click, request, begun(), result('unknown', { expects }));
    await world.complete(click, request, begun(), result('unknown'));

    expect(world.saved.map((saved) => saved.inFlight.map(({ state }) => state))).toEqual([['sent'], ['unconfirmed']]);
    expect(world.messages).toEqual([expect.stringMatching(/^U0HUGO req_ask1-unconfirmed-act_ben: /)]);
  });

  it('leaves the request open if the change failed, and releases an override', async () => {
    const world = setUp();
    const override = begun({ kind: 'override' });

    await world.complete(click, withInFlight(openRequestOf(), override), override, result('failed'));

    expect(world.saved).toMatchObject([{ state: 'open', inFlight: [] }]);
    expect(world.cancelled).toEqual(['act_ben']);
  });

  it.each<[string, Result, string]>([
    [
      'refused by the card service',
      result('failed', { apiWords: 'ZIP code is not valid' }),
      'Not done. The card service says: “ZIP code is not valid”. The request is still open: approve it again, or deny it. Nothing was ordered. Whoever asked was told.',
    ],
    [
      'without an answer',
      result('unknown'),
      'Not certain. The card service gave no clear answer, so the card may or may not be ordered. I won’t order it again. Whoever asked was told, and is told if it was ordered.',
    ],
  ])('of an order %s is answered to whoever approved it', async (_how, ended, text) => {
    const world = setUp();
    const approver = { ...click, actor: { userId: 'U0BEN', teamId: 'T1' } };
    const action = ask('order-virtual', { target: virtualOrder, actor: { userId: 'U0ANA', teamId: 'T1' } });
    const order = openRequestOf({ action, orderCents: 2500, goals: [], changes: [] });

    await world.complete(approver, withInFlight(order, begun()), begun(), ended);
    await world.complete({ ...approver, actor: action.actor }, order, begun(), ended);

    expect(world.answers).toEqual([`U0BEN: ${text}`]);
  });

  it('without an answer decides the order, and its message says that the outcome is not certain', async () => {
    const world = setUp();
    const action = ask('order-virtual', { target: virtualOrder });
    const order = openRequestOf({ action, orderCents: 2500, goals: [], changes: [] });

    await world.complete(click, withInFlight(order, begun()), begun(), result('unknown'));

    const [request] = world.finished;
    expect(request).toMatchObject({ state: 'approved', isUnconfirmed: true });
    expect(request === undefined ? '' : approvalRequest(request).text).toMatch(
      /Not certain: the card service gave no clear answer, so the card may or may not be ordered\.$/,
    );
  });

  it('does not change the decision of another approval', async () => {
    const world = setUp();
    const decision = { actionId: 'act_zoe', by: 'U0ZOE', at: askedAt };
    const decided: ApprovalRequest = { ...openRequestOf(), state: 'approved', decision, temporaryChangeId: null };

    await world.complete(click, withInFlight(decided, begun()), begun(), result('done'));

    expect(world.finished).toEqual([]);
    expect(world.saved).toMatchObject([{ state: 'approved', decision, inFlight: [] }]);
  });
});

describe('a verified approval', () => {
  it('decides the request if the card shows the change, even if it was unconfirmed before', async () => {
    for (const state of ['sent', 'unconfirmed'] as const) {
      const world = setUp();

      await world.verified(withInFlight(openRequestOf(), inFlight(state)), 'act_ben', 'confirmed');

      expect(world.finished, state).toMatchObject([{ state: 'approved', decision: { actionId: 'act_ben' } }]);
    }
  });

  it('is unconfirmed if the card does not show it, and the holder is notified', async () => {
    const world = setUp();

    await world.verified(withInFlight(openRequestOf(), inFlight('sent')), 'act_ben', 'unconfirmed');

    expect(world.saved).toMatchObject([{ state: 'open', inFlight: [{ state: 'unconfirmed' }] }]);
    expect(world.messages).toEqual([expect.stringMatching(/^U0HUGO req_ask1-unconfirmed-act_ben: /)]);
  });

  it('is reported to the holder once it is confirmed, if it had decided the request', async () => {
    const world = setUp();
    const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };

    await world.verified(
      { ...openRequestOf(), state: 'approved', decision, temporaryChangeId: null },
      'act_ben',
      'confirmed',
    );

    expect(world.told).toEqual(['approved']);
    expect([world.saved, world.updated]).toEqual([[], []]);
  });

  it.each(['approved', 'overridden'] as const)(
    'that decided the request stays %s, and its message says that nothing showed the change',
    async (state) => {
      const world = setUp();
      const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
      const decided = { ...openRequestOf({ action: ask('limit') }), state, decision, temporaryChangeId: null } as const;

      await world.verified(decided, 'act_ben', 'unconfirmed');
      await world.verified(decided, 'act_zoe', 'unconfirmed');

      expect(world.saved).toEqual([{ ...decided, isUnconfirmed: true }]);
      expect(world.updated).toEqual(['req_ask1']);
      expect([...world.told, ...world.messages]).toEqual([state]);
    },
  );
});

describe('a finished request', () => {
  const decision = { actionId: 'act_glass1', by: 'U0OTTO', at: askedAt };

  it.each(['approved', 'overridden'] as const)(
    'that is %s is announced to everyone only if it was overridden',
    async (state) => {
      const posted: string[] = [];
      const finish = createFinishRequest({
        resolve: async () => void posted.push('resolved'),
        rights: {
          whoMay: async () => [],
        },
        postToApprovals: async (id) => void posted.push(id),
        postToOps: async (id) => void posted.push(id),
        record: async ({ id }, { event, lineKey }) => void posted.push(`${event ?? 'line'} ${id}-${lineKey}`),
      });

      await finish({ ...openRequestOf(), state, decision, temporaryChangeId: null });

      const notices = ['req_ask1-override', 'req_ask1-override', 'line act_glass1-override'];
      expect(posted).toEqual(state === 'overridden' ? ['resolved', ...notices] : ['resolved']);
    },
  );

  it('that was overridden is announced to the approvers of its group, in their channel', async () => {
    const posted: (string | null)[] = [];
    const finish = createFinishRequest({
      resolve: async () => {},
      rights: {
        whoMay: async (_role, group) => [group === 'Sales' ? 'U0BEN' : 'U0ANA'],
      },
      postToApprovals: async (_id, { text }, group) => void posted.push(group, text),
      postToOps: async () => {},
      record: async () => {},
    });

    const request = openRequestOf({ card: { ...card, group: 'Sales' } });
    await finish({ ...request, state: 'overridden', decision, temporaryChangeId: null });

    expect(posted).toEqual(['Sales', expect.stringContaining('<@U0BEN>')]);
  });

  it('that was overridden is not called decided without those who asked for it, approved it or did it', async () => {
    const shown: string[] = [];
    const finish = createFinishRequest({
      resolve: async () => {},
      rights: {
        whoMay: async () => ['U0ANA', 'U0OTTO', 'U0HUGO', 'U0ZOE', 'U0BEN'],
      },
      postToApprovals: async (_id, { blocks }) => void shown.push(JSON.stringify(blocks)),
      postToOps: async () => {},
      record: async () => {},
    });
    const approvals = [{ by: 'U0ANA', at: askedAt, actionId: null }];
    const request = openRequestOf({ action: ask('limit', { actor: { userId: 'U0ANA', teamId: 'T1' } }), approvals });

    await finish({ ...request, state: 'overridden', decision, temporaryChangeId: null });

    expect(shown[0]).toContain(
      'Approved without you: <@U0ZOE> and <@U0BEN>. If you disagree, press *Take back now* on the request.',
    );
  });

  it('that was overridden after some approvals is not recorded as unanswered', async () => {
    const outcomes: unknown[] = [];
    const lasts: unknown[] = [];
    const finish = createFinishRequest({
      resolve: async () => {},
      rights: {
        whoMay: async () => [],
      },
      postToApprovals: async () => {},
      postToOps: async () => {},
      record: async (_click, { line }) => {
        outcomes.push(line?.outcome);
        lasts.push(line?.lasts);
      },
    });
    const request = {
      ...openRequestOf({ needed: 2 }),
      state: 'overridden',
      decision,
      temporaryChangeId: null,
    } as const;

    await finish({ ...request, approvals: [] });
    await finish({ ...request, approvals: [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }] });

    expect(outcomes).toEqual(['no approver answered within 15 minutes', 'only 1 of 2 approvals within 15 minutes']);
    expect(lasts).toEqual(['for 1 hour', 'for 1 hour']);
  });
});
