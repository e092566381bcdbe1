import { describe, expect, it } from 'vitest';
import { createDecideTemporaryChange, createPermitDecision } from '../../../src/limits/decide-temporary-change.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import type { TemporaryChangeAction } from '../../../src/limits/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { withoutLock } from '../../support/held.ts';
import { limitMove } from '../../support/limit-goals.ts';
import { ask, type Over } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const target = { kind: 'temporary-change', temporaryChangeId: 'act_1' } as const;
const takeBack = (over: Over = {}): TemporaryChangeAction => ask('revert', { target, ...over });
const resolve = (restore: boolean): TemporaryChangeAction => ask('complete-temporary-change', { target, restore });

describe('a click about a temporary change', () => {
  interface Given {
    readonly hasBegun?: boolean;
    readonly why?: string;
    readonly after?: TemporaryChange['state'];
  }
  async function decide(action: TemporaryChangeAction, found: TemporaryChange | null, given: Given = {}) {
    const steps: string[] = [];
    await createDecideTemporaryChange({
      temporaryChanges: { get: async () => found },
      withLock: withoutLock,
      hasBegun: async () => given.hasBegun ?? false,
      refuse: async (_action, { why }) => void steps.push(`refused: ${why}`),
      now: () => new Date('2026-11-20T15:30:00.000Z'),
      permitDecision: async () => given.why ?? null,
      restore: async (temporaryChange) => ({ ...temporaryChange, state: given.after ?? 'ended' }),
      notifyEnd: {
        notify: async ({ state, closedBy }) => void steps.push([state, closedBy].filter(Boolean).join(' by ')),
        show: async ({ state }) => void steps.push(`shown ${state}`),
      },
    })(action);
    return steps;
  }

  it.each<[string, TemporaryChangeAction, TemporaryChange | null, Given, string[]]>([
    ['takes it back', takeBack(), temporaryChangeOf(), {}, ['ended']],
    ['restores what somebody changed meanwhile', resolve(true), temporaryChangeOf({ state: 'asking' }), {}, ['ended']],
    [
      'keeps what somebody changed meanwhile',
      resolve(false),
      temporaryChangeOf({ state: 'asking' }),
      {},
      ['kept by U0OLGA'],
    ],
    [
      'leaves it to the approvers where somebody changed it meanwhile',
      takeBack(),
      temporaryChangeOf(),
      { after: 'asking' },
      ['asking', 'refused: Somebody changed the daily limit meanwhile, so I left it.'],
    ],
    ['is refused where the policy refuses', takeBack(), temporaryChangeOf(), { why: 'No.' }, ['refused: No.']],
    [
      'is refused where it was done already',
      takeBack(),
      temporaryChangeOf({ state: 'ended' }),
      {},
      ['refused: It was put back already.'],
    ],
    [
      'is refused where there is nothing to decide',
      resolve(true),
      temporaryChangeOf(),
      {},
      ['refused: It still runs.'],
    ],
    ['is refused where it is too old', takeBack(), null, {}, ['refused: This change is too old.']],
    [
      'shows its own end again after a crash',
      takeBack(),
      temporaryChangeOf({ state: 'ended', closedBy: 'U0OLGA' }),
      { hasBegun: true },
      ['shown ended'],
    ],
  ])('%s', async (_what, action, found, given, expected) => {
    expect(await decide(action, found, given)).toEqual(expected);
  });
});

describe('who may decide', () => {
  async function permit(action: TemporaryChangeAction, over: Partial<TemporaryChange> = {}, isHolder = false) {
    const recorded: unknown[] = [];
    const why = await createPermitDecision({
      record: async (_action, { event, isFirst, detail }) => void recorded.push({ event, isFirst, detail }),
      factsOf: async () => card,
      links: { wasHolderLately: async () => isHolder },
      policyOfCard: async () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    })(action, temporaryChangeOf(over));
    return { why, recorded };
  }
  const byOperator = takeBack({ roles: ['operator'] });
  const lowered = { changes: [limitMove('daily', 45_000, 40_000)] };

  it('an operator takes back a raise, and that is on record once', async () => {
    expect(await permit(byOperator)).toEqual({
      why: null,
      recorded: [{ event: 'asked', isFirst: true, detail: 'act_1' }],
    });
  });

  it('taking back what was lowered is a raise: an approver decides, and nobody about the own card', async () => {
    expect(await permit(byOperator, lowered)).toEqual({ why: 'Only approvers may decide that.', recorded: [] });
    expect((await permit(takeBack(), lowered)).why).toBeNull();
    expect((await permit(takeBack(), lowered, true)).why).toMatch(/own card/);
  });
});
