import { describe, expect, it } from 'vitest';
import { type ActionState, stateOf } from '../../../src/actions/action-state.ts';
import { requestTarget, requestValue } from '../../../src/approvals/request.ts';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import { TooLateError } from '../../../src/core/errors.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import {
  createEndTemporaryChange,
  createRestore,
  endPurchaseChanges,
} from '../../../src/limits/end-temporary-change.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
} from '../../support/perform-world.ts';
import { openedAt, rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

const now = (): Date => new Date('2026-11-20T16:00:00.000Z');
const ana = { userId: 'U0ANA', teamId: 'T1' };

const unknown = { state: 'unknown', card, before: null, after: null, apiWords: null, note: null } as const;

describe('restoring the previous rules', () => {
  async function restore(
    dailyCents: number | null,
    over: Partial<TemporaryChange> = {},
    written: ActionState | null = null,
    lease = held,
    ofChange: ActionState | null = null,
  ) {
    const steps: string[] = [];
    const after = await createRestore({
      progress: {
        read: async (id) => (id === 'act_1' ? ofChange : written),
        write: async (_id, entry) => {
          const sides = entry.state === 'sending' ? `: ${entry.before} → ${entry.after}` : '';
          steps.push(`progress ${entry.state}${sides}`);
          return entry;
        },
      },
      card: {
        getSpendRules: async () => ({ rules: rulesOf({ daily: dailyCents }), raw: { kept: true } }),
        putSpendRules: async (_acctId, raw) => void steps.push(`written ${JSON.stringify(raw)}`),
      },
      applyChanges: (raw, goals) => ({ ...raw, daily: goals.map(({ to }) => to) }),
      latestChanges: {
        changed: async (_acctId, { kind }, { id, askedAt }) =>
          void steps.push(`${kind} changed by ${id}, asked for at ${askedAt}`),
      },
      now,
    })(temporaryChangeOf(over), { id: 'act_click', actor: ana, askedAt: '2026-11-20T16:00:00.000Z' }, lease);
    return { after, steps };
  }

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
    const after = await createRestore({
      progress: { read: async () => null, write: async (_id, entry) => entry },
      card: {
        getSpendRules: async () => ({ rules: rulesOf(limits), raw: {} }),
        putSpendRules: async (_acctId, raw) => void written.push(raw),
      },
      applyChanges: (_raw, goals) => ({ goals: goals.map(({ to }) => to) }),
      latestChanges: { changed: async () => {} },
      now,
    })(temporaryChangeOf({ changes: [change] }), null, held);

    expect(written).toEqual([{ goals: [accepted.from] }]);
    expect(after).toMatchObject({ state: 'ended', changes: [accepted] });
  });

  it('writes nothing if the rules are already restored, by someone or before a crash', async () => {
    const { after, steps } = await restore(40_000);

    expect(steps).toEqual([]);
    expect(after?.state).toBe('ended');
  });

  it.each<[string, ActionState, string | undefined]>([
    [
      'is being sent',
      { state: 'sending', before: null, after: null, basis: 'b', sentAt: now().toISOString() },
      undefined,
    ],
    [
      'got no answer and is being verified',
      {
        ...stateOf(
          { ...unknown, expects: { kind: 'rule', changes: temporaryChangeOf().changes } },
          now().toISOString(),
        ),
      },
      undefined,
    ],
    ['was sent long ago', { state: 'sending', before: null, after: null, basis: 'b', sentAt: openedAt }, 'ended'],
    ['is known', stateOf({ ...unknown, state: 'done' }, now().toISOString()), 'ended'],
  ])('has not ended while the old rules are in effect and the change %s', async (_what, ofChange, state) => {
    const { after, steps } = await restore(40_000, {}, null, held, ofChange);

    expect(steps).toEqual([]);
    expect(after?.state).toBe(state);
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
  /** @param reads the daily limit at each read; null: it cannot be read. */
  async function restore(reads: readonly [number, number | null], error: Error) {
    let read = 0;
    return await createRestore({
      progress: { read: async () => null, write: async (_id, entry) => entry },
      card: {
        async getSpendRules() {
          const dailyCents = reads[read] ?? null;
          read += 1;
          if (dailyCents === null) throw lost('unknown');
          return { rules: rulesOf({ daily: dailyCents }), raw: {} };
        },
        putSpendRules: async () => {
          throw error;
        },
      },
      applyChanges: (raw) => raw,
      latestChanges: { changed: async () => {} },
      now,
    })(temporaryChangeOf(), null, held);
  }

  it('has ended it if the card shows them, so that a later change is not taken for somebody’s objection', async () => {
    expect(await restore([45_000, 40_000], lost('unknown'))).toMatchObject({
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
});

describe('when a temporary change is due to end', () => {
  type Found = TemporaryChange | null;
  interface Time {
    /** Null: unknown. */
    readonly leftMs?: number | null;
    readonly isEarly?: boolean;
    readonly givesWay?: boolean;
  }
  async function end(temporaryChange: Found | (() => Found), error: Error | null = null, time: Time = {}) {
    const steps: string[] = [];
    const again = await createEndTemporaryChange({
      temporaryChanges: {
        get: async () => (typeof temporaryChange === 'function' ? temporaryChange() : temporaryChange),
        save: async ({ refusals }) => void steps.push(`refused ${refusals} times`),
        forget: async () => void steps.push('forgotten'),
      },
      withLock: async (name, work) => {
        steps.push(`locked ${name}`);
        return await work(held);
      },
      timeLeft: async () => (time.leftMs === undefined ? -1 : time.leftMs),
      progress: { read: async () => null },
      now,
      inEffect: async (given) => given,
      handOver: async (given) => (time.givesWay === true ? null : given),
      endQuestions: async () => {},
      restore: async (given) => {
        if (error !== null) throw error;
        return { ...given, state: 'ended' };
      },
      notifyEnd: {
        notify: async ({ state }, _action, refused) =>
          void steps.push([`told ${state}`, refused].filter(Boolean).join(' ')),
        show: async ({ state }) => void steps.push(`shown ${state}`),
      },
    })('act_1', time.isEarly);
    return { again, locks: steps.slice(0, 1), steps: steps.slice(1) };
  }
  const failed = (code: 'refused' | 'unavailable' | 'token_dead' | 'bad_answer') => refusal('No.', { code });

  it('restores the rules and sends notifications', async () => {
    expect(await end(temporaryChangeOf())).toEqual({
      again: null,
      locks: [`locked account:${acctId}`],
      steps: ['told ended'],
    });
  });

  it('waits if it is not due yet, because the clock that woke it is fast', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: 5_000 })).toMatchObject({ again: 5_000, steps: [] });
  });

  it('reverts nothing while the time left is unknown, and checks again', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: null })).toMatchObject({ again: 60_000, steps: [] });
  });

  it('ends early once its purchase has happened', async () => {
    expect(await end(temporaryChangeOf(), null, { leftMs: 5_000, isEarly: true })).toMatchObject({
      steps: ['told ended'],
    });
  });

  it.each(['unavailable', 'token_dead', 'bad_answer'] as const)(
    'comes back in a minute when the card API is %s',
    async (code) => {
      expect(await end(temporaryChangeOf(), failed(code))).toMatchObject({ again: 60_000, steps: [] });
    },
  );

  it('comes back in a minute after a refusal, which may pass', async () => {
    const refusals = 3;

    expect(await end(temporaryChangeOf(), failed('refused'))).toMatchObject({
      again: 60_000,
      steps: ['refused 1 times'],
    });
    expect(await end(temporaryChangeOf({ refusals }), failed('refused'))).toMatchObject({ again: 60_000 });
  });

  it("reports the card service's reason for the fifth refusal", async () => {
    expect(await end(temporaryChangeOf({ refusals: 4 }), failed('refused'))).toMatchObject({
      again: null,
      steps: ['told refused It says: “No.”.'],
    });
  });

  it('updates the messages of a change that ended before', async () => {
    expect((await end(temporaryChangeOf({ state: 'kept' }))).steps).toEqual(['shown kept']);
  });

  it('ignores a change that was never made', async () => {
    expect(await end(null)).toEqual({ again: null, locks: [], steps: [] });
  });

  it('ignores a change that was dropped while the job was queued', async () => {
    const found = [temporaryChangeOf(), null];

    expect(await end(() => found.shift() ?? null)).toMatchObject({ again: null, steps: [] });
  });

  it('does not hide a bug of ours', async () => {
    await expect(end(temporaryChangeOf(), new TypeError('a bug'))).rejects.toThrow('a bug');
  });
});

