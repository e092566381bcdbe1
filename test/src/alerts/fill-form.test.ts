import { expect, it } from 'vitest';
import { createFillForm } from '../../../src/alerts/fill-form.ts';
import type { PurchaseCheck } from '../../../src/limits/remedy.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';
import { rulesOf } from '../../support/temporary-changes.ts';
import { declined, raise } from '../../templates/fixtures.ts';

const form = { viewId: 'V1', hash: 'h', pendingId: 'p_1' };
const alert = declined('decline.rule.velocity', 'over', { remedy: raise });
const now = remedyOf(limitRaise('weekly', 60_000, 67_410));

interface Given {
  readonly check?: PurchaseCheck;
  readonly isKept?: boolean;
  readonly isAway?: boolean;
  readonly alert?: typeof alert | null;
  readonly limits?: Parameters<typeof rulesOf>[0];
}

async function fill({ check = { state: 'stopped', remedy: now }, isKept = true, isAway = false, ...given }: Given) {
  const kept: unknown[] = [];
  const shown: unknown[] = [];
  const fillForm = createFillForm({
    alerts: { get: async () => (given.alert === undefined ? alert : given.alert) },
    card: {
      getSpendRules: async () => {
        if (isAway) throw unanswered();
        return { rules: rulesOf(given.limits ?? { weekly: 60_000 }), raw: {} };
      },
    },
    checkPurchase: async () => check,
    keepFound: async (id, { remedy, rules }) => {
      kept.push([id, remedy, rules?.limits.weekly ?? null]);
      return isKept ? { pendingId: 'p_2', isSubscription: false } : null;
    },
    updateForm: async (_form, { pendingId, remedy, state }) => {
      expect(pendingId).toBe('p_2');
      shown.push([state, remedy]);
    },
  });
  await fillForm(ask('remedy', { form } as object));
  return { kept, shown };
}

it('shows what would let the purchase pass now, and stores it for the submission', async () => {
  expect(await fill({})).toEqual({ kept: [['p_1', now, 60_000]], shown: [['checked', now]] });
});

it('shows that nothing stops the purchase anymore', async () => {
  const { rule } = raise.limits[0];
  // The card's present rules, which have no daily limit.
  const now = remedyOf({ ...raise.limits[0], rule, from: null, remainingCents: null });
  expect((await fill({ check: { state: 'passes' } })).shown).toEqual([['passes', now]]);
});

it('shows the limits of now once nothing stops the purchase, and suggests no lower one', async () => {
  const stopped = declined('decline.rule.velocity', 'over', { remedy: now });
  const { shown } = await fill({
    check: { state: 'passes' },
    alert: { ...stopped, remedy: remedyOf(limitRaise('weekly', 5_000, 8_000)) },
  });

  expect(shown).toEqual([['passes', remedyOf(limitRaise('weekly', 60_000, 60_000))]]);
});

it("keeps the alert's values in the form when the card is unreadable", async () => {
  const { kept, shown } = await fill({ check: { state: 'unknown', why: 'away' }, isAway: true });

  expect(kept).toEqual([['p_1', raise, null]]);
  expect(shown).toEqual([['unread', raise]]);
});

it('says that nothing tells what stops the purchase if all was read', async () => {
  expect((await fill({ check: { state: 'unknown', why: 'unclear' } })).shown).toEqual([['unclear', raise]]);
  expect((await fill({ check: { state: 'unknown', why: 'ruleset' } })).shown).toEqual([['ruleset', raise]]);
  expect((await fill({ check: { state: 'unknown', why: 'balance' } })).shown).toEqual([['balance', raise]]);
  expect((await fill({ check: { state: 'unknown', why: 'status' } })).shown).toEqual([['status', raise]]);
  expect((await fill({ check: { state: 'unknown', why: 'closed' } })).shown).toEqual([['closed', raise]]);
  expect((await fill({ check: { state: 'unknown' } })).shown).toEqual([['unread', raise]]);
});

it('guesses a limit that the card has, and none if it has none', async () => {
  const named = (period: 'daily' | 'weekly' | 'monthly') => ({
    alert: { ...alert, remedy: remedyOf(limitRaise(period, null, null)) },
  });
  const passes = { state: 'passes' } as const;
  const unclear = { state: 'unknown', why: 'unclear' } as const;
  const limits = { weekly: 60_000, monthly: 90_000 };
  const shown = async (given: Given) => (await fill(given)).shown[0];

  expect(await shown({ check: passes, ...named('daily'), limits })).toEqual([
    'passes',
    remedyOf(limitRaise('weekly', 60_000, 60_000)),
  ]);
  for (const [period, from] of [
    ['weekly', 60_000],
    ['monthly', 90_000],
  ] as const)
    expect(await shown({ check: unclear, ...named(period), limits })).toEqual([
      'unclear',
      remedyOf(limitRaise(period, from, null)),
    ]);
  expect(await shown({ check: passes, ...named('daily'), limits: {} })).toEqual(['passes', null]);
  expect(await shown({ check: unclear, ...named('daily'), limits: {} })).toEqual(['unclear', null]);
});

it.each<[string, Given]>([
  ['a closed form', { isKept: false }],
  ['an expired alert', { alert: null }],
])('changes nothing for %s', async (_what, given) => {
  expect((await fill(given)).shown).toEqual([]);
});

const redis = useRedis();

it('stores what it found for the submission of the view that shows it; that of the view before does what that one showed', async () => {
  const shown: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    // Nothing stops the purchase, so no amount is too low.
    checkPurchase: async () => ({ state: 'passes' }),
    async updateForm(_form, { pendingId, isSubscription }) {
      expect(isSubscription, 'it was opened on a warning').toBe(true);
      shown.push(pendingId);
    },
  });
  const alertId = 'evt_0123456789abcdef';
  const place = { channel: 'C1', messageTs: '1.1' };
  const opened = { alertId, ...place, remedy: raise, rules: null, passes: false, isSubscription: true };
  const pendingId = await deps.pending.put({ kind: 'form', ...opened });
  const target = { kind: 'alert', alertId } as const;

  await performAction(ask('remedy', { target, form: { ...form, pendingId } } as object), deps);

  expect(await deps.pending.get(shown[0] ?? '')).toMatchObject({ kind: 'form', alertId, rules: {}, passes: true });
  expect(await deps.pending.get(pendingId)).toEqual({ kind: 'form', ...opened });
});
