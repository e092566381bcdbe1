import { afterEach, expect, it, vi } from 'vitest';
import { TooLateError } from '../../../src/core/errors.ts';
import { createPutRules } from '../../../src/limits/put-rules.ts';
import { createRuleWrites } from '../../../src/limits/rule-write-store.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId } from '../../support/perform-world.ts';

const redis = useRedis();
afterEach(() => void vi.restoreAllMocks());

const changes = [limitChange('daily', 40_000, 10_000)];

/** Writes once. @returns what is remembered of it while it runs and afterwards. */
async function putOnce(fails: Error | null, readAt = performance.now()) {
  const ruleWrites = createRuleWrites(redis());
  const during: boolean[] = [];
  const putRules = createPutRules({
    ruleWrites,
    applyChanges: (raw) => raw,
    card: {
      async putSpendRules() {
        during.push(...(await ruleWrites.of(acctId)).map(({ isPending }) => isPending));
        if (fails !== null) throw fails;
      },
    },
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
  const { send } = await putRules({ acctId, id: 'act_1', by: 'U0ANA', changes, raw: {}, readAt });
  const error = await send().catch((thrown: unknown) => thrown);
  return { error, during, after: (await ruleWrites.of(acctId)).map(({ isPending }) => isPending) };
}

it('remembers a write before it is sent, and that it was answered', async () => {
  expect(await putOnce(null)).toEqual({ error: undefined, during: [true], after: [false] });
});

it('keeps a write without an answer as one that may be made later', async () => {
  const lost = unanswered();
  expect(await putOnce(lost)).toEqual({ error: lost, during: [true], after: [true] });
});

it('remembers nothing of a write that was refused, or not sent because the rules were read too long ago', async () => {
  const refused = refusal('no');
  expect(await putOnce(refused)).toEqual({ error: refused, during: [true], after: [] });
  const late = await putOnce(null, performance.now() - 3_600_000);
  expect(late).toEqual({ error: expect.any(TooLateError), during: [], after: [] });
});
