import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ActionState, stateOf } from '../../../src/actions/action-state.ts';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { TooLateError } from '../../../src/core/errors.ts';
import { createRestore, type Restored, type WhyNotEnd } from '../../../src/limits/restore.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { putRulesWith } from '../../support/put-rules.ts';
import { openedAt, rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const now = (): Date => new Date('2026-11-20T16:00:00.000Z');
const ana = { userId: 'U0ANA', teamId: 'T1' };

/** No other temporary change runs. */
const alone = {
  temporaryChanges: { all: async () => [], save: async () => {} },
  outcomes: { show: async () => {} },
  notifyEnd: { show: async () => {}, notify: async () => {} },
};

const followingRuleset = (rulesetId: number | null) =>
  AccountDetails.parse({ AccountId: 7378, AccountStatus: 'OPEN', SpendingRulesetId: rulesetId, CardList: [] });

/** The automatic end of the card's only temporary change. @param written gets the values that are written. */
function endAlone(over: Partial<TemporaryChange>, limits: Parameters<typeof rulesOf>[0], written: unknown[]) {
  const restore = createRestore({
    progress: { read: async () => null, write: async (_id, entry) => entry },
    card: {
      getAccount: async () => followingRuleset(null),
      getSpendRules: async () => ({ rules: rulesOf(limits), raw: {} }),
    },
    putRules: putRulesWith(
      (_raw, goals) => ({ goals: goals.map(({ to }) => to) }),
      async (_acctId, raw) => void written.push(raw),
    ),
    latestChanges: { changed: async () => ({}), notMade: async () => ({}) },
    ...alone,
    now,
  });
  return restore(temporaryChangeOf(over), null, held);
}

afterEach(() => void vi.restoreAllMocks());

const unknown = { state: 'unknown', card, before: null, after: null, apiWords: null, note: null } as const;

const afterOf = (restored: Restored) => (restored.kind === 'over' ? restored.after : null);

describe('restoring the previous rules', () => {
  /** What the last restore did. */
  const steps: string[] = [];

  async function restore(
    dailyCents: number | null,
    over: Partial<TemporaryChange> = {},
    written: ActionState | null = null,
    lease = held,
    ofChange: ActionState | null = null,
    whyNot: () => Promise<WhyNotEnd | null> = async () => null,
    reading: () => void = () => {},
    rulesetId: number | null = null,
  ) {
    steps.length = 0;
    const restored = await createRestore({
      progress: {
        read: async (id) => (id === 'act_1' ? ofChange : written),
        write: async (_id, entry) => {
          const sides = entry.state === 'sending' ? `: ${entry.before} → ${entry.after}` : '';
          steps.push(`progress ${entry.state}${sides}`);
          return entry;
        },
      },
      card: {
        getAccount: async () => followingRuleset(rulesetId),
        getSpendRules: async () => {
          reading();
          return { rules: rulesOf({ daily: dailyCents }), raw: { kept: true } };
        },
      },
      putRules: putRulesWith(
        (raw, goals) => ({ ...raw, daily: goals.map(({ to }) => to) }),
        async (_acctId, raw) => void steps.push(`written ${JSON.stringify(raw)}`),
      ),
      latestChanges: {
        async changed(_acctId, { kind }, { id, askedAt }) {
          steps.push(`${kind} changed by ${id}, asked for at ${askedAt}`);
          return {};
        },
        async notMade(_acctId, { kind }, { id }) {
          steps.push(`${kind} not changed by ${id}`);
          return {};
        },
      },
      ...alone,
      now,
    })(
      temporaryChangeOf(over),
      { id: 'act_click', actor: ana, askedAt: '2026-11-20T16:00:00.000Z', isKept: false, whyNot },
      lease,
    );
    return { restored, after: afterOf(restored), steps };
  }

  it('writes nothing if whoever reverts it lost the right to while the rules were read', async () => {
    const { restored, steps } = await restore(45_000, {}, null, held, null, async () => 'late');

    expect(restored).toEqual({ kind: 'forbidden', why: 'late' });
    expect(steps).toEqual([]);
  });

  it('leaves out the limits of a category that the card has lost meanwhile', async () => {
    const lost = limitChange('daily', 20_000, 30_000, { id: 5, name: 'Fuel' });
    const daily = limitChange('daily', 40_000, 45_000);

    const { after } = await restore(45_000, { changes: [lost, daily] });
    expect(after).toMatchObject({ state: 'ended', changes: [daily] });
    expect(steps).toContain('written {"kept":true,"daily":[40000]}');

    expect(await restore(45_000, { changes: [lost] })).toMatchObject({
      after: { state: 'kept', changes: [lost], closedBy: null, closedAt: now().toISOString() },
      steps: [],
    });
  });

  const begun = [
    'progress sending: daily limit $450.00 → daily limit $400.00',
    'rule changed by end-act_1, asked for at 2026-11-20T16:00:00.000Z',
  ];
  const sending = { state: 'sending', before: 'daily limit $450.00', after: 'daily limit $400.00' } as const;

  it.each<[string, number, ActionState | null, string[]]>([
    ['whoever reverts it was asked about', 0, null, []],
    ['the progress was written', 1, null, [...begun, 'rule not changed by end-act_1', 'progress asked']],
    ['the progress was read that an earlier attempt had written', 1, sending, begun.slice(1)],
  ])('writes nothing if the rules were read too long ago when %s', async (_what, step, written, left) => {
    let elapsedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
    const wait = () => {
      elapsedMs += 11_000;
    };
    const slow = {
      async confirm() {
        if (step === 1) wait();
      },
    };
    const asked = async () => {
      if (step === 0) wait();
      return null;
    };

    await expect(restore(45_000, {}, written, slow, null, asked)).rejects.toThrow(TooLateError);
    expect(steps).toEqual(left);
  });

  it('writes the rules however long the card service took to send them', async () => {
    let elapsedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);

    const { steps } = await restore(
      45_000,
      {},
      null,
      held,
      null,
      async () => null,
      () => {
        elapsedMs += 30_000;
      },
    );

    expect(steps.at(-1)).toBe('written {"kept":true,"daily":[40000]}');
  });

  it('writes the progress and then the old rules if nobody changed them in the meantime', async () => {
    const { after, steps } = await restore(45_000);

    expect(steps).toEqual([
      'progress sending: daily limit $450.00 → daily limit $400.00',
      'rule changed by end-act_1, asked for at 2026-11-20T16:00:00.000Z',
      'written {"kept":true,"daily":[40000]}',
    ]);
    expect(after).toMatchObject({ state: 'ended', closedBy: 'U0ANA', closedAt: now().toISOString() });
  });

  it.each<[string, Parameters<typeof rulesOf>[0], RuleChange, RuleChange]>([
    [
      'a day that someone raised above the week it would go back to',
      { daily: 100_000, weekly: 5_000_000 },
      limitChange('weekly', 60_000, 5_000_000),
      limitChange('weekly', 100_000, 5_000_000),
    ],
    [
      'a week that someone lowered below the day it would go back to',
      { daily: 10_000, weekly: 50_000 },
      limitChange('daily', 60_000, 10_000),
      limitChange('daily', 50_000, 10_000),
    ],
    [
      'a week that is not in its way',
      { daily: 10_000, weekly: 60_000 },
      limitChange('daily', 60_000, 10_000),
      limitChange('daily', 60_000, 10_000),
    ],
  ])('goes back as far as the card service accepts beside %s', async (_what, limits, change, accepted) => {
    const written: unknown[] = [];
    const restored = await endAlone({ changes: [change] }, limits, written);

    expect(written).toEqual([{ goals: [accepted.from] }]);
    expect(afterOf(restored)).toMatchObject({ state: 'ended', changes: [accepted] });
  });

  it('writes nothing if the rules are already restored, by someone or before a crash', async () => {
    const { after, steps } = await restore(40_000);

    expect(steps).toEqual([]);
    expect(after?.state).toBe('ended');
  });

  it('asks people about a reduction from a restored backup, because it may be permanent since; a raise ends', async () => {
    const [reduction, raise] = [limitChange('daily', 50_000, 10_000), limitChange('weekly', 60_000, 70_000)];
    const limits = { daily: 10_000, weekly: 70_000 };
    const written: unknown[] = [];
    const end = async (over: Partial<TemporaryChange>, beside: typeof limits) =>
      afterOf(await endAlone(over, beside, written));

    expect(await end({ changes: [reduction], isFromBackup: true }, limits)).toMatchObject({
      state: 'asking',
      meanwhile: [limitChange('daily', 10_000, 10_000)],
    });
    expect(written).toEqual([]);
    expect(await end({ changes: [reduction, raise], isFromBackup: true }, limits)).toMatchObject({
      state: 'asking',
      meanwhile: [limitChange('daily', 10_000, 10_000), limitChange('weekly', 70_000, 60_000)],
    });
    expect(written.splice(0)).toEqual([{ goals: [60_000] }]);
    const back = { daily: 50_000, weekly: 70_000 };
    expect(await end({ changes: [reduction, raise], isFromBackup: true }, back)).toMatchObject({ state: 'ended' });
    expect(await end({ changes: [reduction] }, limits)).toMatchObject({ state: 'ended' });
    expect(written).toHaveLength(2);
  });

  /** The temporary changes end one after another. Returns what was written, and the last states. */
  async function endAll(limits: Record<string, number>, ...open: readonly TemporaryChange[]) {
    const kept = new Map(open.map((one) => [one.id, one]));
    const written: string[] = [];
    const restoreOne = createRestore({
      progress: { read: async () => null, write: async (_id, entry) => entry },
      card: {
        getAccount: async () => followingRuleset(null),
        getSpendRules: async () => ({ rules: rulesOf(limits), raw: {} }),
      },
      putRules: putRulesWith(
        (_raw, goals) =>
          Object.fromEntries(goals.map(({ rule, to }) => [rule.kind === 'limit' ? rule.period : rule.kind, to])),
        async (_acctId, goals) => {
          written.push(JSON.stringify(goals));
          Object.assign(limits, goals);
        },
      ),
      latestChanges: { changed: async () => ({}), notMade: async () => ({}) },
      ...alone,
      temporaryChanges: {
        all: async () => [...kept.values()].filter(({ state }) => state === 'open' || state === 'asking'),
        save: async (one) => void kept.set(one.id, one),
      },
      now,
    });
    for (const { id } of open) {
      const ending = kept.get(id);
      const after = ending && afterOf(await restoreOne(ending, null, held));
      if (after != null) kept.set(id, after);
    }
    return { written, states: [...kept.values()].map(({ state }) => state), limits };
  }
  const marked = (from: number): TemporaryChange =>
    temporaryChangeOf({ changes: [limitChange('daily', from, 10_000)], isFromBackup: true, certainty: 'certain' });
  const later = { id: 'act_2', openedAt: '2026-11-20T15:30:00.000Z', certainty: 'certain' } as const;

  it('a limit from a restored backup that goes back together with another change is asked about as well', async () => {
    const weekly = temporaryChangeOf({ ...later, changes: [limitChange('weekly', 70_000, 10_000)] });

    expect(await endAll({ daily: 10_000, weekly: 10_000 }, marked(50_000), weekly)).toEqual({
      written: [],
      states: ['ended', 'asking'],
      limits: { daily: 10_000, weekly: 10_000 },
    });
  });

  it.each([
    ['above', 90_000],
    ['to', 60_000],
    ['below', 40_000],
  ])(
    'a raise %s the value before a reduction from a restored backup ends by itself, and people decide about the reduction',
    async (_where, to) => {
      const raise = temporaryChangeOf({ ...later, changes: [limitChange('daily', 10_000, to)] });

      expect(await endAll({ daily: to }, marked(60_000), raise)).toEqual({
        written: ['{"daily":10000}'],
        states: ['asking', 'ended'],
        limits: { daily: 10_000 },
      });
    },
  );

  it.each<[string, Partial<TemporaryChange>, number | null, TemporaryChange['state']]>([
    ['people decide about a ruleset that was assigned meanwhile', {}, 2, 'asking'],
    ['people decide about another ruleset than the one before', { rulesetId: 1 }, 2, 'asking'],
    ['a ruleset that it followed before stops nothing', { rulesetId: 2 }, 2, 'ended'],
    ['none stops nothing', { rulesetId: 2 }, null, 'ended'],
    [
      'a ruleset that people were asked about stops nothing',
      { rulesetId: 2, state: 'asking', meanwhile: [limitChange('daily', 45_000, 45_000)] },
      2,
      'ended',
    ],
  ])('would take the card off its ruleset: %s', async (_what, over, rulesetId, state) => {
    const { after, steps } = await restore(45_000, over, null, held, null, undefined, undefined, rulesetId);

    expect(after).toMatchObject({ state, rulesetId });
    expect(steps.some((step) => step.startsWith('written'))).toBe(state === 'ended');
  });

  const lowered = [limitChange('daily', 45_000, 30_000)];

  it.each<[string, ActionState | null, Partial<TemporaryChange>, number]>([
    ['someone did', null, {}, 40_000],
    ['we did before a crash', sending, {}, 45_000],
    ['we did before a crash, once people had decided', sending, { state: 'asking', meanwhile: lowered }, 30_000],
  ])('remembers what the rules were before they went back if %s', async (_who, written, over, was) => {
    const { after } = await restore(40_000, over, written);

    expect(after?.meanwhile?.map(({ to }) => to)).toEqual([was]);
  });

  it.each<[string, ActionState, 'ended' | null]>([
    ['is being sent', { state: 'sending', before: null, after: null, basis: 'b', sentAt: now().toISOString() }, null],
    [
      'got no answer and is being verified',
      {
        ...stateOf(
          { ...unknown, expects: { kind: 'rule', changes: temporaryChangeOf().changes } },
          now().toISOString(),
        ),
      },
      null,
    ],
    ['was sent long ago', { state: 'sending', before: null, after: null, basis: 'b', sentAt: openedAt }, 'ended'],
    ['is known', stateOf({ ...unknown, state: 'done' }, now().toISOString()), 'ended'],
  ])('has not ended while the old rules are in effect and the change %s', async (_what, ofChange, state) => {
    const { restored, after, steps } = await restore(40_000, {}, null, held, ofChange);

    expect(steps).toEqual([]);
    expect(restored.kind).toBe(state === null ? 'unclear' : 'over');
    expect(after?.state ?? null).toBe(state);
  });

  it('writes nothing if the process was frozen for longer than its lock', async () => {
    const lost = {
      confirm: async () => {
        throw new TooLateError('others have worked in the meantime');
      },
    };
    const restored = restore(45_000, {}, null, lost);

    await expect(restored).rejects.toThrow(TooLateError);
  });

  it('asks the approvers if someone changed the rules in the meantime', async () => {
    const { after, steps } = await restore(60_000);

    expect(steps).toEqual([]);
    expect(after).toMatchObject({ state: 'asking', meanwhile: [{ from: 45_000, to: 60_000 }] });
  });

  it.each<[string, number, string]>([
    ['overwrites values that people have seen and agreed to overwrite', 60_000, 'ended'],
    ['asks again if the rule was changed once more', 70_000, 'asking'],
  ])('%s', async (_what, dailyCents, state) => {
    const meanwhile = [limitChange('daily', 45_000, 60_000)];

    expect((await restore(dailyCents, { state: 'asking', meanwhile })).after?.state).toBe(state);
  });

  it('does not write its progress again after a crash', async () => {
    const { steps } = await restore(45_000, {}, { state: 'sending', before: null, after: null });

    expect(steps).toEqual([
      'rule changed by end-act_1, asked for at 2026-11-20T16:00:00.000Z',
      'written {"kept":true,"daily":[40000]}',
    ]);
  });
});

