import { expect, it } from 'vitest';
import { permitRaise } from '../../../src/limits/permit-raise.ts';
import { approvalPolicyOf, whyTooLong } from '../../../src/policy/approval-policy.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { held } from '../../support/held.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { acctId, ask, type Over } from '../../support/perform-world.ts';

const approver: Over = { actor: { userId: 'U0ANA', teamId: 'T1' }, roles: ['approver'] };
const change = limitChange('daily', 40_000, 45_000);
const raise = { changes: [{ change, fromBase: change }], term: { kind: 'permanent' } } as const;
const policy = {
  ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
  durations: { longestMs: 3_600_000, mayStay: false },
};

async function permit(ownCents: number, about: Parameters<typeof permitRaise>[3], asked: typeof raise | null = raise) {
  const steps: string[] = [];
  let lock = 'no lock';
  const { verdict, counted } = await permitRaise(ask('limit', approver), acctId, asked, about, {
    rights: authorizationOf({ roles: ['approver'], policy }),
    raises: {
      async count() {
        steps.push(`counted: ${lock}`);
        return { rule: change.rule, ownCents, earlier: [], aboveCents: 100_000, cap: null };
      },
      remember: async (_action, _acctId, _raise, { by }) => void steps.push(`remembered for ${by}: ${lock}`),
    },
    async withLock(name, work) {
      lock = name;
      return await work(held);
    },
  });
  return { verdict, counted: counted?.ownCents ?? null, steps };
}

it('a raise that one person may make counts from then on, under the lock', async () => {
  expect(await permit(100_000, {})).toEqual({
    verdict: { kind: 'allowed' },
    counted: null,
    steps: ['counted: recent-raises', 'remembered for U0ANA: recent-raises'],
  });
});

it('a raise that is too much for one person does not count yet, and is returned', async () => {
  expect(await permit(100_001, {})).toEqual({
    verdict: { kind: 'request', others: 1 },
    counted: 100_001,
    steps: ['counted: recent-raises'],
  });
});

it('people who ask for too long read since when it counts', async () => {
  const lastsMs = 2 * 3_600_000;
  const tooLong = whyTooLong(policy, lastsMs);

  const { verdict, steps } = await permit(5000, { lastsMs, tooLong, tooLongInFull: 'Since noon.' });

  expect(verdict).toMatchObject({ kind: 'refused', why: 'Since noon.' });
  expect(steps).toEqual(['counted: recent-raises']);
});

it('what is no raise is asked about, and never counts', async () => {
  expect(await permit(0, { raiseCents: 1 }, null)).toEqual({ verdict: { kind: 'allowed' }, counted: null, steps: [] });
});
