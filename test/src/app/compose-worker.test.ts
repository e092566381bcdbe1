import { describe, expect, it } from 'vitest';
import { composeWorker } from '../../../src/app/compose-worker.ts';
import { secretOf } from '../../../src/app/programs.ts';
import { BusyError } from '../../../src/core/errors.ts';
import { serviceTime } from '../../../src/core/installation.ts';
import { restoredKey, stateKey } from '../../../src/core/keys.ts';
import { createSigner } from '../../../src/core/sign.ts';
import type { OpsIssue } from '../../../src/ops/notify-ops.ts';
import { defaultThrottle } from '../../../src/outbox/send-message.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { usePatientRedis } from '../../support/patient-redis.ts';
import { ask, byCommand } from '../../support/perform-world.ts';
import { until } from '../../support/until.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

const server = usePatientRedis();

const run = { starts: 1, isLast: false, hasWaited: false };
const viewers = ['U0ANN', 'U0BOB', 'U0CAT'];

it('reads the cards of people who have App Home open when they open it and when a card changes, not with each event', async () => {
  const { context, close } = await openWorkerContext(server().redis, server().url);
  let calls = 0;
  const call = async () => {
    calls += 1;
    throw unanswered();
  };
  const card = { ...context.card, getAccount: call, getSpendRules: call, getRemainingLimits: call };
  const published: string[] = [];
  const slack = { ...context.slack, publishHome: async (userId: string) => void published.push(userId) };
  const directory = { ...context.directory, account: async () => null };
  const currentRoles = async () => ({ roles: [], isComplete: true });
  const directChannel = async (userId: string) => `D${userId}`;
  const { handlers, homeChanged } = composeWorker(
    { ...context, card, slack, directory, currentRoles, directChannel },
    defaultThrottle,
  );
  const open = async (userId: string, id: string): Promise<void> => {
    await handlers['open-home']({ id, userId, isOpening: true, turn: null }, run);
    await handlers['render-home']({ userId }, run);
  };
  const event = async (): Promise<void> => {
    await homeChanged();
    await handlers['render-homes']({}, run);
    for (const userId of viewers) await handlers['render-home']({ userId }, run);
  };
  for (const [at, userId] of viewers.entries()) {
    const link = { provedBy: 'approver', by: 'U0ANA', at: '2026-11-01T00:00:00Z' } as const;
    await context.links.link({ acctId: at + 1, userId, ...link });
    await open(userId, `home_${userId}`);
  }
  expect(calls, 'opened').toBe(3 * viewers.length);

  for (let count = 0; count < 20; count += 1) await event();
  expect(published).toHaveLength(21 * viewers.length);
  expect(calls, 'twenty events later').toBe(3 * viewers.length);

  calls = 0;
  await open('U0BOB', 'home_again');
  expect(calls, 'opened again').toBe(3);

  calls = 0;
  await handlers['refresh-requests']({ acctId: 3 }, run);
  for (let count = 0; count < 5; count += 1) await event();
  expect(calls, 'a card has changed').toBe(3);
  await close();
});

it('notifies ops at startup if a backup was restored, naming its time', async () => {
  const { context, close } = await openWorkerContext(server().redis, server().url);
  const said: string[] = [];
  const notifyOps = async ({ what }: OpsIssue) => void said.push(what);
  const { reportRestore } = composeWorker({ ...context, notifyOps }, defaultThrottle);

  await reportRestore();
  expect(said).toEqual([]);
  await context.redis.set(restoredKey, Date.parse('2026-11-20T15:04:05.000Z'));
  await reportRestore();

  expect(said).toEqual([expect.stringContaining(`that of ${serviceTime('2026-11-20T15:04:05.000Z')}.`)]);
  await close();
});

describe('the requests of a person who has made many at once', () => {
  /** Four requests of one person are running and never end. */
  async function busyWorld() {
    const { context, close } = await openWorkerContext(server().redis, server().url);
    const { sign } = createSigner(secretOf(context.config), 'action');
    const opsIssues: string[] = [];
    const notifyOps = async ({ cause }: OpsIssue) => void opsIssues.push(cause);
    let running = 0;
    const read = async () => {
      running += 1;
      return await new Promise<never>(() => {});
    };
    const progress = { ...context.progress, read };
    const { handlers } = composeWorker({ ...context, progress, notifyOps }, defaultThrottle);
    const perform = (id: string, signedId = id) => {
      const asked = { ...byCommand, askedAt: new Date().toISOString() };
      const signature = sign(ask('show', { ...asked, id: signedId }));
      return handlers['perform-action']({ action: ask('show', { ...asked, id }), signature }, run);
    };
    for (const id of ['act_1', 'act_2', 'act_3', 'act_4']) void perform(id);
    await until(() => running === 4, 'they are running');
    return { context, close, perform, opsIssues, running: () => running };
  }

  it('are put off as if a lock were taken, which is no failed attempt', async () => {
    const world = await busyWorld();

    await expect(world.perform('act_5')).rejects.toThrow(BusyError);

    expect(world.running()).toBe(4);
    await world.close();
  });

  it.each([
    ['forged', 'act_5', 'act_other'],
    ['replayed', 'act_again', 'act_again'],
  ])('do not wait if they are %s: ops are notified at once', async (_what, id, signedId) => {
    const world = await busyWorld();
    await world.context.redis.set(stateKey('performed:act_again'), Date.now() - 120_000);

    await world.perform(id, signedId);

    expect(world.opsIssues).toHaveLength(1);
    await world.close();
  });
});
