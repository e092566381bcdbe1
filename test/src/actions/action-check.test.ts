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

it('accepts an action that the web process signed until it is performed, even if its job restarts', async () => {
  const genuine = genuineAt('2026-11-20T15:00:01Z');
  const signed = { action, signature: signer.sign(action) };

  expect(await genuine.whyNot(signed, first)).toBeNull();
  expect(await genuine.whyNot(signed, { starts: 2 })).toBeNull();
  await genuine.performed(action);
  expect(
    await genuineAt('2026-11-20T16:00:00Z').whyNot(signed, { starts: 2 }),
    'our own retry, so nobody is notified',
  ).toEqual({
    why: 'it was performed before',
    isOurs: true,
  });
});

it('rejects the same action in another job as a replay', async () => {
  const signed = { action, signature: signer.sign(action) };
  await genuineAt('2026-11-20T15:00:01Z').performed(action);

  const why = 'it was performed before';
  expect(await genuineAt('2026-11-20T15:02:00Z').whyNot(signed, first)).toEqual({ why, isOurs: false });
  expect(await genuineAt('2026-11-20T15:00:03Z').whyNot(signed, first), 'enqueued again after a crash').toEqual({
    why,
    isOurs: true,
  });
});

it.each([
  ['another author', { ...action, actor: { userId: 'U0EVE', teamId: 'T1' } }],
  ['more roles', { ...action, roles: ['approver' as const, 'operator' as const] }],
  ['another card', { ...action, target: { kind: 'own' as const } }],
  ['another channel', { ...action, origin: { ...action.origin, channel: 'C0OTHER' } }],
  ['another message', { ...action, origin: { ...action.origin, messageTs: '9.9' } }],
  ['another verb', { ...action, verb: 'unblock' }],
  [
    'reason and channel swapped',
    { ...action, reason: action.origin.channel ?? '', origin: { ...action.origin, channel: action.reason } },
  ],
  ['another id, to pass as not yet performed', { ...action, id: 'act_other' }],
  ['a newer date', { ...action, askedAt: '2026-11-20T15:00:01.000Z' }],
])('rejects an action with %s as not signed', async (_what, altered) => {
  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action: altered, signature: signer.sign(action) }, first),
  ).toMatchObject({ why: expect.stringMatching(/not signed/) });
});

it.each([
  ['2026-11-28T15:00:00Z', /more than a week old/],
  ['2026-11-19T14:50:00Z', /in the future/],
])('rejects an action that is too old or dated in the future when checked at %s', async (now, why) => {
  expect(await genuineAt(now).whyNot({ action, signature: signer.sign(action) }, first)).toMatchObject({
    why: expect.stringMatching(why),
  });
});

it('accepts an action although the clock was set back since, as in a failover', async () => {
  expect(await genuineAt('2026-11-20T14:50:00Z').whyNot({ action, signature: signer.sign(action) }, first)).toBeNull();
});

it('rejects an action signed before the bot token changed, because the old token may have leaked', async () => {
  const former = createSigner('xoxb-former', 'action');

  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action, signature: former.sign(action) }, first),
  ).toMatchObject({
    why: expect.stringMatching(/not signed/),
  });
});

it("rejects an action with a refusal's signature or an invalid date", async () => {
  const refusal = signer.sign({ action, why: 'not permitted' });
  const undated = { ...action, askedAt: 'never' };

  expect(await genuineAt('2026-11-20T15:00:01Z').whyNot({ action, signature: refusal }, first)).not.toBeNull();
  expect(
    await genuineAt('2026-11-20T15:00:01Z').whyNot({ action: undated, signature: signer.sign(undated) }, first),
  ).toMatchObject({ why: expect.stringMatching(/week old/) });
});
