import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../workspace/limits.ts';
import type { Workspace } from '../../workspace/server.ts';
import { call, clientFor, mrkdwn, openWorkspace, plain, TOKEN } from './local-workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(async () => await workspace.stop());

const post = async (args: Record<string, unknown>) => (await call(workspace, 'chat.postMessage', args)).body;
const alertMetadata = { event_type: 'card_alert', event_payload: { alert_id: 'a1', count: 2 } };

describe('a call', () => {
  it.each([
    ['no token', null, 'not_authed'],
    ['a wrong token', 'xoxb-other', 'invalid_auth'],
  ])('with %s is refused', async (_, token, error) => {
    expect((await call(workspace, 'auth.test', {}, token)).body).toMatchObject({ ok: false, error });
  });

  it('with a revoked token is refused', async () => {
    workspace.setRevoked(true);

    expect((await call(workspace, 'auth.test')).body.error).toBe('token_revoked');
  });

  it('with an unknown block is refused until the workspace knows it', async () => {
    const blocks = [{ type: 'divider' }];
    workspace.setUnknownBlocks(['divider']);
    expect((await call(workspace, 'chat.postMessage', { channel: 'C1', text: 'a', blocks })).body.error).toBe(
      'invalid_blocks',
    );

    workspace.setUnknownBlocks([]);
    expect((await call(workspace, 'chat.postMessage', { channel: 'C1', text: 'a', blocks })).body.ok).toBe(true);
  });

  it('may send its token in the form', async () => {
    const body = new URLSearchParams({ token: TOKEN });

    const response = await fetch(`${workspace.apiUrl}auth.test`, { method: 'POST', body });

    expect(await response.json()).toMatchObject({ ok: true, bot_id: 'B0CARDBELL' });
  });

  it('returns the granted scopes, or an error that names the missing scope', async () => {
    await workspace.stop();
    workspace = await openWorkspace({ scopes: ['chat:write'] });

    const refused = await call(workspace, 'users.info', { user: 'U1' });
    const allowed = await call(workspace, 'auth.test');

    expect(refused.body).toMatchObject({
      ok: false,
      error: 'missing_scope',
      needed: 'users:read',
      provided: 'chat:write',
    });
    expect(allowed.headers.get('x-oauth-scopes')).toBe('chat:write');
  });

  it('gets a separate error for an unknown method and for invalid JSON', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const broken = await fetch(`${workspace.apiUrl}chat.postMessage`, { method: 'POST', headers, body: '{' });

    expect((await call(workspace, 'cards.block')).body.error).toBe('unknown_method');
    expect(await broken.json()).toMatchObject({ error: 'invalid_json' });
  });

  it('for another host is not served', async () => {
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request(workspace.url, { headers: { host: 'slack.example' } }, (answer) =>
        resolve(answer.resume().statusCode),
      ).end();
    });

    expect(status).toBe(421);
  });
});

const REFUSALS: [string, Record<string, unknown>, string][] = [
  ['no channel', { text: 'a' }, 'channel_not_found'],
  ['an unknown channel', { channel: 'C99', text: 'a' }, 'channel_not_found'],
  ['a private channel without the app', { channel: 'G1', text: 'a' }, 'channel_not_found'],
  ['a public channel without the app', { channel: 'C2', text: 'a' }, 'not_in_channel'],
  ['an archived channel', { channel: 'C3', text: 'a' }, 'is_archived'],
  ['a read-only channel', { channel: 'C4', text: 'a' }, 'restricted_action'],
  ['a message without text', { channel: 'C1' }, 'no_text'],
  ['blocks that are not a list', { channel: 'C1', text: 'a', blocks: '{' }, 'invalid_blocks_format'],
  ['bad blocks', { channel: 'C1', text: 'a', blocks: [{ type: 'nope' }] }, 'invalid_blocks'],
  ['an unknown thread', { channel: 'C1', text: 'a', thread_ts: '1700000000.000001' }, 'thread_not_found'],
  ['metadata without a type', { channel: 'C1', text: 'a', metadata: { event_payload: {} } }, 'invalid_metadata_format'],
  [
    'metadata too deep',
    { channel: 'C1', text: 'a', metadata: { event_type: 'a', event_payload: { a: { b: { c: 1 } } } } },
    'invalid_metadata_schema',
  ],
];

