import { describe, expect, it } from 'vitest';
import { createRequestVerbs } from '../../../src/approvals/decide-request.ts';
import { ApprovalRequest } from '../../../src/approvals/request.ts';
import type { DecideAction } from '../../../src/approvals/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, override } from '../../support/asked-for-more.ts';
import { clickOfBen, decisionsOf } from '../../support/decisions.ts';
import { held } from '../../support/held.ts';
import { askedAt, inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, type Over, performAction, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();

interface Given {
  readonly now?: string;
  /** The click has done something to its request before a crash. */
  readonly isResumed?: boolean;
  readonly notYet?: string;
  readonly isGroupKnown?: boolean;
  /** Why the approval does not count. */
  readonly why?: string;
}

const refused = (why: string): string => `${why} (${acctId})`;

function setUp(
  request: ApprovalRequest | null,
  { now = askedAt, isResumed = false, notYet, isGroupKnown = true, why }: Given = {},
) {
  const steps: string[] = [];
  const whyNotYet = async () => (notYet === undefined ? null : { why: notYet, whoCan: 'Wait.' });
  const decisions = {
    resume: async () => isResumed,
    approve: async () => {
      if (why === undefined) steps.push('approved');
      return why === undefined ? null : { why, whoCan: 'Ask another approver.' };
    },
    deny: async () => void steps.push('denied'),
    withdraw: async () => void steps.push('withdrawn'),
  };
  const { decideRequest } = createRequestVerbs({
    requests: { get: async () => request },
    execution: { stop: whyNotYet, whyNotYet },
    expire: async () => void steps.push('expired'),
    decisions,
    responses: {
      refuse: async (_action, { why, whoCan }, about) =>
        void steps.push(`${why} ${typeof whoCan === 'string' ? whoCan : whoCan.text} (${about?.acctId ?? 'no card'})`),
    },
    rights: {
      mayAct: async () => isGroupKnown || null,
      whoMay: async () => [],
      authorize: async () => expect.fail('only a withdrawal asks'),
    },
    now: () => new Date(now),
  });
  return { decide: (action: DecideAction) => decideRequest(action, { isLast: false, lease: held }), steps };
}

describe('a decision', () => {
  const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };
  const made = { temporaryChangeId: null };
  const denied: ApprovalRequest = { ...openRequestOf(), state: 'denied', decision };

  it.each<[string, ApprovalRequest | null, Over, string[]]>([
    ['that approves', openRequestOf(), {}, ['approved']],
    ['that denies', openRequestOf(), { approve: false }, ['denied']],
    ['about a request that is gone', null, {}, ['This request is too old. Whoever asked can ask again. (no card)']],
    [
      'about a decided request',
      denied,
      { id: 'act_zoe' },
      [refused('This request is denied already. Nothing is left to decide.')],
    ],
  ])('%s', async (_what, request, over, expected) => {
    const { decide, steps } = setUp(request);

    await decide(clickOfBen(over));

    expect(steps).toEqual(expected);
  });

  it.each<[ApprovalRequest['state'], string]>([
    ['approved', 'approved'],
    ['denied', 'denied'],
    ['overridden', 'settled by an emergency override'],
  ])('about a request that is %s says so', async (state, words) => {
    const { decide, steps } = setUp(ApprovalRequest.parse({ ...denied, state, ...(state === 'denied' ? {} : made) }));

    await decide(clickOfBen({ id: 'act_zoe' }));

    expect(steps).toEqual([refused(`This request is ${words} already. Nothing is left to decide.`)]);
  });

  it('waits while the group of the card is not known', async () => {
    const { decide, steps } = setUp(openRequestOf(), { isGroupKnown: false });

    await expect(decide(clickOfBen())).rejects.toThrow('did not return the group of a card');

    expect(steps).toEqual([]);
  });

  it('about a request that expired says so', async () => {
    const { decide, steps } = setUp({ ...openRequestOf(), state: 'expired' });

    await decide(clickOfBen());

    expect(steps).toEqual([refused('This request is expired already. Nothing is left to decide.')]);
  });

  it('that has sent its change continues, whatever was decided meanwhile', async () => {
    const { decide, steps } = setUp(denied, { isResumed: true });

    await decide(clickOfBen({ id: 'act_zoe' }));

    expect(steps).toEqual([]);
  });

  it.each<[string, Over, Given, string[]]>([
    ['approves, which is still possible', {}, { notYet: 'Under way.' }, ['approved']],
    ['denies', { approve: false }, { notYet: 'Under way.' }, [refused('Under way. Wait.')]],
    ['is too late', {}, { notYet: 'Under way.', now: '2026-11-21T15:00:00.001Z' }, [refused('Under way. Wait.')]],
    ['is just in time', {}, { now: '2026-11-21T15:00:00.000Z' }, ['approved']],
    [
      'is refused by the policy',
      {},
      { why: 'Nobody approves twice.' },
      [refused('Nobody approves twice. Ask another approver.')],
    ],
  ])('while an approval is in flight, or by a person the policy refuses: %s', async (_what, over, given, expected) => {
    const { decide, steps } = setUp(openRequestOf(), given);

    await decide(clickOfBen(over));

    expect(steps).toEqual(expected);
  });

  it('that is too late ends the request', async () => {
    const { decide, steps } = setUp(openRequestOf(), { now: '2026-11-21T15:00:00.001Z' });

    await decide(clickOfBen());

    expect(steps).toEqual([
      'expired',
      refused('Nobody decided within 24 hours. The request has expired. Whoever asked can ask again.'),
    ]);
  });
});

