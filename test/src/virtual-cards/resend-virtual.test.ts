import { expect, it } from 'vitest';
import { createProgress } from '../../../src/actions/progress-store.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { createResendVirtual } from '../../../src/virtual-cards/resend-virtual.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, cardId } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const resolved = { action: ask('resend-virtual', { ...byCommand, id: 'act_resend1' }), acctId, cardId };

/** @param beforeSending runs after the request is on record. */
function setUp(
  request: () => Promise<void>,
  isVirtual = true,
  answer: () => Promise<void> = async () => {},
  beforeSending: () => Promise<void> = async () => {},
) {
  const steps: string[] = [];
  const answers: string[] = [];
  const resend = createResendVirtual({
    progress: createProgress(redis()),
    card: {
      async requestVirtualCardData() {
        steps.push('requested');
        await request();
      },
    },
    awaitedOrders: {
      async expect() {
        await beforeSending();
        return null;
      },
      forget: async () => void steps.push('waits for nothing'),
    },
    factsOf: async () => ({ ...card, isVirtual }),
    record: async (_action, { event }) => void steps.push(`${event}`),
    responses: {
      refuse: async (_action, { why }) => void steps.push(why),
      async answer(_action, { text }) {
        await answer();
        answers.push(text);
      },
    },
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
  return { resend: (isLast = false) => resend(resolved, { isLast, lease: held }), steps, answers };
}

const failure = (outcome: 'refused' | 'unknown', code: 'unavailable' | 'refused') => async (): Promise<never> => {
  throw unanswered({ outcome, code });
};

it('calls the service once, however often its job runs', async () => {
  const world = setUp(async () => {});

  await world.resend();
  await world.resend();

  expect(world.steps).toEqual(['asked', 'sent', 'requested', 'done']);
  expect(world.answers).toEqual([expect.stringContaining('Asked for the details of')]);
});

it('does not retry after a lost answer, and says so', async () => {
  const world = setUp(failure('unknown', 'unavailable'));

  await world.resend();
  await world.resend();

  expect(world.steps).toEqual(['asked', 'sent', 'requested', 'unknown']);
  expect(world.answers).toEqual([expect.stringContaining('Not sure')]);
});

it('retries if the call was certainly not sent, until the last attempt', async () => {
  const world = setUp(failure('refused', 'unavailable'));

  await expect(world.resend()).rejects.toThrow(CardApiError);
  await world.resend(true);

  expect(world.steps.filter((step) => step === 'requested')).toHaveLength(2);
  expect(
    world.steps.filter((step) => step === 'waits for nothing'),
    'not even between two attempts',
  ).toHaveLength(2);
  expect(world.answers).toEqual([expect.stringContaining('Could not ask')]);
});

it('reports what the service answered, even if the worker died before it could', async () => {
  const world = setUp(async () => {});
  const dies = setUp(
    async () => {},
    true,
    async () => {
      throw new Error('killed');
    },
  );
  await expect(dies.resend()).rejects.toThrow('killed');

  await world.resend();

  expect(dies.steps).toEqual(['asked', 'sent', 'requested', 'done']);
  expect(world.steps).toEqual(['done']);
  expect(world.answers).toEqual([expect.stringContaining('Asked for the details of')]);
});

it('is not sent by a worker that was paused while another one sent it', async () => {
  const other = setUp(async () => {});
  const paused = setUp(
    async () => {},
    true,
    undefined,
    () => other.resend(),
  );

  await paused.resend();

  expect(other.steps).toContain('requested');
  expect(paused.steps).toEqual(['asked', 'sent']);
  expect(paused.answers).toEqual([]);
});

it('is refused for a plastic card', async () => {
  const world = setUp(async () => {}, false);

  await world.resend();

  expect(world.steps).toEqual(['This card is not virtual.']);
});