describe('chat.postMessage', () => {
  it.each(REFUSALS)('refuses %s', async (_, args, error) => {
    expect(await post(args)).toMatchObject({ ok: false, error });
    expect(workspace.messages('C1')).toEqual([]);
    expect(workspace.calls.at(-1)).toMatchObject({
      method: 'chat.postMessage',
      error,
      accepted: false,
      responded: true,
    });
  });

  it('names the invalid block and the reason, like Slack', async () => {
    const answer = await post({ channel: 'C1', blocks: [{ type: 'section', text: mrkdwn('x'.repeat(3001)) }] });

    expect(answer.response_metadata?.messages).toEqual([
      '[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]',
    ]);
  });

  it('refuses blocks that are too long in total', async () => {
    const blocks = (last: number) =>
      [3000, 3000, 3000, 3000, last].map((size) => ({ type: 'section', text: mrkdwn('x'.repeat(size)) }));
    // The words `section` and `mrkdwn` of five blocks count too.
    const room = LIMITS.blocksTotal.max - 12_000 - 5 * 13;

    expect(await post({ channel: 'C1', blocks: blocks(room) })).toMatchObject({ ok: true });
    expect(await post({ channel: 'C1', blocks: blocks(room + 1) })).toMatchObject({
      ok: false,
      error: 'msg_blocks_too_long',
    });
  });

  it('cuts a text over 40,000 characters', async () => {
    await post({ channel: 'C1', text: 'x'.repeat(40_001) });

    expect(workspace.messages('C1')[0]?.text).toHaveLength(40_000);
  });

  it('assigns rising timestamps, and ids to blocks without one', async () => {
    const first = await post({ channel: 'C1', text: 'a', blocks: [{ type: 'divider' }] });
    const second = await post({ channel: 'C1', text: 'b' });

    expect(first.ts).toMatch(/^\d{10}\.\d{6}$/);
    expect(Number(second.ts)).toBeGreaterThan(Number(first.ts));
    expect(workspace.messages('C1')[0]?.blocks?.[0]?.block_id).toMatch(/^.{5}$/);
  });

  it('works with Slack’s own client, form-encoded, and for direct messages', async () => {
    const answer = await clientFor(workspace).chat.postMessage({
      channel: 'U1',
      text: 'hello',
      metadata: alertMetadata,
    });

    expect(answer).toMatchObject({ ok: true, channel: 'D1', message: { text: 'hello', bot_id: 'B0CARDBELL' } });
    expect(workspace.messages('D1')[0]?.metadata).toEqual(alertMetadata);
    expect(workspace.calls[0]?.args).toMatchObject({ channel: 'U1', metadata: alertMetadata });
  });
});

describe('chat.update', () => {
  it('removes the blocks and keeps the metadata when only text is sent', async () => {
    const { ts } = await post({ channel: 'C1', text: 'a', blocks: [{ type: 'divider' }], metadata: alertMetadata });

    await call(workspace, 'chat.update', { channel: 'C1', ts, text: 'b' });

    const [message] = workspace.messages('C1');
    expect(message).toMatchObject({ ts, text: 'b', metadata: alertMetadata, edited: { user: 'U0CARDBELL' } });
    expect(message?.blocks).toBeUndefined();
  });

  it.each([
    ['accepts 4,000 characters', 4000, undefined],
    ['refuses 4,001', 4001, 'msg_too_long'],
  ])('%s', async (_, size, error) => {
    const { ts } = await post({ channel: 'C1', text: 'a' });

    expect((await call(workspace, 'chat.update', { channel: 'C1', ts, text: 'x'.repeat(size) })).body.error).toBe(
      error,
    );
  });

  it('refuses missing messages, messages of others, and ephemeral messages', async () => {
    const said = workspace.say({ user: 'U1', channel: 'C1', text: 'mine' });
    const shown = await call(workspace, 'chat.postEphemeral', { channel: 'C1', user: 'U1', text: 'only you' });
    const update = async (ts: unknown) =>
      (await call(workspace, 'chat.update', { channel: 'C1', ts, text: 'b' })).body.error;

    expect(await update('1700000000.000001')).toBe('message_not_found');
    expect(await update(said.ts)).toBe('cant_update_message');
    expect(await update(shown.body.message_ts)).toBe('message_not_found');
  });
});

