import { expect, it } from 'vitest';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createMayPost } from '../../../src/outbox/may-post.ts';
import { createRenderEntries } from '../../../src/outbox/render-entries.ts';

const message = { text: 'the daily limit of Jane Doe', blocks: [] };
const tracked = (kind: string) => ({ kind: 'tracked', id: `${kind}-1`, subject: { kind, id: '1' } });

/** Every kind of post that names people, limits or decisions. */
const forTeam: readonly [string, object][] = [
  ['a notice, such as an audit line', { kind: 'notice', id: 'audit-1', message }],
  ['a file', { kind: 'file', id: 'f1', file: { name: 'n', title: 't', content: 'c' }, comment: '' }],
  ['a request', tracked('request')],
  ['a claim', tracked('claim')],
  ['a temporary change', tracked('temporary-change')],
];

function renderIn(visibility: (channel: string) => ChannelVisibility) {
  const shown = async () => message;
  return createRenderEntries({
    trackedMessages: { revisions: async () => [] },
    renderSubjects: { alert: shown, request: shown, claim: shown, 'temporary-change': shown, recovery: shown },
    renderBatch: { render: async () => null },
    attachRows: {
      render: async () => ({ kind: 'noData' }),
      renderFile: async ({ file, comment }) => ({
        kind: 'file',
        file: { id: 'F1', name: file.name, title: file.title },
        comment,
        thread: null,
      }),
    },
    threads: { rootOf: async () => null, isGone: async () => false },
    unsupported: { has: async () => false },
    notifyOps: async () => {},
    mayPost: createMayPost({ visibilityOf: async (channel) => visibility(channel), defaultChannel: 'C0ALL' }),
  });
}

it.each(forTeam)(
  '%s is not posted in a channel that is shared with another company, as soon as it is shared',
  async (_what, entry) => {
    let visibility: ChannelVisibility = 'private';
    const render = renderIn(() => visibility);
    const entries = [OutboxEntry.parse(entry)];

    expect(await render(entries, 'C1')).toMatchObject({ kind: expect.stringMatching(/message|file/) });
    visibility = 'shared';
    expect(await render(entries, 'C1')).toEqual({ kind: 'mustMove', why: { kind: 'shared' } });
  },
);

it('an alert that waited while its channel was shared goes to the default channel, and stays there if that is shared', async () => {
  const entries = [OutboxEntry.parse(tracked('alert'))];
  const render = renderIn((channel) => (channel === 'C1' ? 'shared' : 'private'));
  expect(await render(entries, 'C1')).toEqual({ kind: 'mustMove', why: { kind: 'shared' } });
  expect(await render(entries, 'C0ALL')).toMatchObject({ message });

  for (const channel of ['C1', 'C0ALL'])
    expect(await renderIn(() => 'shared')(entries, channel), 'rendered for its readers').toMatchObject({ message });
});
