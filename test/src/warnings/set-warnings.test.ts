import { expect, it } from 'vitest';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();

it("switches a channel's warnings off and on, and audits it", async () => {
  const world = await createActionWorld(redis());
  const target = { kind: 'channel', text: 'off' } as const;

  await performAction(ask('warnings', { target, kinds: ['low-balance'], isOn: false }), world.deps);

  expect(await world.deps.preferences.switchedOff('C1')).toEqual(['low-balance']);
  expect(world.answers[0]?.text).toMatch(/^This channel no longer gets warnings about a low business balance\./);
  expect(await world.stations()).toEqual(['done']);
});
