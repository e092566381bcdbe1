import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { usePatientRedis } from '../../support/patient-redis.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

const server = usePatientRedis();

it('digests of own cards wait for the API quota that people leave before each call, and run one at a time', async () => {
  const { context, queues, close } = await openWorkerContext(server().redis, server().url);
  const now = () => new Date('2026-11-20T14:01:00Z');
  let [waited, called] = [0, 0];
  const waitForQuota = async () => {
    await nextTurn();
    waited += 1;
  };
  const call = async () => {
    called += 1;
    expect(waited).toBeGreaterThanOrEqual(called);
    throw unanswered();
  };
  const directory = { ...context.directory, waitForQuota };
  const card = { ...context.card, getAccount: call, getSpendRules: call, getRemainingLimits: call };
  for (let acctId = 1; acctId <= 14; acctId += 1) {
    const at = '2026-11-01T00:00:00Z';
    await context.links.link({ acctId, userId: 'U0SAM', provedBy: 'approver', by: 'U0ANA', at });
  }
  await context.preferences.setOwnDigest('U0SAM', { often: 'daily', since: '2026-11-19T15:00:00Z' });
  const { sendDigests } = composeDigests({ ...context, card, directory, now });

  await Promise.all([sendDigests(), sendDigests()]);

  // Once for each call, so none was made with the quota of another.
  expect({ waited, called }).toEqual({ waited: 3 * 14, called: 3 * 14 });
  const [sent] = await queues.updates.getJobs();
  const shown = JSON.stringify(sent?.data);
  expect(shown).toContain('nothing was declined');
  expect(shown).toContain('The limits are not available right now.');
  await close();
});

it('digests of own cards that Redis could not take are reported, not taken for those of another run', async () => {
  const { context, close } = await openWorkerContext(server().redis, server().url);
  const ownDigests = () => Promise.reject(new StoreUnavailableError('redis does not answer'));
  const preferences = { ...context.preferences, ownDigests };
  const { sendDigests } = composeDigests({ ...context, preferences });

  await expect(sendDigests()).rejects.toThrow('redis does not answer');

  await close();
});

it('a digest waits for what arrived before it and is not counted, but not forever', async () => {
  const { context, queues, close } = await openWorkerContext(server().redis, server().url);
  const dueMs = Date.parse('2026-11-20T14:00:00Z');
  let nowMs = dueMs - 3_600_000;
  const atNine = { weekday: null, isMonthly: false, hour: 9, minute: 0, zone: 'America/New_York' };
  await context.digests.set({ ...atNine, channel: 'C0TEAM', by: 'U0ANA', at: '2026-11-19T15:00:00Z' });
  await context.preferences.setOwnDigest('U0MAX', { often: 'daily', since: '2026-11-19T15:00:00Z' });
  const { sendDigests } = composeDigests({ ...context, now: () => new Date(nowMs) });
  const isSentAt = async (minutesLate: number): Promise<boolean[]> => {
    nowMs = dueMs + minutesLate * 60_000;
    await sendDigests();
    const jobs = await queues.maintenance.getJobs();
    const isOwnSent = await context.warned.has('own-digest-U0MAX-daily-2026-11-20');
    return [jobs.some(({ name }) => name === 'send-digest'), isOwnSent];
  };

  const arrived = await server().redis.xadd(inboxKeys.webhooks, `${dueMs - 1}-0`, 'entry', '{}');
  expect(await isSentAt(1), 'one is in the inbox').toEqual([false, false]);
  await server().redis.xdel(inboxKeys.webhooks, String(arrived));
  await server().redis.xadd(inboxKeys.webhooks, `${dueMs + 90_000}-0`, 'entry', '{}');
  const job = await queues.alerts.add('deliver-event', {});
  expect(await isSentAt(2), 'one is in a job').toEqual([false, false]);
  await job.remove();
  expect(await isSentAt(3), 'the inbox has only what came later').toEqual([true, true]);

  await queues.maintenance.obliterate();
  await queues.alerts.add('deliver-event', {});
  expect(await isSentAt(15), 'still waits').toEqual([false, true]);
  expect(await isSentAt(16), 'waits no more').toEqual([true, true]);
  await close();
});
