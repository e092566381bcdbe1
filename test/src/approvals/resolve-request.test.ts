import { describe, expect, it } from 'vitest';
import { type ActionState, type Outcome, stateOf } from '../../../src/actions/action-state.ts';
import { type ClosedRequest, withInFlight } from '../../../src/approvals/request.ts';
import { createHolderNotices, createResolveRequest } from '../../../src/approvals/resolve-request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
const ofApprover = openRequestOf({ action: ask('limit') });
const denied: ClosedRequest = { ...ofApprover, state: 'denied', decision, note: 'Ask for less.' };

function setUp() {
  const saved: string[] = [];
  const outcomes: Outcome[] = [];
  const answers: string[] = [];
  const told: string[] = [];
  const resolve = createResolveRequest({
    requests: { save: async ({ state }) => void saved.push(state) },
    updateRequest: async () => {},
    outcomes: {
      show: async (_alertId, _actionId, outcome) => void outcomes.push(outcome),
      seen: async () => {},
      saysOfRuleset: async () => false,
    },
    holderNotices: { notifyDecided: async ({ state }) => void told.push(state) },
    answer: async (_action, { text }) => void answers.push(text),
    now: () => new Date(askedAt),
  });
  return { resolve, saved, outcomes, answers, told };
}

describe('a resolved request', () => {
  it('that was denied gives the requester the reason, and its alert stops waiting', async () => {
    const world = setUp();

    await world.resolve(denied);

    expect(world.saved).toEqual(['denied']);
    expect(world.answers).toEqual([expect.stringMatching(/Another approver said no\. Their note: “Ask for less\.”/)]);
    expect(world.outcomes).toMatchObject([{ state: 'failed', text: 'An approver said no' }]);
  });

  it('that the requester denied does not claim that someone else did', async () => {
    const world = setUp();
    const own = { ...decision, by: ofApprover.action.actor.userId };

    await world.resolve({ ...ofApprover, state: 'denied', decision: own });

    expect(world.answers).toEqual([expect.stringMatching(/You denied your own request\./)]);
    expect(world.answers[0]).not.toMatch(/Another approver/);
  });

  it('that was withdrawn notifies the requester, and its alert stops waiting', async () => {
    const world = setUp();

    await world.resolve({ ...ofApprover, state: 'withdrawn', decision });

    expect([world.saved, world.told, world.answers]).toEqual([['withdrawn'], ['withdrawn'], []]);
    expect(world.outcomes).toMatchObject([{ state: 'failed', text: 'It was withdrawn' }]);
  });

  it('does not claim that nothing changed after an unconfirmed approval', async () => {
    const world = setUp();

    await world.resolve(withInFlight(denied, inFlight('unconfirmed')));

    expect(world.answers[0]).toContain('Whether an earlier approval changed anything is not certain.');
    expect(world.outcomes).toMatchObject([{ state: 'unknown' }]);
  });

  it('that was approved leaves notifying the requester to the change', async () => {
    const world = setUp();

    await world.resolve({ ...ofApprover, state: 'approved', decision, temporaryChangeId: null });

    expect(world.answers).toEqual([]);
    expect(world.outcomes).toEqual([]);
  });

  it('of a holder is reported in a direct message', async () => {
    const world = setUp();

    await world.resolve({ ...openRequestOf(), state: 'expired' });

    expect(world.told).toEqual(['expired']);
    expect(world.answers).toEqual([]);
  });
});

describe('an approved holder', () => {
  const approved: ClosedRequest = { ...openRequestOf(), state: 'approved', decision, temporaryChangeId: null };
  const ended = (confirmation: 'sent' | 'confirmed' | 'unconfirmed'): ActionState => {
    const result = {
      state: 'done',
      card,
      before: null,
      after: null,
      apiWords: null,
      note: null,
      confirmation,
    } as const;
    return { ...stateOf(result, askedAt), isTold: true };
  };

  it.each([
    ['sent', []],
    ['confirmed', [expect.stringContaining('Approved by <@U0BEN>: try again now.')]],
    ['unconfirmed', [expect.stringContaining('but not confirmed by the card service')]],
  ] as const)('is notified of a change that is %s with these words: %j', async (confirmation, expected) => {
    const told: string[] = [];
    const notices = createHolderNotices({
      progress: { read: async () => ended(confirmation) },
      nameRuleset: async (facts) => facts,
      notifyDirectly: async (_userId, _id, { text }) => void told.push(text),
    });

    await notices.notifyDecided(approved);

    expect(told).toEqual(expected);
  });
});
