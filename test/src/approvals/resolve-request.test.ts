import { describe, expect, it } from 'vitest';
import { type ActionState, type Outcome, stateOf } from '../../../src/actions/action-state.ts';
import { type ClosedRequest, withInFlight } from '../../../src/approvals/request.ts';
import { createRequestEnds } from '../../../src/approvals/resolve-request.ts';
import { requestDecided } from '../../../templates/holders/holder-request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { ask, virtualOrder } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
const ofApprover = openRequestOf({ action: ask('limit'), term: { kind: 'permanent' } });
const abroad = { rule: { kind: 'international' }, from: false, to: true } as const;
const denied: ClosedRequest = { ...ofApprover, state: 'denied', decision, note: 'Ask for less.' };

/**
 * @param stored what the store adds to a request: others have written it meanwhile.
 * @param over what became of the change.
 */
function setUp(
  stored: Pick<ClosedRequest, 'askedToo'> = {},
  over: Partial<Pick<Parameters<typeof createRequestEnds>[0], 'progress' | 'temporaryChanges'>> = {},
) {
  const saved: string[] = [];
  const outcomes: Outcome[] = [];
  const answers: string[] = [];
  const messages: string[] = [];
  const { resolve, notifyDecided } = createRequestEnds({
    requests: {
      save: async ({ state }) => void saved.push(state),
      get: async () => ({ ...denied, ...stored }),
    },
    updateRequest: async () => {},
    outcomes: {
      show: async (_alertId, _actionId, outcome) => void outcomes.push(outcome),
      seen: async () => {},
      areShownIn: async () => true,
      saysOfRuleset: async () => false,
    },
    progress: { read: async () => null },
    temporaryChanges: { get: async () => null },
    nameRuleset: async (facts) => facts,
    notifyDirectly: async (userId, id, { text }) => {
      messages.push(`${userId} ${id}`);
      answers.push(text);
    },
    now: () => new Date(askedAt),
    ...over,
  });
  return { resolve, notifyDecided, saved, outcomes, answers, messages };
}