describe('an ephemeral message', () => {
  it('is seen by one person and not in the history', async () => {
    await call(workspace, 'chat.postEphemeral', { channel: 'C1', user: 'U1', text: 'only you' });

    const history = await call(workspace, 'conversations.history', { channel: 'C1' });
    expect(workspace.ephemerals('U1').map(({ text }) => text)).toEqual(['only you']);
    expect(workspace.ephemerals('U2')).toEqual([]);
    expect(history.body.messages).toEqual([]);
  });

  it('needs a member of the channel', async () => {
    const args = { channel: 'C1', user: 'U9', text: 'a' };

    expect((await call(workspace, 'chat.postEphemeral', args)).body.error).toBe('user_not_in_channel');
    expect((await call(workspace, 'chat.postEphemeral', { ...args, channel: 'C5' })).body.ok).toBe(true);
  });
});

describe('conversations', () => {
  it('include metadata only on request', async () => {
    await post({ channel: 'C1', text: 'a', metadata: alertMetadata });

    const without = await call(workspace, 'conversations.history', { channel: 'C1' });
    const withIt = await call(workspace, 'conversations.history', { channel: 'C1', include_all_metadata: true });

    expect(without.body.messages[0]).not.toHaveProperty('metadata');
    expect(withIt.body.messages[0]?.metadata).toEqual(alertMetadata);
  });

  it('keep threads out of the history and count their replies', async () => {
    const { ts } = await post({ channel: 'C1', text: 'parent' });
    const reply = await post({ channel: 'C1', text: 'reply', thread_ts: ts });
    workspace.say({ user: 'U1', channel: 'C1', text: 'mine', threadTs: ts });

    const history = await call(workspace, 'conversations.history', { channel: 'C1' });
    const replies = await call(workspace, 'conversations.replies', { channel: 'C1', ts });
    const nested = await post({ channel: 'C1', text: 'deeper', thread_ts: reply.ts });

    expect(history.body.messages).toHaveLength(1);
    expect(history.body.messages[0]).toMatchObject({
      reply_count: 2,
      reply_users: ['U0CARDBELL', 'U1'],
      thread_ts: ts,
    });
    expect(replies.body.messages.map(({ text }) => text)).toEqual(['parent', 'reply', 'mine']);
    expect(nested.error).toBe('cannot_reply_to_message');
    expect(workspace.messages('C1', { threadTs: ts })).toHaveLength(3);
  });

  it('page through the history, newest first, within its bounds', async () => {
    const stamps: string[] = [];
    for (const text of ['a', 'b', 'c', 'd']) stamps.push((await post({ channel: 'C1', text })).ts);

    const first = (await call(workspace, 'conversations.history', { channel: 'C1', limit: 3 })).body;
    const cursor = first.response_metadata?.next_cursor;
    const rest = (await call(workspace, 'conversations.history', { channel: 'C1', limit: 3, cursor })).body;
    const bounds = { channel: 'C1', oldest: stamps[1], latest: stamps[2] };
    const open = (await call(workspace, 'conversations.history', bounds)).body;
    const closed = (await call(workspace, 'conversations.history', { ...bounds, inclusive: true })).body;

    expect(first.messages.map(({ text }) => text)).toEqual(['d', 'c', 'b']);
    expect(rest.messages.map(({ text }) => text)).toEqual(['a']);
    expect(open.messages).toEqual([]);
    expect(closed.messages.map(({ text }) => text)).toEqual(['c', 'b']);
  });

  it('track membership and archiving of the app’s channels', async () => {
    workspace.kick('C1');
    const out = await post({ channel: 'C1', text: 'a' });
    await call(workspace, 'conversations.join', { channel: 'C1' });
    const back = await post({ channel: 'C1', text: 'b' });
    workspace.archive('C1');
    const late = await post({ channel: 'C1', text: 'c' });
    const edit = await call(workspace, 'chat.update', { channel: 'C1', ts: back.ts, text: 'd' });

    expect([out.error, back.ok, late.error]).toEqual(['not_in_channel', true, 'is_archived']);
    expect(edit.body.error, 'an edit has a code of its own').toBe('is_inactive');
  });
});

