import { expect, it } from 'vitest';
import { CAPPED_MS } from '../../../src/policy/decide-action.ts';
import { createDecisionStore } from '../../../src/policy/decision-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { recordedDecision } from '../../support/recorded-decisions.ts';

const redis = useRedis();
const nowMs = Date.parse('2026-11-20T15:00:00.000Z');
const decision = recordedDecision();

it('stores each decision once per action and answer', async () => {
  const decisions = createDecisionStore(redis());

  await decisions.remember(decision, nowMs);
  await decisions.remember(decision, nowMs + 5000);
  await decisions.remember({ ...decision, kind: 'request', others: 1 }, nowMs + 9000);

  expect(await decisions.since(nowMs)).toEqual([
    { ...decision, atMs: nowMs },
    { ...decision, kind: 'request', others: 1, atMs: nowMs + 9000 },
  ]);
  expect(await decisions.since(nowMs + 1)).toHaveLength(1);
});

it('drops decisions older than 30 days', async () => {
  const decisions = createDecisionStore(redis());

  await decisions.remember(decision, nowMs);
  await decisions.remember({ ...decision, actionId: 'act_2' }, nowMs + CAPPED_MS + 1);

  expect(await decisions.since(0)).toMatchObject([{ actionId: 'act_2' }]);
  expect(await redis().pttl('{cardbell:state}:decisions')).toBeGreaterThan(CAPPED_MS - 60_000);
});
