import { describe, expect, it } from 'vitest';
import { createQuietHours, createSubscriptions, routingVersionKey } from '../../../src/routing/channel-rules-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const declines = { channel: 'C1', filter: 'declines', by: 'U0ANA', at: '2026-11-20T09:00:00.000Z' };

describe('subscriptions', () => {
  it('have numbers that are never reused', async () => {
    const subscriptions = createSubscriptions(redis());
    const first = await subscriptions.add(declines);
    await subscriptions.remove(first);

    const second = await subscriptions.add(declines);

    expect(second.number).toBe(first.number + 1);
  });

  it('with the same filter in the same channel count as one', async () => {
    const subscriptions = createSubscriptions(redis());
    const first = await subscriptions.add(declines);

    expect(await subscriptions.add({ ...declines, by: 'U0OLGA' })).toEqual(first);
    await subscriptions.add({ ...declines, channel: 'C2' });

    expect((await subscriptions.all()).map(({ channel }) => channel)).toEqual(['C1', 'C2']);
  });
});

it('every change of a rule makes the workers read all rules again', async () => {
  const subscriptions = createSubscriptions(redis());
  const quietHours = createQuietHours(redis());
  const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [1] };
  const changes = [
    () => subscriptions.add(declines),
    () => subscriptions.remove(declines),
    () => quietHours.set({ channel: 'C1', window, except: null, by: 'U0ANA', at: declines.at }),
    () => quietHours.remove('C1'),
  ];

  const versions = new Set<string | null>();
  for (const change of changes) {
    await change();
    versions.add(await redis().get(routingVersionKey));
  }
  expect(versions.size, 'no version is used for two states').toBe(changes.length);
});