it('an expired request sends deciders of an order to whoever asked for it, and not to the order form', async () => {
  const ofOrder = openRequestOf({
    action: ask('order-virtual', { target: virtualOrder }),
    orderCents: 2500,
    changes: [],
    goals: [],
  });
  const { decide, steps } = setUp(ofOrder, { now: '2026-11-21T15:00:00.001Z' });

  await decide(clickOfBen());

  expect(steps.at(-1)).toContain('The request has expired. Whoever asked can ask again.');
});

describe('an approval', () => {
  it('makes the change if it is the last one needed', async () => {
    const world = decisionsOf();

    await world.run(clickOfBen());

    expect(world.executed).toMatchObject([
      { changes: [raiseDaily], approvals: [{ by: 'U0BEN', actionId: 'act_ben' }] },
    ]);
    expect(world.saved).toEqual([]);
  });

  it('is only counted if others also have to approve', async () => {
    const world = decisionsOf(100_001);

    await world.run(clickOfBen());

    expect(world.saved).toMatchObject([{ state: 'open', needed: 2, approvals: [{ by: 'U0BEN' }] }]);
    expect(world.executed).toEqual([]);
  });

  it('needs another one if the approver raised the same limit that day, and the request and audit entry show by how much', async () => {
    const world = decisionsOf(100_001, 60_001);
    const counted = {
      rule: raiseDaily.rule,
      ownCents: 40_000,
      earlier: [{ by: 'U0BEN', at: '2026-11-20T14:12:00.000Z', cents: 60_001 }],
      aboveCents: 100_000,
      cap: null,
    };

    await world.run(clickOfBen());

    expect(world.saved).toMatchObject([{ state: 'open', needed: 2, approvals: [{ by: 'U0BEN' }], counted }]);
    expect(world.recorded).toEqual([
      {
        detail:
          'req_ask1: This raises the daily limit by $400.00. U0BEN raised it by $600.01 at 2026-11-20T14:12:00.000Z: $1,000.01 in 24 hours.',
        counted,
      },
    ]);
  });

  it('that does not count is neither audited nor executed', async () => {
    const world = decisionsOf(0, 0, 'Nobody approves twice.');

    expect(await world.run(clickOfBen())).toMatchObject({ why: 'Nobody approves twice.' });
    expect([world.recorded, world.saved, world.executed]).toEqual([[], [], []]);
  });

  it('is audited as an approval of the unchanged request', async () => {
    const world = decisionsOf();

    expect(await world.run(clickOfBen())).toBeNull();
    expect(world.told).toEqual([{ event: 'approved', outcome: 'as requested' }]);
  });

  it('that changes the request audits who asked for what and what it was changed to', async () => {
    const world = decisionsOf();
    const changeRequest = { goals: [{ rule: raiseDaily.rule, to: 60_000 }], term: openRequestOf().term };

    await world.run(clickOfBen({ changeRequest }));

    expect(world.told).toEqual([
      {
        event: 'approved',
        outcome: 'asked for daily limit $900.00, for 1 hour; changed to daily limit $600.00, for 1 hour',
        outcomeOf: 'U0HUGO',
      },
    ]);
    expect(world.recorded).toMatchObject([
      {
        detail:
          'req_ask1: U0HUGO asked for daily limit $900.00, for 1 hour; changed to daily limit $600.00, for 1 hour',
      },
    ]);
  });

  it('does not audit again the raise that was counted with the request', async () => {
    const counted = { rule: raiseDaily.rule, ownCents: 100_001, earlier: [], aboveCents: 100_000, cap: null };
    const world = decisionsOf(100_001);

    await world.run(clickOfBen(), openRequestOf({ counted, needed: 2 }));

    expect(world.recorded).toEqual([{ detail: 'req_ask1', counted: null }]);
  });

  it.each([
    ['no approval is in flight', [], 'nothing changed'],
    ['an approval has only begun', [inFlight('begun')], 'nothing changed'],
    ['an earlier approval was sent', [inFlight('sent')], 'whether an earlier approval changed anything is not certain'],
  ])('that is denied while %s reports the effect on the card', async (_what, underWay, outcome) => {
    const world = decisionsOf();

    await world.refuse(clickOfBen({ approve: false, reason: 'too much' }), openRequestOf({ inFlight: underWay }));

    expect(world.told).toEqual([{ event: 'denied', outcome }]);
    expect(world.finished).toMatchObject([
      { state: 'denied', note: 'too much', decision: { actionId: 'act_ben', by: 'U0BEN' } },
    ]);
  });
});

it('a record of an approval and its line in the audit channel say how long the change lasts', async () => {
  const lines: string[] = [];
  const world = await createActionWorld(redis(), { postAuditLine: async (_id, { text }) => void lines.push(text) });
  const { deps } = await askedToPay(world, 50_000);

  await performAction(approvalClick('act_ben', 'U0BEN'), deps);

  expect(lines[0]).toMatch(/^<@U0BEN> approved a change of the daily limit of .*: for 1 hour, as requested\.$/);
  expect(lines[1]).toMatch(/^<@U0BEN> changed the limit of .*\$900\.00, for 1 hour, <!date\^\d+\^until /);
  const records = (await world.records()).map(({ event, duration }) => [event, duration]);
  expect(records).toContainEqual(['approved', 'for 1 hour']);
  expect(records).toContainEqual(['done', 'for 1 hour']);
});

it('the record of an emergency override says how long the change lasts', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await askedToPay(world, 50_000);
  world.advance(REQUEST_OVERDUE_MS);

  await performAction(override, deps);

  expect((await world.records()).find(({ event }) => event === 'approved')).toMatchObject({ duration: 'for 1 hour' });
});
