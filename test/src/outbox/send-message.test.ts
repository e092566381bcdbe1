import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import type { Draft } from '../../../src/outbox/entry.ts';
import { createSendMessage, whenSlackTakesIt } from '../../../src/outbox/send-message.ts';

const never = (): Promise<never> => Promise.reject(new Error('not expected here'));
const draft: Draft = {
  kind: 'message',
  message: { text: 'An alert', blocks: [] },
  thread: { ts: '1.0', isBroadcast: false },
  newBlocks: [],
  batch: null,
  revisions: [],
};

it('a message whose thread was deleted must be rendered again without a thread', async () => {
  const gone: string[] = [];
  let posts = 0;
  const sendMessage = createSendMessage({
    slack: {
      async post(channel, _message, _ref, thread = null) {
        posts += 1;
        if (thread !== null) throw new SlackError('chat.postMessage', 'refused', 'thread_not_found');
        return { channel, ts: '2.0' };
      },
      shareFile: never,
    },
    threads: { markGone: async (_, ts) => void gone.push(ts) },
  });

  expect(await sendMessage('C1', draft, { ref: 'm_1', entryIds: ['a'] }), 'nothing was posted').toBeNull();
  expect(posts, 'a single call, so that the claim does not expire in the meantime').toBe(1);
  expect(gone).toEqual(['1.0']);
});

describe('a refused edit', () => {
  const edit = (code: SlackError['code'], starts = 1) =>
    whenSlackTakesIt(starts, { tokenDeadMs: 10_000 }, () => Promise.reject(new SlackError('chat.update', code, 'x')));

  it('waits longer each time if there is no answer, up to a minute', async () => {
    expect(await edit('unknown', 1)).toBe(1000);
    expect(await edit('unknown', 3)).toBe(4000);
    expect(await edit('unknown', 50)).toBe(60_000);
  });

  it('waits for another token if this one is dead', async () => {
    expect(await edit('token_dead')).toBe(10_000);
  });

  it('fails if waiting cannot help or has lasted a day', async () => {
    await expect(edit('refused')).rejects.toThrow(SlackError);
    await expect(edit('unknown', 24 * 60)).rejects.toThrow(SlackError);
  });

  it('needs no second run if it worked', async () => {
    expect(await whenSlackTakesIt(1, { tokenDeadMs: 1 }, async () => null)).toBeNull();
  });
});
