import type { BlockAction } from '@slack/bolt';
import { expect, it } from 'vitest';
import { ofButton, whoActs } from '../../../handlers/dispatch/interaction.ts';
import { ofForm } from '../../../handlers/dispatch/submission.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';

it.each([
  ['a colleague', { id: 'U1', team_id: 'T1' }, { id: 'T1' }, 'T1', false],
  ['a colleague in an organization-wide installation', { id: 'U1', team_id: 'T1' }, null, 'T1', false],
  ['a colleague whose team Slack does not name', { id: 'U1' }, { id: 'T1' }, 'T1', false],
  ['someone from another company', { id: 'U1', team_id: 'T2' }, { id: 'T1' }, 'T1', true],
])('recognizes %s', (_who, user, team, teamId, isExternal) => {
  expect(whoActs(user, team)).toEqual({ actor: { userId: 'U1', teamId }, isExternal });
});

it.each([
  ['a reply in a thread', { ts: '2.2', thread_ts: '1.1' }, '1.1'],
  ['the first message of a thread', { ts: '1.1', thread_ts: '1.1' }, undefined],
  ['a reply that the channel shows, too', { ts: '2.2', thread_ts: '1.1', subtype: 'thread_broadcast' }, undefined],
  ['a message in the channel', { ts: '2.2' }, undefined],
])('an answer to a button of %s, and to its form, goes where it was pressed', async (_what, message, threadTs) => {
  const posted: unknown[] = [];
  const deps = {
    seals: { reply: { seal: (url: string) => url } },
    respond: () => Promise.reject(new Error('expired')),
    postEphemeral: async (...given: unknown[]) => void posted.push(given[3]),
  } as unknown as ListenerDeps;
  const { ts: messageTs, thread_ts } = { thread_ts: undefined, ...message };
  const by = { user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1' } };
  const container = { message_ts: messageTs, ...(thread_ts === undefined ? {} : { thread_ts }) };
  const press = { ...by, channel: { id: 'C1' }, message, container, actions: [], response_url: 'https://hooks/1' };

  const button = ofButton(press as unknown as BlockAction, deps);
  const form = ofForm({ ...by, view: { id: 'V1' } } as never, button.origin, deps);
  for (const { notify } of [button, form]) await notify({ text: 'Done.', blocks: [] });

  expect([button.origin.threadTs, form.origin.threadTs]).toEqual([threadTs, threadTs]);
  expect(posted).toEqual([threadTs, threadTs]);
});
