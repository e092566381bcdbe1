import { describe, expect, it } from 'vitest';
import { createPromisedBesides, limitsForBoth } from '../../../src/approvals/promised-besides.ts';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { linkHugo } from '../../support/asked-for-more.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
  verbsOf,
  verifyAction,
} from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const forFourHours: Term = { kind: 'duration', ms: 4 * 3_600_000 };

describe('two purchases of one holder within one daily limit of $50.00', () => {
  async function setUp() {
    const updated: string[] = [];
    const world = await createActionWorld(redis(), {
      updateRequest: async (id) => void updated.push(id),
      cardChanged: (changed) => verbsOf(world.deps).refreshRequests(changed),
      timeLeft: async (moment) => Date.parse(moment) - world.deps.now().getTime(),
    });
    world.service.rules = { IsActive: true, DailySpendLimit: 50 };
    const hugo = await linkHugo(world);
    let spentCents = 0;
    const dailyCents = () => Math.round(Number(world.service.rules['DailySpendLimit']) * 100);
    const deps = {
      ...hugo.deps,
      card: {
        ...hugo.deps.card,
        getRemainingLimits: async () => ({
          overall: [{ period: 'daily' as const, limitCents: dailyCents(), remainingCents: dailyCents() - spentCents }],
          categories: [],
        }),
      },
    };
    const asks = async (id: string, amountCents: number, term: Term = forFourHours): Promise<void> => {
      const actor = { userId: 'U0HUGO', teamId: 'T1' };
      await performAction(
        ask('ask', {
          ...byCommand,
          id: `act_${id}`,
          actor,
          roles: ['holder'],
          ask: { amountCents, term },
        }),
        deps,
      );
    };
    const approves = async (id: string): Promise<void> => {
      const revision = (await deps.requests.get(`req_${id}`))?.revision ?? 0;
      const click: VerbAction = ask('decide', {
        id: `act_ben${id}`,
        target: { kind: 'request', requestId: `req_${id}`, revision },
        approve: true,
        actor: { userId: 'U0BEN', teamId: 'T1' },
      });
      await performAction(click, deps);
      world.advance(2000);
      await verifyAction(click.id, deps);
    };
    const text = async (id: string): Promise<string> => {
      const request = await deps.requests.get(`req_${id}`);
      return request === null ? '' : approvalRequest(request).text;
    };
    const spend = (cents: number) => {
      spentCents += cents;
    };
    return { world, deps, updated, hugo, asks, approves, text, spend };
  }

  it('approvers of the second read what was approved for the first, and what both need', async () => {
    const { asks, approves, text, hugo, updated, world } = await setUp();
    await asks('a', 8410);
    await asks('b', 10_000);
    expect(await text('b')).not.toContain('Also approved');

    await approves('a');

    expect(await text('b')).toContain(
      'Also approved: $84.10. If that is not paid yet, both together need: daily limit $184.10.',
    );
    const before = updated.length;
    await verbsOf(world.deps).refreshRequests(acctId);
    expect(updated, 'nothing else has changed').toHaveLength(before);
    await approves('b');
    expect(hugo.told().at(-1)).toMatch(
      /you can pay \$100\.00 until .* It does not cover the \$84\.10 that was approved before as well, unless you have paid that already\./,
    );
  });

  it('also if the second is asked for after the first was approved', async () => {
    const { asks, approves, text } = await setUp();
    await asks('a', 8410);
    await approves('a');

    await asks('b', 10_000);

    expect(await text('b')).toContain('both together need: daily limit $184.10.');
  });

  it('a second one that costs less is not simply called enough', async () => {
    const { asks, approves, text } = await setUp();
    const term: Term = { kind: 'until', at: '2026-11-20T19:00:00.000Z' };
    await asks('a', 10_000, term);
    await asks('b', 8410, term);

    await approves('a');

    expect(await text('b')).toMatch(/^Approval needed: /);
    expect(await text('b')).toContain(
      'Already enough for this alone: daily limit $100.00. Also approved: $100.00. If that is not paid yet, both together need: daily limit $184.10. Change and approve… sets that. Otherwise deny it, or let it expire.',
    );
  });

  it('nothing is said once the first is over, and both are covered if an approver sets that', async () => {
    const { asks, approves, text, world, deps, hugo } = await setUp();
    await asks('a', 8410);
    await asks('b', 10_000);
    await approves('a');
    const changeRequest = { goals: [limitGoal('daily', 18_410)], term: forFourHours };
    const target = { kind: 'request', requestId: 'req_b', revision: 1 } as const;
    const actor = { userId: 'U0BEN', teamId: 'T1' };
    await performAction(ask('decide', { id: 'act_benb', target, approve: true, actor, changeRequest }), deps);
    world.advance(2000);
    await verifyAction('act_benb', deps);
    expect(hugo.told().at(-1)).not.toContain('does not cover');

    await asks('c', 20_000);
    expect(await text('c')).toContain('Also approved: ');
    world.advance(4 * 3_600_000);
    await endTemporaryChange('act_benb', deps);
    await endTemporaryChange('act_bena', deps);

    expect(await text('c')).not.toContain('Also approved');
  });
});