describe('a change for one purchase', () => {
  const merchant = transactionAlert().event.merchant;
  const purchase = { merchantId: merchant.id, merchant: merchant.name, maxCents: 8410 };
  const authorized = {
    acctId,
    kind: 'authorization',
    amountCents: 8410,
    occurredAt: '2026-11-20T15:05:00.000Z',
  } as const;

  async function ended(event: Partial<TransactionEvent>, over: Partial<TemporaryChange> = {}): Promise<string[]> {
    const ids: string[] = [];
    await endPurchaseChanges(transactionAlert({ ...authorized, ...event }).event, {
      temporaryChanges: { all: async () => [temporaryChangeOf({ purchase, ...over })] },
      endTemporaryChangeNow: async (id) => void ids.push(id),
    });
    return ids;
  }

  it('ends when that purchase is authorized, even for less or under another merchant id', async () => {
    expect(await ended({})).toEqual(['act_1']);
    expect(await ended({ kind: 'pin', amountCents: 100 })).toEqual(['act_1']);
    expect(await ended({ occurredAt: '2026-11-20T14:59:00.000Z' }), 'by a clock a minute behind').toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, id: 'other' } })).toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, name: 'Another Name' } })).toEqual(['act_1']);
  });

  it('that opened a country or category ends with a more expensive purchase, too: nothing else bounds it', async () => {
    const abroad = { rule: { kind: 'international' }, from: false, to: true } as const;

    expect(await ended({ amountCents: 90_000 }, { changes: [abroad] })).toEqual(['act_1']);
  });

  const anywhere = { merchantId: '', merchant: '', maxCents: 30_000, isAnywhere: true };

  it('that was asked for without a decline ends with the next purchase up to that amount, at any merchant', async () => {
    expect(await ended({ amountCents: 30_000 }, { purchase: anywhere })).toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, id: ' ', name: '' } }, { purchase: anywhere })).toEqual(['act_1']);
  });

  it.each<[string, Partial<TransactionEvent>, Partial<TemporaryChange>]>([
    ['a more expensive purchase than its holder asked for', { amountCents: 30_001 }, { purchase: anywhere }],
    ['a check of the card for $0.00, at any merchant', { amountCents: 0 }, { purchase: anywhere }],
    ['a purchase just before it, at any merchant', { occurredAt: '2026-11-20T14:59:59.000Z' }, { purchase: anywhere }],
    ['a settlement', { kind: 'settlement' }, {}],
    ['a more expensive purchase', { amountCents: 8411 }, {}],
    ['a check of the card for $0.00', { amountCents: 0 }, {}],
    ['a purchase with another card', { acctId: acctId + 1 }, {}],
    ['a purchase elsewhere', { merchant: { ...merchant, id: '1', name: 'Elsewhere' } }, {}],
    ['an earlier purchase', { occurredAt: '2026-11-20T14:58:59.999Z' }, {}],
    [
      'a purchase at a merchant without id and name',
      { merchant: { ...merchant, id: ' ', name: ' ' } },
      { purchase: { ...purchase, merchantId: ' ', merchant: '' } },
    ],
    ['any purchase, if it is not tied to one', {}, { purchase: null }],
    ['any purchase, once it has ended', {}, { state: 'asking' }],
  ])('does not end with %s', async (_what, event, over) => {
    expect(await ended(event, over)).toEqual([]);
  });
});

