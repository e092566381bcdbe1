import type { App } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '../../workspace/server.ts';
import { startApp } from './app-under-test.ts';
import { button, type Clock, call, createClock, modal, openWorkspace, plain } from './local-workspace.ts';

let workspace: Workspace;
let clock: Clock;
let app: App | undefined;
beforeEach(async () => {
  clock = createClock();
  workspace = await openWorkspace({ now: clock.now });
});
afterEach(async () => {
  await app?.stop();
  app = undefined;
  await workspace.stop();
});

/** A trigger without an app that uses it. */
async function trigger(): Promise<string> {
  return (await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: '' })).triggerId;
}

const views = async (method: string, args: Record<string, unknown>) =>
  (await call(workspace, `views.${method}`, args)).body;

describe('a trigger', () => {
  it('expires after three seconds', async () => {
    const [early, late] = [await trigger(), await trigger()];
    clock.advance(3000);
    const inTime = await views('open', { trigger_id: early, view: modal() });
    clock.advance(1);

    expect(inTime.ok).toBe(true);
    expect((await views('open', { trigger_id: late, view: modal() })).error).toBe('expired_trigger_id');
  });

  it('works once, and only if it was issued', async () => {
    const id = await trigger();
    await views('open', { trigger_id: id, view: modal() });

    expect((await views('open', { trigger_id: id, view: modal() })).error).toBe('exchanged_trigger_id');
    expect((await views('open', { trigger_id: '1.2.3', view: modal() })).error).toBe('invalid_trigger_id');
  });

  it('is not used up by a refused view', async () => {
    const id = await trigger();

    const refused = await views('open', { trigger_id: id, view: modal({ title: plain('x'.repeat(25)) }) });
    const accepted = await views('open', { trigger_id: id, view: modal() });

    expect(refused).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] must be less than 25 characters [json-pointer:/view/title/text]'] },
    });
    expect(accepted.ok).toBe(true);
  });
});

describe('a view', () => {
  it('is updated only with its current hash, and refused when too large', async () => {
    const { view } = await views('open', { trigger_id: await trigger(), view: modal() });

    const first = await views('update', { view_id: view.id, hash: view.hash, view: modal({ title: plain('Second') }) });
    const second = await views('update', { view_id: view.id, hash: view.hash, view: modal() });
    const large = await views('update', { view_id: view.id, view: modal({ private_metadata: 'x'.repeat(250_001) }) });

    expect([first.ok, second.error, large.error]).toEqual([true, 'hash_conflict', 'view_too_large']);
    expect(workspace.views.top('U1')?.title?.text).toBe('Second');
    expect((await views('update', { view_id: 'V404', view: modal() })).error).toBe('not_found');
  });

  it('is stacked three high at most', async () => {
    app = await startApp(workspace, (it) => {
      it.action('more', async ({ ack, body, client }) => {
        await ack();
        await client.views.push({
          trigger_id: (body as unknown as { trigger_id: string }).trigger_id,
          view: more as never,
        });
      });
      it.command('/card', async ({ ack, body, client }) => {
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: more as never });
      });
    });
    const more = modal({ submit: undefined, blocks: [{ type: 'actions', elements: [button({ action_id: 'more' })] }] });
    await workspace.command({ user: 'U1', channel: 'C1', command: '/card', text: '' });
    const press = async () =>
      await workspace.press({ user: 'U1', viewId: workspace.views.top('U1')?.id ?? '', actionId: 'more' });
    await expect.poll(() => workspace.views.open.size).toBe(1);
    await press();
    await expect.poll(() => workspace.views.open.size).toBe(2);
    await press();
    await expect.poll(() => workspace.views.open.size).toBe(3);
    await press();

    await expect.poll(() => workspace.calls.at(-1)?.error).toBe('push_limit_reached');
    await workspace.closeView({ user: 'U1', viewId: workspace.views.top('U1')?.id ?? '' });
    expect(workspace.views.open.size).toBe(2);
  });

  it('cannot be pushed without a modal', async () => {
    expect((await views('push', { trigger_id: await trigger(), view: modal() })).error).toBe('invalid_trigger_id');
  });

  it('of App Home belongs to one person', async () => {
    const home = { type: 'home', blocks: [{ type: 'section', text: plain('Hello') }] };

    expect((await views('publish', { user_id: 'U1', view: home })).ok).toBe(true);
    expect((await views('publish', { user_id: 'U77', view: home })).error).toBe('invalid_arguments');
    expect((await views('publish', { user_id: 'U1', view: modal() })).error).toBe('invalid_arguments');
    expect([...workspace.views.home.keys()]).toEqual(['U1']);
  });
});

