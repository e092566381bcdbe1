import { expect, it } from 'vitest';
import { createSubscriptions } from '../../../src/routing/channel-rules-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();
const typedIn = (channel: string, text: string) =>
  ask('unsubscribe', {
    id: `act_${channel.toLowerCase()}`,
    target: { kind: 'channel', text },
    origin: { kind: 'command', channel, messageTs: null, reply: null, replace: false },
  });

it('a subscription is ended in its own channel only; elsewhere its number says where it belongs', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const subscriptions = createSubscriptions(redis());
  const { number } = await subscriptions.add({ channel: 'C2', filter: 'declines', by: 'U0ANA', at: '' });

  await performAction(typedIn('C1', String(number)), deps);
  expect(answers.at(-1)?.text).toMatch(
    /belongs to another channel.*Type \/card unsubscribe 1 in <#C2>.*Nothing changed/,
  );
  expect(await subscriptions.all()).toHaveLength(1);

  await performAction(typedIn('C2', String(number)), deps);
  expect(await subscriptions.all()).toEqual([]);
});
