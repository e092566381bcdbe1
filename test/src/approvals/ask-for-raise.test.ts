import { expect, it } from 'vitest';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { linkHugo, toPay } from '../../support/asked-for-more.ts';
import { limitChange, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

it.each<[string, number, string[]]>([
  ['no more than the remaining limit: nothing declines it, nobody is asked', 30_000, []],
  ['a cent more than the remaining limit: the approvers are asked', 30_001, ['open']],
])('handles a holder’s command to pay %s', async (_what, cents, open) => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const daily = { period: 'daily', limitCents: 40_000, remainingCents: 30_000 } as const;
  deps.card.getRemainingLimits = async () => ({ overall: [daily], categories: [] });

  await performAction(toPay(cents), deps);

  expect((await deps.requests.open()).map(({ state }) => state)).toEqual(open);
  expect(world.answers.some(({ text }) => text.includes('A purchase of $300.00 would go through now.'))).toBe(
    open.length === 0,
  );
});

it('asks for the purchase plus its padding if the remaining limit is unknown', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const unknown = remedyOf(limitRaise('daily', 40_000, null));
  const alert = transactionAlert({
    decline: { code: 'decline.rule.velocity', message: 'over' },
    amountCents: 8410,
    paddingCents: 4900,
  });
  await deps.alerts.save(alert);
  const asked = ask('ask', { ...toPay(8410), target: { kind: 'alert', alertId: alert.event.id } });

  await performAction(asked, { ...deps, checkPurchase: async () => ({ state: 'stopped', remedy: unknown }) });

  const [request] = await deps.requests.open();
  expect(request?.changes).toEqual([limitChange('daily', 40_000, 40_000 + 8410 + 4900)]);
});

it('refuses a duration that the policy does not allow, and says which one it allows', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const policy = {
    ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    durations: { longestMs: 60_000, mayStay: false },
  };

  await performAction(toPay(60_000), { ...deps, policyFor: () => policy });

  expect(await deps.requests.open()).toEqual([]);
  expect(world.answers.map(({ text }) => text).join()).toMatch(
    /The policy allows this for .*Ask for less, or for a shorter time\./s,
  );
});
