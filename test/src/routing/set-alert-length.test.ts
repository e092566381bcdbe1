import { expect, it } from 'vitest';
import { createLongAlerts } from '../../../src/routing/channel-rules-store.ts';
import { createSetAlertLength } from '../../../src/routing/channel-settings.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();

it('a channel can switch to short alerts and back, and both are audited', async () => {
  const longAlerts = createLongAlerts(redis());
  const recorded: unknown[] = [];
  const setAlertLength = createSetAlertLength({
    longAlerts,
    answer: async () => {},
    record: async (_action, entry) => void recorded.push(entry),
    beginSetting: async () => true,
  });
  const wants = (isLong: boolean) => {
    const { origin, ...rest } = ask('block', { id: `act_${isLong}` });
    const target = { kind: 'channel', text: '' } as const;
    return setAlertLength({ ...rest, verb: 'alerts', target, origin: { ...origin, channel: 'C1' }, isLong });
  };

  await wants(true);
  const [here, elsewhere] = [await longAlerts.has('C1'), await longAlerts.has('C2')];
  await wants(false);

  expect([here, elsewhere, await longAlerts.has('C1')]).toEqual([true, false, false]);
  expect(recorded).toMatchObject([
    { before: 'short alerts', after: 'long alerts' },
    { before: 'long alerts', after: 'short alerts' },
  ]);
});

it('the length of alerts that was set since stays when the job runs again', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const alerts = (id: string, isLong: boolean) =>
    performAction({ ...ask('alerts', { id, target: { kind: 'channel', text: '' }, isLong }) }, deps);
  await alerts('act_1', true);
  await alerts('act_2', false);

  await alerts('act_1', true);

  expect(await deps.longAlerts.has('C1')).toBe(false);
  expect(answers.at(-1)?.text).toMatch(/changed again since you asked/);
});
