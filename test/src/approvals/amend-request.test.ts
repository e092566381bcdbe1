import { describe, expect, it } from 'vitest';
import { createAmendRequest } from '../../../src/approvals/amend-request.ts';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { clickOfBen, decisionsOf } from '../../support/decisions.ts';
import { askedAt, clickThatCounts, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import type { Over } from '../../support/perform-world.ts';

describe('an approval', () => {
  it('that makes a third one necessary shows what the approver added, not only what was asked for', async () => {
    const bands = [
      { upToCents: 100_000, approvals: 1 },
      { upToCents: 500_000, approvals: 2 },
      { upToCents: null, approvals: 3 },
    ];
    const world = decisionsOf(500_001, 100_001, null, { bands });
    const asked = { rule: raiseDaily.rule, ownCents: 400_000, earlier: [], aboveCents: 100_000, cap: null };

    await world.run(clickOfBen(), openRequestOf({ counted: asked, needed: 2 }));

    expect(world.saved).toMatchObject([{ needed: 3, counted: { earlier: [{ by: 'U0BEN', cents: 100_001 }] } }]);
  });

  it('with another amount restarts the count without the approvals of the first amount', async () => {
    const world = decisionsOf(100_001);
    const goals = [{ rule: raiseDaily.rule, to: 200_000 }];
    const changeRequest = { goals, term: { kind: 'duration', ms: 3_600_000 } } as const;
    const approvals = [{ by: 'U0ZOE', at: askedAt, actionId: 'act_zoe' }];

    await world.run(clickOfBen({ changeRequest }), openRequestOf({ approvals, needed: 2 }));

    expect(world.saved).toMatchObject([{ changes: [{ to: 200_000 }], approvals: [{ by: 'U0BEN' }] }]);
  });

  it('with another amount counts the raise of that amount', async () => {
    const world = decisionsOf(120_000);
    const changeRequest = { goals: [{ rule: raiseDaily.rule, to: 160_000 }], term: openRequestOf().term };
    const asked = { rule: raiseDaily.rule, ownCents: 150_000, earlier: [], aboveCents: 100_000, cap: null };
    const approvals = [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }];

    await world.run(clickOfBen({ changeRequest }), openRequestOf({ counted: asked, approvals, needed: 2 }));

    expect([...world.saved, ...world.executed]).toMatchObject([{ counted: { ownCents: 120_000 } }]);
  });

  it.each<[string, number, Term, string[]]>([
    ['less, for the same time', 60_000, openRequestOf().term, ['U0HUGO', 'U0BEN']],
    ['the same amount, for the same time', 90_000, openRequestOf().term, ['U0HUGO', 'U0ZOE', 'U0BEN']],
    ['more, for the same time', 95_000, openRequestOf().term, ['U0BEN']],
    ['less, for another time', 60_000, { kind: 'permanent' }, ['U0BEN']],
    ['the same amount, for another time', 90_000, { kind: 'permanent' }, ['U0BEN']],
  ])('of %s keeps only approvals of at least as much', async (_what, to, term, kept) => {
    const world = decisionsOf(100_001);
    const changeRequest = { goals: [{ rule: raiseDaily.rule, to }], term };
    const approvals = ['U0HUGO', 'U0ZOE'].map((userId) => ({ by: userId, at: askedAt, actionId: null }));

    await world.run(
      clickOfBen({ changeRequest, reason: 'as agreed' }),
      openRequestOf({ approvals, needed: 4, note: 'first' }),
    );

    const [request] = [...world.saved, ...world.executed] as Pick<ApprovalRequest, 'approvals' | 'note' | 'changes'>[];
    expect(request?.approvals.map((approval) => approval.by)).toEqual(kept);
    expect(request?.changes).toMatchObject([{ to }]);
    expect(request?.note).toBe(kept.includes('U0ZOE') ? 'as agreed; first' : 'as agreed');
  });
});

describe('a request that is changed and approved', () => {
  /** The limit goes back to $300 before a permanent change would end. */
  async function amended(over: Over, request = openRequestOf()) {
    const amend = createAmendRequest({
      recount: async () => ({ needed: 1, counted: null }),
      raises: { changesFromBase: async (changes) => changes.map((change) => ({ ...change, from: 30_000 })) },
    });
    return await amend(clickOfBen(over), clickThatCounts(request));
  }
  const changedTo = (to: number, term: Term): Over => ({
    changeRequest: { goals: [{ rule: raiseDaily.rule, to }], term },
  });

  it.each<[string, Term, number]>([
    ['the same time', openRequestOf().term, 40_000],
    ['a time in which the limit goes back', { kind: 'permanent' }, 30_000],
  ])('is counted, for %s, from what the limit then is', async (_what, term, from) => {
    expect(await amended(changedTo(60_000, term))).toMatchObject({ changes: [{ from, to: 60_000 }], revision: 1 });
  });

  it('needs somebody else beside the approver who asked for more', async () => {
    const approvals = [{ by: 'U0HUGO', at: askedAt, actionId: null }];
    const request = openRequestOf({ approvals, needed: 2 });

    expect(await amended(changedTo(60_000, request.term), request)).toMatchObject({ needed: 2 });
  });

  it('needs only as many approvals as the smaller change', async () => {
    const request = openRequestOf({ needed: 3 });

    expect(await amended(changedTo(60_000, request.term), request)).toMatchObject({ needed: 1 });
  });
});

describe('a request that is approved as it is', () => {
  it('keeps the note of its approver, which whoever asked reads', async () => {
    const world = decisionsOf(50_000);

    await world.run(clickOfBen({ reason: 'Book the refundable rate' }), openRequestOf());

    expect([...world.saved, ...world.executed]).toMatchObject([{ note: 'Book the refundable rate' }]);
  });

  it('never needs fewer approvals than it showed', async () => {
    const counted = { rule: raiseDaily.rule, ownCents: 150_000, earlier: [], aboveCents: 100_000, cap: null };
    const world = decisionsOf(50_000);

    await world.run(clickOfBen(), openRequestOf({ needed: 2, counted }));

    expect(world.saved).toMatchObject([{ needed: 2, counted, revision: 0 }]);
  });
});
