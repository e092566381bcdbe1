import { once } from 'node:events';
import { createServer } from 'node:http';
import { App, LogLevel } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../local/port.ts';
import type { Workspace } from '../../workspace/server.ts';
import { signedHeaders } from '../../workspace/signature.ts';
import { appUrl, type Body, startApp } from './app-under-test.ts';
import { button, call, openWorkspace, plain, SECRET, TOKEN } from './local-workspace.ts';

let workspace: Workspace;
let app: App | undefined;
beforeEach(async () => {
  workspace = await openWorkspace({ appToken: 'xapp-test' });
});
afterEach(async () => {
  await app?.stop();
  app = undefined;
  await workspace.stop();
});

async function postButtons(...elements: unknown[]) {
  await call(workspace, 'chat.postMessage', {
    channel: 'C1',
    text: 'alert',
    blocks: [{ type: 'actions', block_id: 'b', elements }],
  });
  return await workspace.waitForMessage(({ text }) => text === 'alert');
}

describe('a slash command', () => {
  it('reaches a Bolt app with Slack’s payload, and its answer is shown to the person', async () => {
    let seen: Body = {};
    app = await startApp(workspace, (it) =>
      it.command('/card', async ({ ack, body }) => {
        seen = { ...body };
        await ack('Only you see this');
      }),
    );

    const delivery = await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: 'show 4417' });

    expect(delivery).toMatchObject({ ok: true, status: 200, timedOut: false });
    expect(seen).toMatchObject({
      command: '/card',
      text: 'show 4417',
      user_id: 'U1',
      user_name: 'ana',
      channel_id: 'C1',
      channel_name: 'cards',
      api_app_id: 'A0CARDBELL',
    });
    expect(seen.response_url).toBe(delivery.responseUrl);
    expect(seen.trigger_id).toBe(delivery.triggerId);
    expect(workspace.ephemerals('U1').map(({ text }) => text)).toEqual(['Only you see this']);
  });

  it('may be answered for everyone, and is refused if unregistered', async () => {
    app = await startApp(workspace, (it) =>
      it.command('/card', async ({ ack }) => await ack({ response_type: 'in_channel', text: 'For all' })),
    );

    await workspace.command({ user: 'U1', channel: 'C2', command: '/card', text: '' });

    expect(workspace.messages('C2').map(({ text }) => text)).toEqual(['For all']);
    await expect(workspace.command({ user: 'U1', channel: 'C1', command: '/other', text: '' })).rejects.toThrow(
      '/other is not a valid command',
    );
  });

  it('shows the person an error when it is not acknowledged in time', async () => {
    await workspace.stop();
    workspace = await openWorkspace({ appToken: 'xapp-test', acknowledgeMs: 250 });
    app = await startApp(workspace, (it) => it.command('/card', () => new Promise(() => undefined)));

    const delivery = await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: '' });

    expect(delivery).toMatchObject({ ok: false, timedOut: true, status: 0, error: 'operation_timeout' });
    expect(workspace.ephemerals('U1')[0]).toMatchObject({
      user: 'USLACKBOT',
      text: '/card failed with the error "operation_timeout"',
    });
  });

  it('is rejected with a different secret', async () => {
    app = await startApp(workspace, (it) => it.command('/card', async ({ ack }) => await ack()));
    const external = await openWorkspace({ signingSecret: 'another', appUrl: appUrl(app) });

    expect((await external.command({ user: 'U1', channel: 'C1', command: '/card', text: '' })).status).toBe(401);
    await external.stop();
  });
});

