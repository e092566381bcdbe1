import { describe, expect, it } from 'vitest';
import { createUnsharedChannel, createVisibilityOf, visibilityChanged } from '../../../src/routing/channel-access.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

const MINUTE_MS = 60_000;

/** A channel as Slack describes it. Null: Slack does not answer. */
function createWorld() {
  const state = {
    now: 0,
    asked: 0,
    channel: { isPrivate: true, isExtShared: false } as { isPrivate: boolean; isExtShared: boolean } | null,
  };
  const visibilityOf = createVisibilityOf({
    async channelInfo() {
      state.asked += 1;
      if (state.channel === null) throw new Error('no answer');
      return state.channel;
    },
    redis: redis(),
    now: () => state.now,
  });
  return { state, visibilityOf };
}

describe('the visibility of a channel', () => {
  it('is cached for a minute', async () => {
    const { state, visibilityOf } = createWorld();
    await visibilityOf('C1');

    state.now = MINUTE_MS - 1;
    await visibilityOf('C1');
    expect(state.asked, 'calls to Slack within a minute').toBe(1);

    state.now += 1;
    await visibilityOf('C1');
    expect(state.asked, 'calls to Slack after a minute').toBe(2);
  });

  it('is looked up again as soon as Slack reports a change', async () => {
    const { state, visibilityOf } = createWorld();
    expect(await visibilityOf('C1')).toBe('private');

    state.channel = { isPrivate: true, isExtShared: true };
    await visibilityChanged(redis(), null);

    expect(await visibilityOf('C1')).toBe('shared');
  });

  it('counts as public while Slack does not answer, and is looked up again soon', async () => {
    const { state, visibilityOf } = createWorld();
    state.channel = null;
    expect(await visibilityOf('C1')).toBe('public');

    state.channel = { isPrivate: true, isExtShared: false };
    state.now = MINUTE_MS / 2;
    expect(await visibilityOf('C1')).toBe('private');
  });

  it('stays shared while Slack does not answer', async () => {
    const { state, visibilityOf } = createWorld();
    state.channel = { isPrivate: false, isExtShared: true };
    await visibilityOf('C1');

    state.channel = null;
    state.now = 11 * MINUTE_MS;

    expect(await visibilityOf('C1')).toBe('shared');
  });

  it('is shared as soon as Slack reports it, also if Slack does not answer then', async () => {
    const channelInfo = async () => {
      throw new Error('no answer');
    };
    const visibilityOf = createVisibilityOf({ channelInfo, redis: redis() });
    expect(await visibilityOf('C1')).toBe('public');

    await visibilityChanged(redis(), 'C1');

    expect(await visibilityOf('C1')).toBe('shared');
    expect(await visibilityOf('C2')).toBe('public');
  });

  it('is known to be shared by a process that has just started, until Slack says otherwise', async () => {
    const { state, visibilityOf } = createWorld();
    state.channel = { isPrivate: false, isExtShared: true };
    await visibilityOf('C1');
    const another = createWorld();

    another.state.channel = null;
    expect(await another.visibilityOf('C1')).toBe('shared');
    another.state.channel = { isPrivate: false, isExtShared: false };
    another.state.now = MINUTE_MS;
    expect(await another.visibilityOf('C1')).toBe('public');
    another.state.channel = null;
    another.state.now = 2 * MINUTE_MS;
    expect(await another.visibilityOf('C1')).toBe('public');
  });

  it('stays shared if Slack reports it while an earlier answer is on its way', async () => {
    let isReported = false;
    const visibilityOf = createVisibilityOf({
      async channelInfo() {
        if (isReported) throw new Error('no answer');
        isReported = true;
        await visibilityChanged(redis(), 'C1');
        return { isPrivate: false, isExtShared: false };
      },
      redis: redis(),
    });

    await visibilityOf('C1');
    expect(await visibilityOf('C1')).toBe('shared');
  });

  it('stays shared if Slack reports it just before an earlier answer is stored', async () => {
    let [isReported, isAway] = [false, false];
    const report = async (): Promise<void> => {
      if (isReported) return;
      [isReported, isAway] = [true, true];
      await visibilityChanged(redis(), 'C1');
    };
    const client = new Proxy(redis(), {
      get(real, name) {
        const value: unknown = Reflect.get(real, name);
        if (typeof value !== 'function') return value;
        const isRemoval = name === 'srem' || name === 'routing/forget-shared-channel';
        return async (...args: unknown[]) => {
          if (isRemoval) await report();
          return Reflect.apply(value, real, args);
        };
      },
    });
    const visibilityOf = createVisibilityOf({
      async channelInfo() {
        if (isAway) throw new Error('no answer');
        return { isPrivate: false, isExtShared: false };
      },
      redis: client,
    });

    await visibilityOf('C1');
    expect(isReported).toBe(true);
    expect(await visibilityOf('C1')).toBe('shared');
  });

  it('of a direct message needs no lookup', async () => {
    const { state, visibilityOf } = createWorld();

    expect(await visibilityOf('D1')).toBe('direct');
    expect(state.asked).toBe(0);
  });
});

it('posts that may not go to a shared channel go to the first of the team’s channels that is not shared', async () => {
  const unshared = (...shared: string[]) =>
    createUnsharedChannel({ fallback: 'C1', ops: 'C2', audit: 'C3', approvals: 'C3' }, async (channel) =>
      shared.includes(channel) ? 'shared' : 'private',
    );

  expect(await unshared('C3')('C3')).toBe('C1');
  expect(await unshared('C1', 'C3')('C3')).toBe('C2');
  expect(await unshared('C1', 'C2', 'C3')('C3')).toBeNull();
});