describe('a resolved request', () => {
  it('that was denied gives the requester the reason, and its alert stops waiting', async () => {
    const world = setUp();

    await world.resolve(denied);

    expect(world.saved).toEqual(['denied']);
    expect(world.answers).toEqual([
      expect.stringMatching(/Your request was denied by <@U0BEN>: .* Their note: “Ask for less\.”$/),
    ]);
    // Hours later, Slack drops what only the person would see in the channel.
    expect(world.messages).toEqual([`${denied.action.actor.userId} ${denied.id}-denied`]);
    expect(world.outcomes).toMatchObject([{ state: 'failed', text: 'An approver said no' }]);
  });

  it('is told to somebody who asked for the same after the approver had opened it', async () => {
    const world = setUp({ askedToo: ['U0ZOE'] });

    await world.resolve(denied);

    expect(world.messages).toEqual([
      `${denied.action.actor.userId} ${denied.id}-denied`,
      `U0ZOE ${denied.id}-denied-U0ZOE`,
    ]);
  });

  it('that the requester denied does not claim that someone else did', async () => {
    const world = setUp();
    const own = { ...decision, by: ofApprover.action.actor.userId };

    await world.resolve({ ...ofApprover, state: 'denied', decision: own });

    expect(world.answers).toEqual([expect.stringMatching(/^You denied your own request: /)]);
    expect(world.answers[0]).not.toMatch(/Another approver/);
    expect(world.answers[0]?.match(/denied/gi), 'once').toHaveLength(1);
  });

  it('that somebody else denied says so once, and whom to talk to', async () => {
    const world = setUp();

    await world.resolve(denied);

    expect(world.answers[0]).toMatch(/denied by <@U0BEN>: .*\. Nothing changed\. If you disagree, talk to <@U0BEN>\. /);
    expect(world.answers[0]?.match(/denied/gi), 'once').toHaveLength(1);
  });

  it('for an order that expired tells the requester to order again', async () => {
    const world = setUp();
    const action = ask('order-virtual', { target: virtualOrder });

    await world.resolve({ ...ofApprover, action, orderCents: 2500, changes: [], state: 'expired' });

    expect(world.answers).toEqual([
      'Your request expired: a virtual card for Jane Doe. Nobody decided within 24 hours. Nothing changed. Ask again, or talk to the approvers.',
    ]);
  });

  it.each<[string, ClosedRequest, RegExp]>([
    ['denied', denied, /^Your request was denied by <@U0BEN>: daily limit \$900\.00 · Jane Doe · card 1212\./],
    [
      'expired',
      { ...ofApprover, state: 'expired' },
      /^Your request expired: daily limit \$900\.00 · Jane Doe · card 1212\./,
    ],
    [
      'about a country',
      { ...denied, action: ask('allow'), goals: [abroad], changes: [abroad] },
      /: purchases abroad allowed · Jane Doe · card 1212\./,
    ],
    [
      'to order a card',
      { ...denied, action: ask('order-virtual', { target: virtualOrder }), orderCents: 2500 },
      /: a virtual card for Jane Doe\./,
    ],
    [
      'to block many cards',
      { ...denied, action: ask('block-all', { acctIds: [1, 2], names: ['A', 'B'] }) },
      /: blocking 2 cards\./,
    ],
  ])('that was %s names what it was about', async (_what, request, words) => {
    const world = setUp();

    await world.resolve(request);

    expect(world.answers).toEqual([expect.stringMatching(words)]);
  });

  it.each(['limit', 'allow'] as const)(
    'shows on its alert what was asked (%s), and that the holder asked',
    async (verb) => {
      const world = setUp();
      const ofHolder = openRequestOf(verb === 'allow' ? { changes: [abroad] } : {});

      await world.resolve({ ...ofHolder, state: 'denied', decision });

      expect(world.outcomes).toMatchObject([{ verb, asHolder: true, state: 'failed' }]);
    },
  );

  it('ends the waiting of the alert where a card was picked', async () => {
    const world = setUp();
    const target = { kind: 'card', acctId: 7378, cardId: null, alertId: 'evt_0123456789abcdef' } as const;

    await world.resolve({ ...ofApprover, action: ask('limit', { target }), state: 'expired' });

    expect(world.outcomes).toMatchObject([{ verb: 'limit', state: 'failed' }]);
  });

  it('that was withdrawn notifies the requester, and its alert stops waiting', async () => {
    const world = setUp();

    await world.resolve({ ...ofApprover, state: 'withdrawn', decision });

    expect(world.saved).toEqual(['withdrawn']);
    expect(world.answers).toEqual([expect.stringMatching(/^You withdrew your request: daily limit \$900\.00 ·/)]);
    expect(world.outcomes).toMatchObject([
      { state: 'failed', text: 'It was withdrawn', closed: { how: 'withdrawn', by: decision.by } },
    ]);
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

  it.each(['denied', 'expired', 'withdrawn'] as const)(
    'of a holder names amount, card and rule when it is %s, also after an unconfirmed approval',
    (state) => {
      const request: ClosedRequest = { ...openRequestOf(), decision, state };
      for (const one of [request, withInFlight(request, inFlight('unconfirmed'))])
        expect(requestDecided(one).text).toMatch(/: \$900\.00 · your card 1212\. .*daily limit \$900\.00\. /);
    },
  );

  it('of a holder is reported in a direct message', async () => {
    const world = setUp();

    await world.resolve({ ...openRequestOf(), state: 'expired' });

    expect(world.messages).toEqual(['U0HUGO req_ask1-expired']);
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
    return { ...stateOf(result, askedAt), isNotified: true };
  };

  it.each([
    ['sent', []],
    ['confirmed', [expect.stringContaining('Approved by <@U0BEN>: you can pay $900.00 now.')]],
    ['unconfirmed', [expect.stringContaining('but not confirmed by the card service')]],
  ] as const)('is notified of a change that is %s with these words: %j', async (confirmation, expected) => {
    const { notifyDecided, answers } = setUp({}, { progress: { read: async () => ended(confirmation) } });

    await notifyDecided(approved);

    expect(answers).toEqual(expected);
  });

  it('is told until when the purchase can be paid', async () => {
    const { id, ...made } = temporaryChangeOf({ endsAt: '2026-11-20T15:48:00.000Z' });
    const { notifyDecided, answers } = setUp(
      {},
      {
        progress: { read: async () => ended('confirmed') },
        temporaryChanges: { get: async (asked) => (asked === id ? { id, ...made } : null) },
      },
    );

    await notifyDecided({ ...approved, temporaryChangeId: id });

    expect(answers[0]).toMatch(
      /^Approved by <@U0BEN>: you can pay \$900\.00 until <!date\^\d+\^\{time\}\|[^>]*10:48 AM[^>]*>\./,
    );
    expect(answers[0]).not.toContain('$900.00 now');
  });

  it('is told that a blocked card stays blocked', () => {
    const { text } = requestDecided({ ...approved, isBlocked: true });

    expect(text).toContain(
      'Approved by <@U0BEN>, but your card 1212 is blocked. It works once an approver unblocks it.',
    );
    expect(text).not.toMatch(/try again|can pay/);
  });
});