describe('a button press', () => {
  it('carries Slack’s payload', async () => {
    let body: Body = {};
    app = await startApp(workspace, (it) =>
      it.action('block_card', async ({ ack, body: all }) => {
        body = all as unknown as Body;
        await ack();
      }),
    );
    const message = await postButtons(
      button({ action_id: 'block_card', value: 'x1', style: 'danger' }),
      button({ action_id: 'other' }),
    );

    const delivery = await workspace.press({ user: 'U1', message, actionId: 'block_card', value: 'x1' });

    expect(delivery.ok).toBe(true);
    expect(body).toMatchObject({
      type: 'block_actions',
      team: { id: 'T0WORKSPACE', domain: 'northwind-supply' },
      user: { id: 'U1', username: 'ana', name: 'ana', team_id: 'T0WORKSPACE' },
      api_app_id: 'A0CARDBELL',
      container: { type: 'message', message_ts: message.ts, channel_id: 'C1', is_ephemeral: false },
      channel: { id: 'C1', name: 'cards' },
      message: { ts: message.ts, text: 'alert', bot_id: 'B0CARDBELL' },
      state: { values: {} },
      response_url: delivery.responseUrl,
      trigger_id: delivery.triggerId,
      actions: [
        { type: 'button', action_id: 'block_card', block_id: 'b', value: 'x1', style: 'danger', text: plain('Press') },
      ],
    });
    expect((body.actions as Body[])[0]?.action_ts).toMatch(/^\d{10}\.\d{6}$/);
  });

  it('fails on a missing button, and lists the existing ones', async () => {
    const message = await postButtons(button({ action_id: 'block_card', value: 'x1' }));
    const press = async (actionId: string, value?: string) =>
      await workspace.press({ user: 'U1', message, actionId, ...(value ? { value } : {}) });

    await expect(press('unblock')).rejects.toThrow('no element unblock; there is: block_card (button)');
    await expect(press('block_card', 'x2')).rejects.toThrow('no element block_card with value x2');
  });

  it('is possible after the message changed only on an outdated screen', async () => {
    const pressed: unknown[] = [];
    app = await startApp(workspace, (it) =>
      it.action('press_me', async ({ ack, action }) => {
        pressed.push((action as unknown as Body).value);
        await ack();
      }),
    );
    const message = await postButtons(button({ value: 'old' }));
    await call(workspace, 'chat.update', { channel: 'C1', ts: message.ts, text: 'done' });

    await expect(workspace.press({ user: 'U1', message, actionId: 'press_me' })).rejects.toThrow('there is: none');
    await workspace.press({ user: 'U1', message, actionId: 'press_me', stale: true });

    expect(pressed).toEqual(['old']);
  });

  it('is delivered from a screen that still shows the message before an edit with the same button', async () => {
    const message = await postButtons(button({ action_id: 'block_card', value: 'x1' }));
    const seen = message.blocks?.[0]?.block_id ?? '';
    const again = [
      { type: 'actions', block_id: 'after-the-edit', elements: [button({ action_id: 'block_card', value: 'x1' })] },
    ];
    await call(workspace, 'chat.update', { channel: 'C1', ts: message.ts, text: 'again', blocks: again });

    const delivery = await workspace.press({ user: 'U1', message, actionId: 'block_card', blockId: seen, value: 'x1' });

    expect(delivery).toMatchObject({ payload: { actions: [{ block_id: 'after-the-edit', value: 'x1' }] } });
  });

  it('on an ephemeral message carries no message', async () => {
    let body: Body = {};
    app = await startApp(workspace, (it) =>
      it.action('press_me', async ({ ack, body: all, respond }) => {
        body = all as unknown as Body;
        await ack();
        await respond({ replace_original: true, text: 'Done' });
      }),
    );
    await call(workspace, 'chat.postEphemeral', {
      channel: 'C1',
      user: 'U1',
      text: 'ask',
      blocks: [{ type: 'actions', elements: [button()] }],
    });
    const [message] = workspace.ephemerals('U1');
    if (!message) throw new Error('no message');

    await workspace.press({ user: 'U1', message, actionId: 'press_me' });

    await workspace.waitForMessage(({ text, ephemeralUser }) => text === 'Done' && ephemeralUser === 'U1');
    expect(body).not.toHaveProperty('message');
    expect(body.container).toMatchObject({ is_ephemeral: true });
    expect(workspace.ephemerals('U1')).toHaveLength(1);
    await expect(workspace.press({ user: 'U2', message, actionId: 'press_me' })).rejects.toThrow('U2 does not see');
  });
});

it('can be a selection, with options suggested by the app', async () => {
  const chosen: unknown[] = [];
  app = await startApp(workspace, (it) => {
    it.options(
      'find_card',
      async ({ ack, payload }) => await ack({ options: [{ text: plain(`Card ${payload.value}`), value: 'card-1' }] }),
    );
    it.action(/.*/, async ({ ack, action }) => {
      chosen.push((action as unknown as { selected_option: { value: string } }).selected_option.value);
      await ack();
    });
  });
  const options = [
    { text: plain('Daily'), value: 'd' },
    { text: plain('Weekly'), value: 'w' },
  ];
  const message = await postButtons(
    { type: 'static_select', action_id: 'period', options },
    { type: 'external_select', action_id: 'find_card' },
  );

  const suggested = await workspace.suggest({ user: 'U1', message, actionId: 'find_card', value: '44' });
  await workspace.select({ user: 'U1', message, actionId: 'period', value: 'w' });
  await workspace.select({ user: 'U1', message, actionId: 'find_card', value: suggested[0]?.value });

  expect(suggested).toEqual([{ text: plain('Card 44'), value: 'card-1' }]);
  expect(chosen).toEqual(['w', 'card-1']);
  await expect(workspace.select({ user: 'U1', message, actionId: 'period', value: 'x' })).rejects.toThrow(
    'no option x in period: d, w',
  );
});

