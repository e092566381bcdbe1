import { expect, it } from 'vitest';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createRenderEntries, SHARED_CHANNEL } from '../../../src/outbox/render-entries.ts';

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

function renderIn(visibility: () => ChannelVisibility) {
  const shown = async () => message;
  return createRenderEntries({
    trackedMessages: { revisions: async () => [] },
    renderSubjects: { alert: shown, request: shown, claim: shown, 'temporary-change': shown },
    renderBatch: { render: async () => null },
    attachRows: {
      render: async () => null,
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
    visibilityOf: async () => visibility(),
  });
}

it.each(forTeam)(
  '%s is not posted in a channel that is shared with another company, as soon as it is shared',
  async (_what, entry) => {
    let visibility: ChannelVisibility = 'private';
    const render = renderIn(() => visibility);
    const entries = [OutboxEntry.parse(entry)];

    expect(await render(entries, 'C1')).not.toBeNull();
    visibility = 'shared';
    await expect(render(entries, 'C1')).rejects.toMatchObject({ code: 'channel_unusable', slackError: SHARED_CHANNEL });
  },
);

it('an alert is posted in a shared channel, rendered for its readers', async () => {
  expect(await renderIn(() => 'shared')([OutboxEntry.parse(tracked('alert'))], 'C1')).toMatchObject({ message });
});
