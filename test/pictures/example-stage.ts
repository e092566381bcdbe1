import type { ModalView } from '@slack/types';
import type { Browser, Locator } from 'playwright-core';
import { channelId, demoChannels, demoUsers, userId } from '../../local/cast.ts';
import { demoSecret } from '../../local/demo-settings.ts';
import type { Message } from '../../src/slack/message.ts';
import { startWorkspace } from '../../workspace/server.ts';
import { PAGE } from './cut-out.ts';
import { EXAMPLES_AT } from './example-pictures.ts';

const ZONE = 'America/New_York';

/** A local workspace without an app, at the time of the examples, which are posted one picture at a time. */
export async function createExampleStage(browser: Browser) {
  const now = new Date(EXAMPLES_AT);
  const workspace = await startWorkspace({
    ...demoSecret,
    users: demoUsers(ZONE),
    channels: demoChannels('http://127.0.0.1/till'),
    userGroups: [],
    now: () => now.getTime(),
    enforceRateLimits: false,
  });
  const page = await browser.newPage({ ...PAGE, timezoneId: ZONE });
  await page.clock.setFixedTime(now);

  async function call(method: string, body: object): Promise<void> {
    const headers = { authorization: `Bearer ${demoSecret.botToken}`, 'content-type': 'application/json' };
    const response = await fetch(`${workspace.apiUrl}${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { ok: boolean };
    if (!answer.ok) throw new Error(`the local workspace refused an example: ${JSON.stringify(answer)}`);
  }

  return {
    async show(shown: ModalView | readonly Message[]): Promise<Locator> {
      workspace.reset();
      if ('type' in shown) {
        // No app answers the shortcut, but its trigger still opens the form.
        const { triggerId } = await workspace.shortcut({ user: userId.olga, callbackId: 'card_command' });
        await call('views.open', { trigger_id: triggerId, view: shown });
      } else for (const message of shown) await call('chat.postMessage', { channel: channelId.general, ...message });
      await page.goto(`${workspace.url}?channel=${channelId.general}&user=${userId.olga}`);
      await page.locator('body[data-ready]').waitFor();
      return 'type' in shown ? page.getByTestId('modal') : page.locator('#scroll');
    },
    async close(): Promise<void> {
      await page.close();
      await workspace.stop();
    },
  };
}
