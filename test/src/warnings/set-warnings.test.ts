import { expect, it } from 'vitest';
import { channelKinds } from '../../../src/holders/preference-store.ts';
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

it('changes only the warnings that come to this channel, and says where the others go', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const target = { kind: 'channel', text: 'on' } as const;

  await performAction(ask('warnings', { target, kinds: ['expiring-cards', 'low-balance'], isOn: false }), deps);
  expect(answers.at(-1)?.text).toMatch(
    /^This channel no longer gets warnings about a low business balance\..*about to expire go to <#C0STATUS>\.$/,
  );
  expect(await deps.preferences.switchedOff('C1')).toEqual(['low-balance']);

  const again = ask('warnings', { id: 'act_again1', target, kinds: ['expiring-cards'], isOn: true });
  await performAction(again, deps);
  expect(answers.at(-1)?.text).toMatch(
    /^Not done\. This channel gets none of them\. Write the command in <#C0STATUS>\. Nothing changed/,
  );
});

it('promises no warning of a low balance if the configuration turns it off', async () => {
  const { deps, answers } = await createActionWorld(redis(), {
    warningChannels: { 'expiring-cards': 'C0STATUS', 'failing-subscriptions': 'C1', 'low-balance': 'C1' },
    isBalanceWatched: false,
  });
  const on = { target: { kind: 'channel', text: 'on' }, isOn: true } as const;

  await performAction(ask('warnings', { ...on, kinds: ['low-balance'] }), deps);
  expect(answers.at(-1)?.text).toBe(
    'Not done. Warnings about a low business balance are turned off: LOW_BALANCE_BELOW is 0. Ask whoever runs Cardbell. Nothing changed.',
  );

  await performAction(ask('warnings', { ...on, id: 'act_all', kinds: [...channelKinds] }), deps);
  expect(answers.at(-1)?.text).toMatch(
    /^This channel gets warnings about subscriptions that keep failing\. .*about to expire go to <#C0STATUS>\. .*low business balance are turned off/,
  );
  expect(await deps.preferences.switchedOff('C1')).toEqual([]);

  const elsewhere = { ...on, id: 'act_2', kinds: ['expiring-cards' as const, 'low-balance' as const] };
  await performAction(ask('warnings', elsewhere), deps);
  expect(answers.at(-1)?.text).toContain(
    'none of them. Warnings about a low business balance are turned off: LOW_BALANCE_BELOW is 0. Write the command in <#C0STATUS>.',
  );

  await performAction(ask('warnings', { ...on, id: 'act_off', kinds: ['low-balance'], isOn: false }), deps);
  expect(answers.at(-1)?.text).toMatch(/^This channel no longer gets warnings about a low business balance\./);
  expect(await deps.preferences.switchedOff('C1')).toEqual(['low-balance']);
});

it('lets an older choice that waited change only what nobody has chosen since', async () => {
  const { deps, answers } = await createActionWorld(redis(), {
    warningChannels: { 'expiring-cards': 'C1', 'failing-subscriptions': 'C1', 'low-balance': 'C1' },
  });
  const target = { kind: 'channel', text: '' } as const;
  const later = { id: 'act_later', askedAt: '2026-11-20T15:01:00.000Z' };
  await performAction(ask('warnings', { ...later, target, kinds: ['low-balance'], isOn: true }), deps);

  await performAction(ask('warnings', { target, kinds: ['low-balance', 'expiring-cards'], isOn: false }), deps);
  expect(await deps.preferences.switchedOff('C1')).toEqual(['expiring-cards']);
  expect(answers.at(-1)?.text).toMatch(/^This channel no longer gets warnings about cards that are about to expire\./);

  await performAction(ask('warnings', { id: 'act_2', target, kinds: ['low-balance'], isOn: false }), deps);
  expect(await deps.preferences.switchedOff('C1')).toEqual(['expiring-cards']);
  expect(answers.at(-1)?.text).toMatch(/^This has been changed again since you asked\./);
});

it.each([
  [['low-balance'], false],
  [['low-balance', 'failing-subscriptions'], true],
] as const)('names cardholders only with warnings that they get, too: %j', async (kinds, says) => {
  const { deps, answers } = await createActionWorld(redis(), {
    warningChannels: { 'expiring-cards': 'C1', 'failing-subscriptions': 'C1', 'low-balance': 'C1' },
  });
  const target = { kind: 'channel', text: '' } as const;

  await performAction(ask('warnings', { target, kinds: [...kinds], isOn: false }), deps);

  expect((answers.at(-1)?.text ?? '').includes('Cardholders decide for themselves')).toBe(says);
});
