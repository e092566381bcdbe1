import { expect, it } from 'vitest';
import { findAlert } from '../../../handlers/alerts/open-alert.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';

/** What somebody finds in the menu of a message with two alerts. */
async function find(typed: string, { visibility = 'private' as ChannelVisibility, teamId = 'T1' } = {}) {
  const labels = ['Jane Doe · card 1234 · $84.10 at Corner Diner', 'Sam Rivera · card 5678 · $9.00 at Books'];
  const alerts = labels.map((label, index) => ({ id: `evt_000000000000000${index}`, label, times: 1 }));
  const deps = {
    batchMessages: { get: async () => ({ why: 'busy', audience: 'team', form: 'summary', alerts }) },
    visibilityOf: async () => visibility,
  };
  const body = {
    channel: { id: 'C1' },
    container: { message_ts: '1.1' },
    user: { id: 'U0OLGA', team_id: teamId },
    team: { id: 'T1' },
    value: typed,
  };
  let found: string[] = [];
  const ack = async ({ options }: { options: { text: { text: string } }[] }): Promise<void> => {
    found = options.map(({ text }) => text.text);
  };
  const listener = findAlert(deps as unknown as ListenerDeps);
  await listener({ ack, body } as unknown as Parameters<typeof listener>[0]);
  return found;
}

it('finds the alerts that match everything typed', async () => {
  expect(await find('')).toHaveLength(2);
  expect(await find('diner 1234')).toEqual([expect.stringContaining('Jane Doe')]);
  expect(await find('diner 5678')).toEqual([]);
});

it('finds nothing where another company reads, and nothing for people of another company', async () => {
  expect(await find('', { visibility: 'shared' })).toEqual([]);
  expect(await find('', { teamId: 'T9' })).toEqual([]);
});