describe('what was promised besides', () => {
  const { action: wanted } = openRequestOf();
  const actionOf = (target: typeof byCommand.target | { kind: 'alert'; alertId: string }) =>
    ask('ask', { ...wanted, target, ...(wanted.verb === 'ask' && { ask: wanted.ask }) });
  const askedBy = (userId: string) => ({ ...actionOf(byCommand.target), actor: { userId, teamId: 'T1' } });
  const other = openRequestOf({ id: 'req_other', action: actionOf(byCommand.target) });
  const promised = async (
    over: Partial<TemporaryChange> = {},
    { of = other as ApprovalRequest | null, paidAt = null as string | null, by = openRequestOf() } = {},
  ) =>
    await createPromisedBesides({
      temporaryChanges: {
        all: async () => [temporaryChangeOf({ requestId: 'req_other', certainty: 'certain', ...over })],
      },
      requests: { get: async () => of },
      paidAt: async () => paidAt,
    })(by);

  it('is what its holder wanted to pay', async () => {
    expect(await promised()).toEqual([90_000]);
  });

  it.each<[string, ReturnType<typeof promised>]>([
    ['of another card', promised({ acctId: acctId + 1 })],
    ['of the request itself', promised({ requestId: 'req_ask1' })],
    ['that no request asked for', promised({ requestId: null })],
    ['that an approver asked for', promised({}, { of: openRequestOf({ action: ask('limit') }) })],
    ['of a request that is no longer known', promised({}, { of: null })],
    ['that is over', promised({ state: 'asking' })],
    ['that nothing has shown', promised({ certainty: 'unconfirmed' })],
    ['that was paid', promised({}, { paidAt: '2026-11-20T15:02:00.000Z' })],
    ['that somebody else asked for', promised({}, { by: openRequestOf({ action: askedBy('U0IDA') }) })],
    ['for an approver’s request', promised({}, { by: openRequestOf({ action: ask('limit') }) })],
  ])('is nothing %s', async (_what, amounts) => {
    expect(await amounts).toEqual([]);
  });

  it('is nothing for the same declined purchase again', async () => {
    const again = openRequestOf({ action: actionOf({ kind: 'alert', alertId: 'evt_1' }) });

    expect(await promised({}, { of: { ...again, id: 'req_other' }, by: again })).toEqual([]);
  });
});

it.each([
  ['the sum of both', {}, [{ ...limitGoal('daily', 98_410) }]],
  ['nothing if an approver sets that', { changes: [{ ...raiseDaily, to: 98_410 }] }, []],
  [
    'nothing if the limit is removed',
    { goals: [limitGoal('daily', null)], changes: [limitChange('daily', 1, null)] },
    [],
  ],
  ['nothing if nothing was promised', { facts: noFacts }, []],
  [
    'no other limit of a category',
    {
      goals: [limitGoal('daily', 100, { id: 1, name: 'Fuel' })],
      changes: [limitChange('daily', 1, 100, { id: 1, name: 'Fuel' })],
    },
    [],
  ],
])('both purchases need %s', (_what, over, limits) => {
  expect(limitsForBoth({ ...openRequestOf(), facts: { ...noFacts, promised: [8410] }, ...over })).toEqual(limits);
});
