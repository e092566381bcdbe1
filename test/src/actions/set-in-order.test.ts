import { expect, it } from 'vitest';
import { createSetInOrder } from '../../../src/actions/set-in-order.ts';
import { createSettingOrder } from '../../../src/core/setting-order.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();

it('sets the parts that nobody has set later', async () => {
  const set: string[] = [];
  const told: string[] = [];
  const setInOrder = createSetInOrder({
    withLock: withoutLock,
    settingOrder: createSettingOrder(redis(), () => new Date('2026-11-20T16:00:00.000Z')),
    record: async () => {},
    responses: { answer: async ({ id }) => void told.push(id) },
  });
  const run = (id: string, minute: number, parts: readonly string[]) =>
    setInOrder(
      'digest:C1',
      ask('block', { id, askedAt: `2026-11-20T15:0${minute}:00.000Z` }),
      async (_lease, newest) => void set.push(`${id} ${newest.join(' ')}`),
      parts,
    );

  await run('act_2', 2, ['daily']);
  await run('act_1', 1, ['daily', 'weekly']);
  await run('act_0', 0, ['daily', 'weekly']);
  await run('act_0', 0, ['monthly']);

  expect(set).toEqual(['act_2 daily', 'act_1 weekly', 'act_0 monthly']);
  expect(told).toEqual(['act_0']);
});

it('an action that runs again does not replace what somebody has asked for since, and the person is told', async () => {
  const set: string[] = [];
  const told: string[] = [];
  const recorded: string[] = [];
  const setInOrder = createSetInOrder({
    withLock: withoutLock,
    settingOrder: createSettingOrder(redis(), () => new Date('2026-11-20T16:00:00.000Z')),
    record: async ({ id }, { event }) => void recorded.push(`${id} ${event}`),
    responses: { answer: async ({ id }, { text }) => void told.push(`${id} ${text}`) },
  });
  const first = ask('block', { id: 'act_1', askedAt: '2026-11-20T15:00:00.000Z' });
  const second = ask('block', { id: 'act_2', askedAt: '2026-11-20T15:01:00.000Z' });
  const run = (action: typeof first, subject: 'quiet:C1' | 'quiet:C2' = 'quiet:C1') =>
    setInOrder(subject, action, async () => void set.push(`${action.id} ${subject}`));

  await run(first);
  await run(first);
  await run(second);
  expect(set, 'again after a crash').toEqual(['act_1 quiet:C1', 'act_1 quiet:C1', 'act_2 quiet:C1']);

  await run(first);
  await run(first, 'quiet:C2');

  expect(set.slice(3)).toEqual(['act_1 quiet:C2']);
  expect(recorded).toEqual(['act_1 superseded']);
  expect(told).toEqual(['act_1 This has been changed again since you asked. The newer setting stays.']);
});
