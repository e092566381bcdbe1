import { expect, it } from 'vitest';
import { findAlert, openAlert, showDetails } from '../../../handlers/alerts/open-alert.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import type { Ask } from '../../../src/dispatch/request-action.ts';
import { declined } from '../../templates/fixtures.ts';

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

const alert = declined('decline.card.pin', 'Incorrect PIN');
const alertId = alert.event.id;

/** What somebody reads who opens an alert there: its text or form, or why they may not. */
async function open(listener: typeof openAlert, channel: string, roles: readonly string[]): Promise<string> {
  const read: unknown[] = [];
  const deps = {
    alerts: { get: async () => alert, getAll: async () => [alert] },
    visibilityOf: async () => 'direct',
    rolesForCard: async () => ({ roles }),
    openView: async (_trigger: string, view: unknown) => void read.push(view),
    respond: async (_url: string, message: unknown) => void read.push(message),
    seals: { reply: { seal: () => 'sealed' } },
    now: () => new Date('2026-11-23T12:00:00Z'),
    requestAction: async (ask: Ask) => {
      const prepared = typeof ask.input === 'function' ? await ask.input() : null;
      if (prepared?.kind === 'refused') read.push(prepared.why);
    },
  };
  const body = {
    channel: { id: channel },
    message: { ts: '1.1' },
    user: { id: 'U0OLGA', team_id: 'T1' },
    team: { id: 'T1' },
    trigger_id: '1.2',
    response_url: 'https://hooks.slack.com/1',
    actions: [{ action_id: 'one', action_ts: '1.3', selected_option: { value: alertId } }],
  };
  const press = listener(deps as unknown as ListenerDeps);
  await press({ ack: async () => {}, body } as unknown as Parameters<typeof press>[0]);
  return JSON.stringify(read);
}

it.each([
  ['an alert of a message with many', openAlert],
  ['the details of an alert', showDetails('team')],
])('shows %s in a direct message only while the person has a role for the card', async (_what, listener) => {
  expect(await open(listener, 'D1', ['operator'])).toContain('$84.10');
  expect(await open(listener, 'D1', [])).toBe('["This card is not linked to you."]');
  expect(await open(listener, 'C1', []), 'anyone who sees a channel may').toContain('$84.10');
});
