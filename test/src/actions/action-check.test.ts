import { expect, it } from 'vitest';
import { createActionCheck } from '../../../src/actions/action-check.ts';
import { createSigner } from '../../../src/core/sign.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();
const signer = createSigner('xoxb-one', 'action');
const action = ask('block');
const first = { starts: 1 };
const genuineAt = (now: string) => createActionCheck({ redis: redis(), signer, now: () => new Date(now) });

it('an action that the web process signed is genuine until it was performed, also when its job starts again', async () => {
  const genuine = genuineAt('2026-11-20T15:00:01Z');
  const signed = { action, signature: signer.sign(action) };

  expect(await genuine.whyNot(signed, first)).toBeNull();
  expect(await genuine.whyNot(signed, { starts: 2 })).toBeNull();
  await genuine.performed(action);
  expect(await genuineAt('2026-11-20T16:00:00Z').whyNot(signed, { starts: 2 }), 'nobody needs to know').toEqual({
    why: 'it was performed before',
    isOurs: true,
  });
});

it('the same action in another job is a replay', async () => {
  const signed = { action, signature: signer.sign(action) };
  await genuineAt('2026-11-20T15:00:01Z').performed(action);

  const why = 'it was performed before';
  expect(await genuineAt('2026-11-20T15:02:00Z').whyNot(signed, first)).toEqual({ why, isOurs: false });
  expect(await genuineAt('2026-11-20T15:00:03Z').whyNot(signed, first), 'handed on again after a crash').toEqual({
    why,
    isOurs: true,
  });
});

it.each([
  ['somebody else as its author', { ...action, actor: { userId: 'U0EVE', teamId: 'T1' } }],
  ['more roles', { ...action, roles: ['approver' as const, 'operator' as const] }],
  ['another card', { ...action, target: { kind: 'own' as const } }],
  ['another channel', { ...action, origin: { ...action.origin, channel: 'C0OTHER' } }],
  ['another message', { ...action, origin: { ...action.origin, messageTs: '9.9' } }],
  ['another verb', { ...action, verb: 'unblock' }],
  [
    'reason and channel swapped',
    { ...action, reason: action.origin.channel ?? '', origin: { ...action.origin, channel: action.reason } },
  ],
  ['another id, as if it were not done yet', { ...action, id: 'act_other' }],
  ['a newer date', { ...action, askedAt: '2026-11-20T15:00:01.000Z' }],
])('an action with %s is not what was signed', async (_what, altered) => {
  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action: altered, signature: signer.sign(action) }, first),
  ).toMatchObject({ why: expect.stringMatching(/not signed/) });
});

it.each([
  ['2026-11-28T15:00:00Z', /more than a week old/],
  ['2026-11-20T14:50:00Z', /in the future/],
])('an action is too old or dated in the future at %s', async (now, why) => {
  expect(await genuineAt(now).whyNot({ action, signature: signer.sign(action) }, first)).toMatchObject({
    why: expect.stringMatching(why),
  });
});

it('an action that was signed before the bot token was changed is not done: nobody knows whether the former one leaked', async () => {
  const former = createSigner('xoxb-former', 'action');

  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action, signature: former.sign(action) }, first),
  ).toMatchObject({
    why: expect.stringMatching(/not signed/),
  });
});

it("a refusal's signature does not make an action, nor a date that is none", async () => {
  const refusal = signer.sign({ action, why: 'not permitted' });
  const undated = { ...action, askedAt: 'never' };

  expect(await genuineAt('2026-11-20T15:00:01Z').whyNot({ action, signature: refusal }, first)).not.toBeNull();
  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action: undated, signature: signer.sign(undated) }, first),
  ).toMatchObject({ why: expect.stringMatching(/week old/) });
});