describe('a submission', () => {
  async function openFor(answer: (values: Record<string, Record<string, { value?: string | null }>>) => unknown) {
    const { view } = await views('open', { trigger_id: await trigger(), view: modal() });
    app = await startApp(workspace, (it) =>
      it.view('raise', async ({ ack, view: sent }) => await ack(answer(sent.state.values as never) as never)),
    );
    return view.id;
  }

  it('carries the entered values, and closes the modal', async () => {
    const seen: unknown[] = [];
    const viewId = await openFor((values) => void seen.push(values));

    const delivery = await workspace.submitView({ user: 'U1', viewId, values: { value: '700' } });

    expect(delivery.ok).toBe(true);
    expect(seen).toEqual([{ amount: { value: { type: 'plain_text_input', value: '700' } } }]);
    expect(workspace.views.open.size).toBe(0);
  });

  it('is not sent while a required input is empty', async () => {
    const viewId = await openFor(() => undefined);

    expect(await workspace.submitView({ user: 'U1', viewId, values: {} })).toMatchObject({
      status: 0,
      errors: { amount: 'Please complete this required field.' },
    });
    await expect(workspace.submitView({ user: 'U1', viewId, values: { other: '1' } })).rejects.toThrow(
      'no element other in the view; there is: value',
    );
    await expect(workspace.submitView({ user: 'U2', viewId, values: {} })).rejects.toThrow('U2 does not have view');
  });

  it('may be answered with errors for inputs only', async () => {
    const viewId = await openFor((values) => ({
      response_action: 'errors',
      errors: { [values.amount?.value?.value === 'x' ? 'nowhere' : 'amount']: 'Too much' },
    }));

    const refused = await workspace.submitView({ user: 'U1', viewId, values: { value: '9' } });
    const strange = await workspace.submitView({ user: 'U1', viewId, values: { value: 'x' } });

    expect(refused.errors).toEqual({ amount: 'Too much' });
    expect(strange).toMatchObject({ ok: false, error: 'errors for blocks that are not inputs: nowhere' });
    expect(workspace.views.open.size).toBe(1);
  });

  it.each([
    ['update', 1, 'Next'],
    ['push', 2, 'Next'],
    ['clear', 0, undefined],
  ])('may be answered with %s', async (action, open, title) => {
    const viewId = await openFor(() => ({
      response_action: action,
      ...(action === 'clear' ? {} : { view: modal({ title: plain('Next') }) }),
    }));

    await workspace.submitView({ user: 'U1', viewId, values: { value: '1' } });

    expect(workspace.views.open.size).toBe(open);
    expect(workspace.views.top('U1')?.title?.text).toBe(title);
  });
});

describe('a response URL', () => {
  const use = async (url: string, body: unknown) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const fromCommand = async () =>
    (await workspace.command({ user: 'U1', channel: 'C2', command: '/card', text: '' })).responseUrl;

  it('has five uses, even in channels without the app', async () => {
    const url = await fromCommand();

    const answers = [];
    for (let index = 1; index <= 6; index += 1)
      answers.push(await use(url, { response_type: 'in_channel', text: `answer ${index}` }));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404]);
    expect(answers.at(-1)?.body).toEqual({ ok: false, error: 'used_url' });
    expect(workspace.messages('C2')).toHaveLength(5);
    expect(workspace.calls.filter(({ method, accepted }) => method === 'response_url' && accepted)).toHaveLength(5);
  });

  it('works for thirty minutes', async () => {
    const url = await fromCommand();
    clock.advance(30 * 60 * 1000);
    const inTime = await use(url, { text: 'a' });
    clock.advance(1);

    expect(inTime.status).toBe(200);
    expect(await use(url, { text: 'b' })).toEqual({ status: 404, body: { ok: false, error: 'expired_url' } });
  });

  it('refuses invalid message content without counting it as a use', async () => {
    const url = await fromCommand();

    for (let index = 0; index < 6; index += 1)
      expect((await use(url, { blocks: [{ type: 'nope' }] })).body.error).toBe('invalid_blocks');

    expect((await use(url, {})).body.error).toBe('no_text');
    expect((await use(url, { text: 'a' })).status).toBe(200);
  });

  it('replaces and deletes the message with the pressed button', async () => {
    await call(workspace, 'chat.postMessage', {
      channel: 'C1',
      text: 'alert',
      blocks: [{ type: 'actions', elements: [button()] }],
    });
    const message = await workspace.waitForMessage(({ text }) => text === 'alert');
    const url = (await workspace.press({ user: 'U1', message, actionId: 'press_me' })).responseUrl;

    await use(url, { replace_original: true, text: 'handled' });
    const [replaced] = workspace.messages('C1');
    await use(url, { text: 'by the way' });
    await use(url, { thread_ts: message.ts, response_type: 'in_channel', text: 'in the thread' });
    const thread = workspace.messages('C1', { threadTs: message.ts }).map(({ text }) => text);
    await use(url, { delete_original: true });

    expect(replaced).toMatchObject({ ts: message.ts, text: 'handled' });
    expect(replaced?.blocks).toBeUndefined();
    expect(workspace.ephemerals('U1').map(({ text }) => text)).toEqual(['by the way']);
    expect(thread).toEqual(['handled', 'in the thread']);
    expect(workspace.messages('C1').map(({ text }) => text)).toEqual(['in the thread']);
  });

  it('of a command replaces the answer to the command', async () => {
    const url = await fromCommand();

    await use(url, { text: 'Working…' });
    await use(url, { replace_original: true, text: 'Done' });

    expect(
      workspace
        .ephemerals('U1')
        .filter(({ user }) => user !== 'USLACKBOT')
        .map(({ text }) => text),
    ).toEqual(['Done']);
  });

  it('fails on demand', async () => {
    const url = await fromCommand();
    workspace.faults.add({ method: 'response_url', kind: 'http_500_after_accept' });

    expect((await use(url, { text: 'a' })).status).toBe(500);
    expect(workspace.ephemerals('U1').some(({ text }) => text === 'a')).toBe(true);
  });
});