describe('people', () => {
  it('are found by id, by email address, and in their groups', async () => {
    const client = clientFor(workspace);

    expect((await client.users.lookupByEmail({ email: 'ANA@northwind.example' })).user?.id).toBe('U1');
    expect((await client.users.info({ user: 'U9' })).user).toMatchObject({ is_stranger: true, team_id: 'T0STRANGERS' });
    expect((await client.usergroups.users.list({ usergroup: 'S1' })).users).toEqual(['U1']);
    await expect(client.users.info({ user: 'U77' })).rejects.toMatchObject({ data: { error: 'user_not_found' } });
    await expect(client.usergroups.users.list({ usergroup: 'S9' })).rejects.toMatchObject({
      data: { error: 'no_such_subteam' },
    });
  });

  it('have reactions that count once', async () => {
    const { ts } = await post({ channel: 'C1', text: 'a' });
    const react = async () =>
      (await call(workspace, 'reactions.add', { channel: 'C1', timestamp: ts, name: 'eyes' })).body;

    expect((await react()).ok).toBe(true);
    expect((await react()).error).toBe('already_reacted');
    expect(workspace.messages('C1')[0]?.reactions).toEqual([{ name: 'eyes', users: ['U0CARDBELL'], count: 1 }]);
  });
});

it('stores an uploaded file, shares it, and serves it as a download', async () => {
  const content = 'last4,amount\n4417,12.50\n';

  await clientFor(workspace).files.uploadV2({
    channel_id: 'C1',
    filename: 'declines.csv',
    content,
    initial_comment: 'Declines',
  });

  const history = await call(workspace, 'conversations.history', { channel: 'C1' });
  const files = history.body.messages[0]?.files as { url_private: string; name: string }[];
  const download = await fetch(files[0]?.url_private ?? '');
  expect(files[0]?.name).toBe('declines.csv');
  expect(await download.text()).toBe(content);
  expect(download.headers.get('content-disposition')).toMatch(/^attachment/);
});

it('forgets everything on reset but continues its timestamps', async () => {
  const before = await post({ channel: 'C1', text: 'a' });

  workspace.reset();

  const after = await post({ channel: 'C1', text: 'b' });
  expect(workspace.messages('C1').map(({ text }) => text)).toEqual(['b']);
  expect(workspace.calls).toHaveLength(1);
  expect(Number(after.ts)).toBeGreaterThan(Number(before.ts));
});

it('lists the existing messages when a message does not arrive', async () => {
  await post({ channel: 'C1', text: 'something else', blocks: [{ type: 'section', text: plain('a') }] });

  const waiting = workspace.waitForMessage(({ text }) => text === 'never', 20);

  await expect(waiting).rejects.toThrow(
    /no such message within 20 ms[\s\S]*something else[\s\S]*\[section\][\s\S]*chat\.postMessage 200/,
  );
});
