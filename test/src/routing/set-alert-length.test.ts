import { expect, it } from 'vitest';
import { createLongAlerts } from '../../../src/routing/channel-rules-store.ts';
import { createSetAlertLength } from '../../../src/routing/channel-settings.ts';
import { held } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();

it('a channel can switch to short alerts and back, and both are audited', async () => {
  const longAlerts = createLongAlerts(redis());
  const recorded: unknown[] = [];
  const setAlertLength = createSetAlertLength({
    longAlerts,
    responses: {
      answer: async () => {},
    },
    record: async (_action, entry) => void recorded.push(entry),
    setInOrder: async (_subject, _action, set) => await set(held, []),
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
