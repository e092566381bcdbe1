import { expect, it } from 'vitest';
import { createLock } from '../../../src/core/lock.ts';
import { createEndMute } from '../../../src/routing/mute.ts';
import { createMutes, type Mute, type Mutes } from '../../../src/routing/mute-store.ts';
import type { Message } from '../../../src/slack/message.ts';
import { useRedis } from '../../support/on-redis.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const first: Mute = {
  kind: 'mute',
  id: 'mute_1',
  acctId: 7378,
  card,
  by: 'U0ANA',
  reason: '',
  at: '2026-11-20T10:00:00.000Z',
  endsAt: '2026-11-20T12:00:00.000Z',
};
const second: Mute = { ...first, id: 'mute_2', at: '2026-11-20T12:00:01.000Z', endsAt: '2026-11-20T14:00:00.000Z' };
const alert = (eventId: string) => ({ channel: 'C1', kind: 'decline' as const, eventId });

/** The step of the first mute's end right before which the second mute is set. */
const steps = ['end', 'withheld', 'postNotice', 'remove'] as const;
const cases = steps.flatMap((step) => [
  { step, dies: false, fate: 'goes on' },
  { step, dies: true, fate: 'dies and runs again' },
]);

it.each(cases)(
  'reports each alert once if another mute is set before $step of the end of one, which $fate',
  async ({ step, dies }) => {
    let now = new Date('2026-11-20T12:00:02.000Z');
    const mutes = createMutes(redis(), () => now);
    const notices = new Map<string, Message>();
    let isSet = false;
    const meet = async () => {
      if (isSet) return;
      isSet = true;
      await mutes.put(second);
      if (dies) throw new Error('killed');
    };
    const met =
      <T extends unknown[], R>(name: string, work: (...args: T) => Promise<R>) =>
      async (...args: T): Promise<R> => {
        if (name === step) await meet();
        return await work(...args);
      };
    const watched: Mutes = {
      ...mutes,
      end: met('end', mutes.end),
      withheld: met('withheld', mutes.withheld),
      remove: met('remove', mutes.remove),
    };
    const postNotice = met('postNotice', async (_channel: string, id: string, message: Message) => {
      // The outbox accepts an id once.
      if (!notices.has(id)) notices.set(id, message);
    });
    const { endMute } = createEndMute({ mutes: watched, postNotice, withLock: createLock(redis()), now: () => now });
    /** Ends everything that a timer or the sweep would end. */
    const wake = async (): Promise<void> => {
      const overdue = (await mutes.inForce()).filter(({ endsAt }) => Date.parse(endsAt) <= now.getTime());
      for (const { id } of [...overdue, ...(await mutes.ended())]) await endMute(id).catch(() => {});
    };
    await mutes.put(first);
    await mutes.withhold(first.id, [alert('evt_1'), alert('evt_2')]);

    await wake();
    await wake();
    expect((await mutes.active()).map(({ id }) => id)).toEqual([second.id]);
    await mutes.withhold(second.id, [alert('evt_3')]);
    now = new Date('2026-11-20T14:00:01.000Z');
    await wake();

    expect(await mutes.inForce()).toEqual([]);
    expect(await mutes.ended()).toEqual([]);
    const reported = [...notices.values()].map(({ text }) => Number(/(\d+) alerts? w/.exec(text)?.[1] ?? Number.NaN));
    expect(
      reported.reduce((sum, alerts) => sum + alerts, 0),
      'withheld alerts over all notices',
    ).toBe(3);
    expect(await redis().keys('*withheld*')).toEqual([]);
  },
);

it('withholds nothing by a mute that has ended, and keeps what it withheld until its end is reported', async () => {
  const mutes = createMutes(redis(), () => new Date('2026-11-20T11:00:00.000Z'));
  await mutes.put(first);
  expect(await mutes.withhold(first.id, [alert('evt_1')])).toBe(true);

  await mutes.end(first);

  expect(await mutes.withhold(first.id, [alert('evt_2')])).toBe(false);
  expect(await mutes.withheld(first.id)).toEqual([alert('evt_1')]);
  expect([await mutes.inForce(), await mutes.active()]).toEqual([[], []]);
  expect((await mutes.ended()).map(({ id }) => id)).toEqual([first.id]);
});