describe('restoring the previous rules without an answer', () => {
  const lost = (outcome: 'unknown' | 'not_sent') =>
    unanswered({ operation: 'putSpendRules', outcome, code: 'timeout' });
  const sending: ActionState = { state: 'sending', before: null, after: null };
  let written: ActionState | null = null;
  let last: string | null = null;
  beforeEach(() => {
    written = null;
    last = null;
  });
  /** @param reads the daily limit at each read; null: it cannot be read. */
  async function restore(reads: readonly [number, number | null], error: Error) {
    let read = 0;
    return await createRestore({
      progress: {
        read: async () => written,
        write: async (_id, entry) => {
          written = entry;
          return entry;
        },
      },
      card: {
        getAccount: async () => followingRuleset(null),
        async getSpendRules() {
          const dailyCents = reads[read] ?? null;
          read += 1;
          if (dailyCents === null) throw lost('unknown');
          return { rules: rulesOf({ daily: dailyCents }), raw: {} };
        },
      },
      putRules: putRulesWith(
        (raw) => raw,
        async () => {
          throw error;
        },
      ),
      latestChanges: {
        async changed(_acctId, _expects, { id }) {
          last = id;
          return {};
        },
        async notMade() {
          last = null;
          return {};
        },
      },
      ...alone,
      now,
    })(temporaryChangeOf(), null, held);
  }

  it('has ended it if the card shows them, so that a later change is not taken for somebody’s objection', async () => {
    expect(afterOf(await restore([45_000, 40_000], lost('unknown')))).toMatchObject({
      state: 'ended',
      meanwhile: [{ to: 45_000 }],
    });
  });

  it.each<[string, [number, number | null], 'unknown' | 'not_sent']>([
    ['shows the temporary ones', [45_000, 45_000], 'unknown'],
    ['cannot be read', [45_000, null], 'unknown'],
    ['was certainly not written', [45_000, 40_000], 'not_sent'],
  ])('is tried again if the card %s', async (_what, reads, outcome) => {
    await expect(restore(reads, lost(outcome))).rejects.toThrow('unavailable');
  });

  it.each<[string, 'unknown' | 'not_sent', ActionState | null, string, string | null]>([
    ['leaves no trace of a write that was certainly not made', 'not_sent', null, 'asked', null],
    ['leaves it if an earlier one may have been made', 'not_sent', sending, 'sending', 'end-act_1'],
    ['leaves it if it may have been made', 'unknown', null, 'sending', 'end-act_1'],
  ])('%s', async (_what, outcome, before, state, changedBy) => {
    written = before;

    await expect(restore([45_000, null], lost(outcome))).rejects.toThrow('unavailable');

    expect(written?.state).toBe(state);
    expect(last).toBe(changedBy);
  });
});