describe('what a holder asks for by command, for one purchase', () => {
  const redis = useRedis();

  it('ends with the first purchase after its approval', async () => {
    const world = await createActionWorld(redis());
    const { card, links } = world.deps;
    const remaining = [{ period: 'daily', limitCents: 40_000, remainingCents: 10_000 } as const];
    const getRemainingLimits = async () => ({ overall: remaining, categories: [] });
    const deps = { ...world.deps, card: { ...card, getRemainingLimits } };
    await links.link({ acctId, userId: 'U0HUGO', provedBy: 'approver', by: 'U0CEM', at: openedAt });
    const hugo = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };
    const wanted = { amountCents: 30_000, term: { kind: 'purchase' } as const };
    await performAction(ask('ask', { ...byCommand, ...hugo, ask: wanted }), deps);
    const [request] = await deps.requests.open();
    const target = requestTarget(requestValue(request!));
    await performAction(ask('decide', { id: 'act_yes', target, approve: true }), deps);
    expect(world.service.rules['DailySpendLimit']).toBe(600);

    const bought = {
      acctId,
      kind: 'authorization',
      amountCents: 29_900,
      occurredAt: '2026-11-20T15:01:00.000Z',
    } as const;
    await endPurchaseChanges(transactionAlert(bought).event, {
      temporaryChanges: deps.temporaryChanges,
      endTemporaryChangeNow: async (id) => void (await endTemporaryChange(id, deps)),
    });

    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(await deps.temporaryChanges.get('act_yes')).toMatchObject({ state: 'ended' });
  });
});
