import type { App } from '@slack/bolt';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Workspace } from '../../workspace/server.ts';
import { browserFlags } from '../support/browser.ts';
import { startApp } from './app-under-test.ts';
import { layoutFaults } from './layout.ts';
import { button, call, mrkdwn, openWorkspace, plain } from './local-workspace.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1200, height: 700 } };

let browser: Browser;
let workspace: Workspace;
let app: App;
const pages: Page[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: browserFlags });
});
afterAll(async () => await browser.close());

beforeEach(async () => {
  workspace = await openWorkspace();
  app = await startApp(workspace, (it) => {
    it.action('acknowledge', async ({ ack, respond }) => {
      await ack();
      const elements = [button({ action_id: 'acknowledge', text: plain('Acknowledge again') })];
      await respond({ replace_original: true, text: 'Acknowledged', blocks: [{ type: 'actions', elements }] as never });
    });
  });
});

afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
  await app.stop();
  await workspace.stop();
});

async function visit(options: BrowserContextOptions, more = ''): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  pages.push(page);
  await page.goto(`${workspace.url}?user=U1&channel=C1${more}`);
  await page.waitForSelector('body[data-ready]');
  return page;
}

async function post(text: string, blocks?: object[]): Promise<string> {
  const { body } = await call(workspace, 'chat.postMessage', { channel: 'C1', text, ...(blocks ? { blocks } : {}) });
  return String(body.ts);
}

const ground = (page: Page): Promise<string> =>
  page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;

it('hides the sidebar on a phone until its button is pressed, and again when a channel is chosen', async () => {
  const page = await visit(PHONE);
  const sidebar = page.locator('#sidebar');

  expect(await sidebar.isVisible(), 'hidden at first').toBe(false);
  await page.getByTestId('menu-button').click();
  await page.getByTestId('user-switcher').waitFor();
  await page.keyboard.press('Escape');
  await sidebar.waitFor({ state: 'hidden' });
  await page.getByTestId('menu-button').click();
  await page.locator('.channel-link[data-channel-id=C5]').click();
  await sidebar.waitFor({ state: 'hidden' });
  expect(page.url()).toContain('channel=C5');

  await post('Something new');
  await page.getByRole('button', { name: 'Channels and people, 1 unread' }).waitFor();
});

it('breaks no words and scrolls nothing sideways on a phone', async () => {
  const field = (name: string, value: string): object => mrkdwn(`*${name}*\n${value}`);
  const page = await visit(PHONE);
  await post('A decline', [
    { type: 'header', text: plain('Declined: $1,284.10 at Pennsylvania Restaurants') },
    {
      type: 'section',
      fields: [
        field('Cardholder', 'Grace Whitfield-Featherstone'),
        field('Category', 'Restaurants'),
        field('Merchant', 'Metropolitan Opera House'),
        field('When', 'Yesterday at 10:24 AM'),
      ],
    },
    {
      type: 'section',
      text: mrkdwn('Choose one of these'),
      accessory: { type: 'static_select', action_id: 'choose', options: [{ text: plain('Daily'), value: 'd' }] },
    },
    {
      type: 'actions',
      elements: ['Raise daily limit…', 'Block card', 'Acknowledge'].map((text, index) =>
        button({ action_id: `button_${index}`, text: plain(text) }),
      ),
    },
    {
      type: 'data_table',
      caption: 'Declines',
      rows: Array.from({ length: 3 }, () =>
        ['Time', 'Cardholder', 'Merchant', 'Where', 'Why'].map((text) => ({ type: 'raw_text', text: `${text} of it` })),
      ),
    },
    { type: 'context', elements: [mrkdwn('evt_5j5asmef3x5w7219 · decline.rule.velocity')] },
  ]);
  await page.getByTestId('message').filter({ hasText: 'Cardholder' }).waitFor();

  expect(await layoutFaults(page)).toEqual({ brokenWords: [], tooWide: [] });
});

it('follows the dark mode of the system, and the theme switch overrides it permanently', async () => {
  const dark = 'rgb(26, 29, 33)';
  const light = 'rgb(255, 255, 255)';
  const page = await visit({ ...DESKTOP, colorScheme: 'dark' });

  expect(await ground(page)).toBe(dark);
  await page.getByTestId('theme-switch').selectOption('light');
  expect(await ground(page)).toBe(light);
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  expect(await ground(page)).toBe(light);
  expect(await ground(await visit({ ...DESKTOP, colorScheme: 'light' }))).toBe(light);
});

it('lets people press a button by keyboard, and keeps the focus in the changed message', async () => {
  const elements = [button({ action_id: 'acknowledge', text: plain('Acknowledge') })];
  await post('Alert', [{ type: 'actions', elements }]);
  const page = await visit(DESKTOP);
  const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent') as Promise<string>;

  for (let stops = 0; stops < 40 && (await focused()) !== 'Acknowledge'; stops += 1) await page.keyboard.press('Tab');
  expect(await focused(), 'reached with Tab only').toBe('Acknowledge');
  await page.keyboard.press('Enter');
  await page.getByText('Acknowledge again').waitFor();

  await expect.poll(focused).toBe('Acknowledge again');
});

it('keeps a linked message in view while newer ones arrive, with a button to them', async () => {
  const ts = await post('The first decline');
  const page = await visit(DESKTOP, `&ts=${ts}`);
  const first = page.locator('.pointed');

  for (let count = 1; count <= 30; count += 1) workspace.say({ user: 'U2', channel: 'C1', text: `Later ${count}` });
  await page.getByText('Later 30').waitFor({ state: 'attached' });
  // The channel list changes, which reloads everything.
  const reread = page.waitForResponse(/page\/state/);
  workspace.invite('C1');
  await (await reread).finished();
  expect(await first.isVisible()).toBe(true);
  await expect
    .poll(async () => (await first.boundingBox())?.y ?? -1, { message: 'not scrolled away' })
    .toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Newer messages' }).click();
  await expect
    .poll(async () => (await first.boundingBox())?.y ?? 1, { message: 'the newest is in view' })
    .toBeLessThan(0);
});
