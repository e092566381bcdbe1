import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import type { Draft } from '../../../src/outbox/entry.ts';
import { createSendMessage } from '../../../src/outbox/send-message.ts';

const never = (): Promise<never> => Promise.reject(new Error('not expected here'));
const draft: Draft = {
  kind: 'message',
  message: { text: 'An alert', blocks: [] },
  thread: { ts: '1.0', isBroadcast: false },
  newBlocks: [],
  batch: null,
  revisions: [],
};

it.each(['thread_not_found', 'restricted_action_thread_locked', 'restricted_action_non_threadable_channel'])(
  'a message that cannot be posted in its thread (%s) must be rendered again without one',
  async (code) => {
    const gone: string[] = [];
    let posts = 0;
    const sendMessage = createSendMessage({
      slack: {
        async post(channel, _message, _ref, thread = null) {
          posts += 1;
          if (thread !== null) throw new SlackError('chat.postMessage', 'app_refused', code);
          return { channel, ts: '2.0' };
        },
        shareFile: never,
      },
      threads: { markGone: async (_, ts) => void gone.push(ts) },
    });

    expect(await sendMessage('C1', draft, { ref: 'm_1', entryIds: ['a'] }), 'nothing was posted').toBeNull();
    expect(posts, 'a single call, so that the claim does not expire in the meantime').toBe(1);
    expect(gone).toEqual(['1.0']);
  },
);
