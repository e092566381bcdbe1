import { describe, expect, it } from 'vitest';
import { createUnsharedChannel, createVisibilityOf } from '../../../src/routing/channel-access.ts';

const MINUTE_MS = 60_000;

/** A channel as Slack describes it. Null: Slack does not answer. */
function createWorld() {
  const state = {
    now: 0,
    version: '1',
    asked: 0,
    channel: { isPrivate: true, isExtShared: false } as { isPrivate: boolean; isExtShared: boolean } | null,
  };
  const visibilityOf = createVisibilityOf({
    async channelInfo() {
      state.asked += 1;
      if (state.channel === null) throw new Error('no answer');
      return state.channel;
    },
    redis: { get: async () => state.version },
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
    state.version = '2';

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
