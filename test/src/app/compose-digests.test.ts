import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { contentId } from '../../../src/core/content-id.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
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

it('names the file of a digest after its program, so that none is taken for that of another program in the channel', async () => {
  const { context, close } = await openWorkerContext(server().redis, server().url);
  const id = 'digest-C0DIGEST-monthly-1793540000000';
  const nameOf = async (program: string): Promise<string | undefined> => {
    const files: string[] = [];
    const put: typeof context.lastingOutbox.put = async (_channel, entry) => {
      if (entry.kind === 'file') files.push(entry.file.name);
      return true;
    };
    const { sendDigest } = composeDigests({
      ...context,
      config: { ...context.config, program },
      lastingOutbox: { ...context.lastingOutbox, put },
      visibilityOf: async () => 'public',
    });
    await sendDigest.now('C0DIGEST', id, { of: 'monthly', zone: 'Europe/Berlin' }, async () => {});
    return files[0];
  };

  expect(await nameOf('eu')).toMatch(/^cardbell-\w+\.csv$/);
  expect(new Set([await nameOf('eu'), await nameOf('uk'), await nameOf('')]).size).toBe(3);
  expect(await nameOf(''), 'as before there were several programs').toBe(`cardbell-${contentId('', [id])}.csv`);
  await close();
});
