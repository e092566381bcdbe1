import { describe, expect, it } from 'vitest';
import { createVisibilityOf } from '../../../src/routing/channel-access.ts';

const MINUTE_MS = 60_000;

/** A channel as Slack describes it; null: Slack does not answer. */
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
    version: async () => state.version,
    now: () => state.now,
  });
  return { state, visibilityOf };
}

describe('the visibility of a channel', () => {
  it('is cached for ten minutes', async () => {
    const { state, visibilityOf } = createWorld();
    await visibilityOf('C1');

    state.now = 10 * MINUTE_MS - 1;
    await visibilityOf('C1');
    expect(state.asked, 'questions to Slack within ten minutes').toBe(1);

    state.now += 1;
    await visibilityOf('C1');
    expect(state.asked, 'questions to Slack after ten minutes').toBe(2);
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

  it('of a direct conversation needs no question', async () => {
    const { state, visibilityOf } = createWorld();

    expect(await visibilityOf('D1')).toBe('direct');
    expect(state.asked).toBe(0);
  });
});
