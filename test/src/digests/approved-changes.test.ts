import { describe, expect, it } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { nobody, type Statement } from '../../../src/audit/audit-record.ts';
import { approvedChanges } from '../../../src/digests/approved-changes.ts';
import { signer, statement } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const [from, to] = [Date.parse('2026-11-01T00:00:00Z'), Date.parse('2026-12-01T00:00:00Z')];

const raise = { ...statement('act_1'), verb: 'limit', before: 'daily limit $150.00', after: 'daily limit $180.50' };
const within = { ...raise, at: '2026-11-10T10:00:00.000Z' };

async function approved(records: readonly Partial<Statement>[], approvers?: string[]) {
  const describeCard = async () => ({ holder: 'Sam Rivera', last4: '1234', merchant: null, approvers });
  const inForce = () => ({ twoPersonAboveCents: 100_000 });
  const audit = createAudit({ redis: redis(), sign: signer.sign, inForce, describe: describeCard });
  for (const record of records) await audit.append({ ...within, ...record });
  return await approvedChanges(audit, from, to);
}

describe('changes approved in a period', () => {
  it('are listed once each with amount, duration and approvers, however many audit entries they have', async () => {
    const steps = (['asked', 'sent', 'done', 'confirmed'] as const).map((event) => ({
      event,
      duration: 'for 4 hours',
    }));

    expect(await approved(steps)).toEqual([
      {
        kind: 'raise',
        at: within.at,
        holder: 'Sam Rivera',
        last4: '1234',
        merchant: null,
        reason: 'lost',
        before: 'daily limit $150.00',
        after: 'daily limit $180.50',
        cents: 3050,
        duration: 'for 4 hours',
        approvedBy: ['U1'],
        isOverride: false,
        isUnconfirmed: false,
      },
    ]);
  });

  it('are marked as an override if an operator used the emergency override', async () => {
    const changes = await approved([{ event: 'approved', verb: 'emergency-override' }, {}]);

    expect(changes).toMatchObject([{ isOverride: true, cents: 3050 }]);
  });

  it('name everyone who approved them, and for an override only the operator', async () => {
    expect(await approved([{}], ['U0ANA', 'U0BEN'])).toMatchObject([{ approvedBy: ['U0ANA', 'U0BEN'] }]);

    const byOtto = { actionId: 'act_otto', actor: { userId: 'U0OTTO', teamId: 'T1' } };
    const override = { ...byOtto, event: 'approved', verb: 'emergency-override' } as const;
    expect(await approved([override, byOtto], ['U0ANA'])).toContainEqual(
      expect.objectContaining({ isOverride: true, approvedBy: ['U0OTTO'] }),
    );
  });

  it.each([
    [
      'the largest of several raises',
      'daily limit $150.00; weekly limit $600.00',
      'daily limit $400.00; weekly limit $650.00',
      25_000,
    ],
    [
      'nothing for a lowered limit',
      'daily limit $1,150.00; weekly limit $600.00',
      'daily limit $400.00; weekly limit $650.00',
      5000,
    ],
    ['thousands', 'monthly limit $999.99', 'monthly limit $1,234,567.89', 123_356_790],
    ['no amount for a removed limit', 'daily limit $150.00', 'no daily limit', null],
    ['no amount for an allowed rule', 'purchases abroad not allowed', 'purchases abroad allowed', null],
  ])('count %s', async (_what, before, after, cents) => {
    expect(await approved([{ before, after }])).toMatchObject([{ cents }]);
  });

  it('are raises if a limit is raised, also beside what is allowed', async () => {
    const allowed = { before: 'purchases abroad not allowed', after: 'purchases abroad allowed' };
    const both = { before: `daily limit $150.00; ${allowed.before}`, after: `daily limit $180.50; ${allowed.after}` };

    expect(await approved([allowed])).toMatchObject([{ kind: 'lifted', cents: null }]);
    expect(await approved([{ ...both, actionId: 'act_2' }])).toContainEqual(
      expect.objectContaining({ kind: 'raise', cents: null }),
    );
  });

  it.each([
    ['a lowered limit', { before: 'daily limit $400.00', after: 'daily limit $150.00' }],
    ['a new limit where there was none', { before: 'no daily limit', after: 'daily limit $150.00' }],
    ['a rule that is no longer allowed', { before: 'purchases abroad allowed', after: 'purchases abroad not allowed' }],
    ['a block', { verb: 'block', before: 'ACTIVE', after: 'BLOCKED' }],
    [
      'the settings of a channel, such as quiet hours with amounts',
      {
        verb: 'quiet',
        acctId: null,
        before: '22:00-07:00 UTC, daily, except declines over $500.00',
        after: '22:00-07:00 UTC, daily, except declines over $5,000.00',
      },
    ],
    ['a failed change', { event: 'failed' as const }],
    ['a refused change', { event: 'refused' as const }],
    ['an automatic change', { actor: null }],
    ['an earlier change', { at: '2026-10-31T23:59:59.999Z' }],
    ['a later change', { at: '2026-12-01T00:00:00.000Z' }],
  ])('do not include %s', async (_what, over) => {
    expect(await approved([over])).toEqual([]);
  });

  it('do not include a change made in the previous period and confirmed in this one', async () => {
    const before = { event: 'done' as const, at: '2026-10-31T23:59:30.000Z' };

    expect(await approved([before, { event: 'confirmed', at: '2026-11-01T00:00:10.000Z' }])).toEqual([]);
  });

  it('include a change whose response was lost, once it was confirmed', async () => {
    expect(await approved([{ event: 'unknown' }, { event: 'confirmed' }])).toMatchObject([{ cents: 3050 }]);
  });

  it('say of a change that the card service accepted that nothing has shown it, until something does', async () => {
    const accepted = [{ event: 'done' }, { event: 'unconfirmed' }] as const;

    expect(await approved(accepted)).toMatchObject([{ cents: 3050, isUnconfirmed: true }]);
    expect(await approved([...accepted, { event: 'confirmed' }])).toMatchObject([
      { cents: 3050, isUnconfirmed: false },
    ]);
  });

  it('include a temporary change that the card service made late, in the name of the person who asked', async () => {
    const unconfirmed = (['sent', 'unknown', 'unconfirmed'] as const).map((event) => ({
      event,
      duration: 'for 4 hours',
    }));
    const late = { ...nobody, event: 'confirmed', detail: 'made late', at: '2026-11-10T10:05:00.000Z' } as const;

    const { acctId, before, after } = within;
    expect(await approved([...unconfirmed, { ...late, acctId, before, after }])).toMatchObject([
      { at: late.at, cents: 3050, duration: 'for 4 hours', approvedBy: ['U1'], reason: 'lost' },
    ]);
  });

  it('include a reduction that a person took back before its end, and nothing that ended on schedule', async () => {
    const lowered = { before: 'daily limit $400.00', after: 'daily limit $150.00', duration: 'for 4 hours' };
    const back = { event: 'ended', before: lowered.after, after: lowered.before } as const;
    const byBen = { actionId: 'act_ben', verb: 'revert', actor: { userId: 'U0BEN', teamId: 'T1' } };

    expect(await approved([lowered, { ...byBen, ...back }])).toMatchObject([
      { before: 'daily limit $150.00', after: 'daily limit $400.00', cents: 25_000, approvedBy: ['U0BEN'] },
    ]);
    const onSchedule = { ...back, actionId: 'act_3' };
    expect(await approved([{ ...onSchedule, actor: null }])).toHaveLength(1);
    const raiseTakenBack = {
      ...byBen,
      actionId: 'act_4',
      event: 'ended',
      before: raise.after,
      after: raise.before,
    } as const;
    expect(await approved([raiseTakenBack])).toHaveLength(1);
  });

  it('add nothing if a raise is made again or kept while it is in force, and all of it after it ended', async () => {
    const [again, kept, anew] = ['act_2', 'act_3', 'act_4'].map((actionId) => ({ actionId }));
    const ended = {
      ...raise,
      ...nobody,
      event: 'ended',
      actionId: 'act_1',
      before: raise.after,
      after: raise.before,
    } as const;
    const { acctId } = within;
    const other = { actionId: 'act_5', acctId: 99 };
    const records = [
      { duration: 'for 4 hours' },
      { event: 'confirmed' } as const,
      { ...again, duration: 'for 4 hours', api: 'not asked' },
      { ...kept, event: 'ended', detail: 'It stays as it is now. A note.' } as const,
      other,
      { ...ended, acctId, at: within.at },
      { ...anew, duration: 'for 4 hours' },
    ];

    expect((await approved(records)).map(({ cents }) => cents)).toEqual([3050, 0, 0, 3050, 3050]);
  });

  it.each([
    ['made again without an end', { event: 'done', api: 'not asked' }],
    ['kept', { event: 'ended', detail: 'It stays as it is now.' }],
  ] as const)('add nothing if a raise of an earlier period is %s', async (_what, over) => {
    const earlier = { at: '2026-10-12T10:00:00.000Z', duration: 'for 30 days' };

    expect((await approved([earlier, { ...over, actionId: 'act_2' }])).map(({ cents }) => cents)).toEqual([0]);
  });

  it('include an order that was confirmed days after its answer was lost', async () => {
    const order = { verb: 'order-virtual', before: null, acctId: null, after: 'virtual card, funded with $250.00' };
    const lost = (['sent', 'unknown'] as const).map((event) => ({ ...order, event, at: '2026-10-30T10:00:00.000Z' }));
    const arrived = { ...order, after: null, event: 'confirmed', at: '2026-11-01T15:00:00.000Z' } as const;

    expect(await approved([...lost, arrived])).toMatchObject([{ kind: 'order', cents: 25_000 }]);
  });

  it('count a raise in full if it was sent, whoever made the same one at that moment', async () => {
    const first = { actionId: 'act_1', duration: 'for 4 hours' };
    const second = { ...first, actionId: 'act_2', api: 'not asked' };
    const records = [{ ...first, event: 'sent' }, first, second, { ...first, event: 'confirmed' }] as const;

    expect((await approved(records)).map(({ cents }) => cents)).toEqual([3050, 0]);
  });

  it.each([
    ['lowered in steps', ['daily limit $160.00', 'daily limit $150.00'], []],
    ['lowered in the portal', [], []],
    ['put back one rule at a time', [], ['daily limit $180.50', 'weekly limit $700.00']],
  ])('count a raise in full that is made again after the limit was %s', async (_what, lower, back) => {
    const both = {
      before: 'daily limit $150.00; weekly limit $600.00',
      after: 'daily limit $180.50; weekly limit $700.00',
    };
    const sides = back.length > 0 ? both : {};
    const made = (actionId: string) => (['sent', 'done'] as const).map((event) => ({ actionId, event, ...sides }));
    const { acctId } = within;
    const ended = { ...raise, ...nobody, event: 'ended', at: within.at, acctId } as const;
    const lowered = lower.map((after, index) => ({
      actionId: `act_lower_${index}`,
      before: lower[index - 1] ?? raise.after,
      after,
    }));
    const parts = back.map((before, index) => ({ ...ended, before, after: both.before.split('; ')[index] ?? '' }));

    const changes = await approved([...made('act_1'), ...lowered, ...parts, ...made('act_3')]);
    expect(changes.map(({ cents }) => cents)).toEqual(back.length > 0 ? [10_000, 10_000] : [3050, 3050]);
  });

  it('count in full what a person put back a second time', async () => {
    const reduction = { before: raise.after, after: raise.before, actionId: 'act_lower' };
    const back = (actionId: string) =>
      ({ actionId, event: 'ended', detail: 'The temporary change has ended.' }) as const;
    const other = {
      ...reduction,
      before: `${raise.after}; weekly limit $700.00`,
      after: `${raise.before}; weekly limit $600.00`,
    };

    const changes = await approved([reduction, back('act_1'), { ...other, actionId: 'act_2' }, back('act_3')]);
    expect(changes.map(({ cents }) => cents)).toEqual([3050, 3050]);
  });

  it('include what a person took back if the same click ended a question, too', async () => {
    const question = {
      event: 'ended',
      verb: 'revert',
      before: 'weekly limit $900.00',
      after: 'weekly limit $600.00',
    } as const;

    expect(await approved([question, { event: 'ended', verb: 'revert' }])).toMatchObject([{ cents: 3050 }]);
  });

  it('include an order whose response was lost, once its card arrived, and none that made no card', async () => {
    const order = { verb: 'order-virtual', before: null, acctId: null };
    const after = 'virtual card, funded with $250.00';
    const unknown = { ...order, event: 'unknown', after } as const;
    const arrived = { ...order, event: 'confirmed', after: null, confirmedBy: 'webhook', detail: 'created' } as const;

    expect(await approved([unknown, arrived])).toMatchObject([{ after, cents: 25_000 }]);
    const notCreated = { ...arrived, detail: 'not_created: Group' };
    const others = [{ ...order, after }, notCreated].map((one) => ({ ...one, actionId: 'act_2' }));
    expect(await approved(others)).toHaveLength(1);
    expect(await approved([unknown, notCreated].map((one) => ({ ...one, actionId: 'act_3' })))).toHaveLength(1);
  });

  it('count no money on a card that could not be funded', async () => {
    const order = { verb: 'order-virtual', before: null, acctId: null };
    const ordered = { ...order, after: 'virtual card, funded with $1,250.00, ruleset 7' };
    const arrived = { ...order, event: 'confirmed', after: null, confirmedBy: 'webhook' } as const;

    expect(await approved([ordered, { ...arrived, detail: 'partial: Ruleset, Funding' }])).toMatchObject([
      { kind: 'order', after: 'virtual card, not funded, ruleset 7', cents: null },
    ]);
    const others = [ordered, { ...arrived, detail: 'partial: Ruleset' }].map((one) => ({ ...one, actionId: 'act_2' }));
    expect(await approved(others)).toContainEqual(expect.objectContaining({ after: ordered.after, cents: 125_000 }));
  });

  it('include the amount of an ordered virtual card', async () => {
    const order = { verb: 'order-virtual', before: null, acctId: null };

    expect(await approved([{ ...order, after: 'virtual card, funded with $250.00, ruleset 7' }])).toMatchObject([
      { kind: 'order', cents: 25_000, before: null, duration: null },
    ]);
    expect(await approved([{ ...order, actionId: 'act_2', after: 'virtual card' }])).toContainEqual(
      expect.objectContaining({ after: 'virtual card', cents: null }),
    );
  });
});