describe('an event', () => {
  it('arrives in Slack’s envelope, and again with retry headers', async () => {
    const seen: Body[] = [];
    app = await startApp(workspace, (it) =>
      it.event('subteam_members_changed', ({ body, context }) => {
        seen.push({ ...body, retry: context.retryNum, reason: context.retryReason });
        return Promise.resolve();
      }),
    );

    await workspace.setUserGroup('S1', ['U2']);
    await workspace.event(
      { type: 'subteam_members_changed', subteam_id: 'S1' },
      { retryNum: 1, retryReason: 'http_timeout', eventId: 'Ev1' },
    );

    expect(seen[0]).toMatchObject({
      type: 'event_callback',
      team_id: 'T0WORKSPACE',
      authorizations: [{ user_id: 'U0CARDBELL', is_bot: true }],
      event: { subteam_id: 'S1', added_users: ['U2'], removed_users: ['U1'] },
    });
    expect(seen[1]).toMatchObject({ event_id: 'Ev1', retry: 1, reason: 'http_timeout' });
  });

  it('is a result, not an error, when nothing listens', async () => {
    workspace.setAppUrl('http://127.0.0.1:9/slack/events');

    expect(await workspace.openHome('U1')).toMatchObject({ ok: false, status: 0, timedOut: false });
  });
});

it('signs the exact bytes', async () => {
  const checks: boolean[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = Number(request.headers['x-slack-request-timestamp']);
      const expected = signedHeaders(Buffer.concat(chunks).toString(), SECRET, at)['x-slack-signature'];
      checks.push(request.headers['x-slack-signature'] === expected, Math.abs(at - Date.now() / 1000) < 5);
      response.end();
    });
  });
  workspace.setAppUrl(`http://127.0.0.1:${await listen(server)}/slack/events`);

  await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: 'limit "ü" & 100%' });
  await workspace.shortcut({ user: 'U1', callbackId: 'find_card' });

  expect(checks).toEqual([true, true, true, true]);
  server.close();
});

it('delivers over Socket Mode when the app connects', async () => {
  app = new App({
    token: TOKEN,
    appToken: 'xapp-test',
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: workspace.apiUrl },
  });
  app.command('/card', async ({ ack }) => await ack({ text: 'over the socket' }));
  await app.start();

  const delivery = await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: '' });

  expect(delivery.ok).toBe(true);
  expect(workspace.ephemerals('U1').map(({ text }) => text)).toEqual(['over the socket']);
  expect((await call(workspace, 'apps.connections.open')).body.error).toBe('not_allowed_token_type');
});

describe('a connection over Socket Mode', () => {
  async function connect(): Promise<WebSocket> {
    const { body } = await call(workspace, 'apps.connections.open', {}, 'xapp-test');
    const client = new WebSocket(String(body.url));
    await once(client, 'message');
    return client;
  }

  it('may acknowledge in fragments', async () => {
    const client = await connect();
    client.on('message', (data: Buffer) => {
      const { envelope_id } = JSON.parse(data.toString()) as Body;
      const answer = JSON.stringify({ envelope_id, payload: { text: 'in two parts' } });
      client.send(answer.slice(0, 20), { fin: false });
      client.send(answer.slice(20), { fin: true });
    });

    const delivery = await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: '' });

    expect(delivery.json).toEqual({ text: 'in two parts' });
  });

  it('is closed after a message of more than a megabyte', async () => {
    const client = await connect();
    client.send('x'.repeat(1_000_001));

    const [code] = (await once(client, 'close')) as [number];

    expect(code, 'close code of RFC 6455: message too big').toBe(1009);
  });

  it('needs a new URL each time', async () => {
    const { body } = await call(workspace, 'apps.connections.open', {}, 'xapp-test');
    await once(new WebSocket(String(body.url)), 'message');

    const [error] = (await once(
      new WebSocket(String(body.url)).on('error', () => undefined),
      'error',
    )) as [Error];

    expect(error.message).toBe('Unexpected server response: 401');
  });
});
