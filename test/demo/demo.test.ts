import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelId, userId } from '../../local/cast.ts';
import { isFree } from '../../local/port.ts';
import { findOrInstall } from '../../local/system-package.ts';
import { browserFlags } from '../support/browser.ts';
import {
  cardInService,
  childrenOf,
  childWith,
  endOf,
  heroAccount,
  isAlive,
  type RunningDemo,
  spawnDemo,
  startRunningDemo,
  writes,
} from './running-demo.ts';

/** Generous, for a busy machine. */
const POLL = { timeout: 60_000, interval: 20 };

describe('the demo in a browser', () => {
  let demo: RunningDemo;
  let browser: Browser;
  let page: Page;
  let sam: number;
  const opsIssues: string[] = [];

  beforeAll(async () => {
    const executablePath = findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
    [demo, browser] = await Promise.all([
      startRunningDemo('--no-story'),
      chromium.launch({ executablePath, args: browserFlags }),
    ]);
    sam = await heroAccount(demo);
    page = await newPage();
    page.on('pageerror', (error) => opsIssues.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && opsIssues.push(message.text())));
    await page.goto(demo.page);
    await page.locator('body[data-ready]').waitFor();
  });

  afterAll(async () => {
    await browser.close();
    demo.process.kill('SIGINT');
    await demo.ended;
  });

  const message = (text: string | RegExp): Locator =>
    page.locator('#scroll').getByTestId('message').filter({ hasText: text });
  const decline = (): Locator => message('Declined: $84.10 at Corner Diner').first();
  const go = (channel: string): Promise<void> => page.locator(`.channel-link[data-channel-id=${channel}]`).click();

  async function newPage(): Promise<Page> {
    const opened = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    opened.setDefaultTimeout(POLL.timeout);
    return opened;
  }

  async function become(user: string): Promise<void> {
    await page.getByTestId('user-switcher').selectOption(user);
    await expect.poll(() => page.url(), POLL).toContain(`user=${user}`);
  }

  async function write(text: string): Promise<void> {
    await page.getByTestId('composer').fill(text);
    await page.getByTestId('composer-send').click();
  }

  async function pay(amount: string): Promise<string> {
    const till = await newPage();
    await till.goto(demo.till);
    await till.getByLabel('Amount in dollars').fill(amount);
    await till.getByRole('button', { name: 'Pay' }).click();
    const receipt = await till.getByTestId('receipt').first().innerText();
    await till.close();
    return receipt;
  }

  it('shows a decline in its channel with the reason', async () => {
    await decline().waitFor();

    const text = await decline().innerText();
    expect(text).toContain('Over the daily limit');
    expect(text).toContain('Sam Rivera');
    expect(text).toContain('$30.50 more than the $53.60 left.');
  });

  it('refuses a person without permission with an explanation, and changes nothing', async () => {
    await become(userId.otto);
    await decline().locator('[data-action-id=block_card]').click();
    await page.getByTestId('confirm-yes').click();
    await message('Only operators and approvers may block cards').waitFor();

    expect(await cardInService(demo, sam)).toEqual({ status: 'Active', daily: 150 });
    expect(writes(demo)).toEqual([]);
  });

  it('asks before Block card, blocks the card once and shows who did it', async () => {
    await become(userId.olga);
    await decline().locator('[data-action-id=block_card]').click();
    const question = await page.getByTestId('confirm').innerText();
    await page.getByTestId('confirm-yes').click();
    await decline().getByText('Blocked by @Olga Brandt').waitFor();

    expect(question).toContain('Sam Rivera · card 1234 will decline every purchase');
    expect(await decline().locator('[data-action-id=block_card]').count()).toBe(0);
    expect(await cardInService(demo, sam)).toMatchObject({ status: 'Blocked' });
    await expect.poll(() => writes(demo), POLL).toEqual([`PUT /v4/Card/Status/${sam} {"Status":"Blocked"}`]);
    expect(await pay('12.50')).toContain('Declined');
  });

  it('changes the limit with /card limit, and the retried purchase is approved', async () => {
    await become(userId.ana);
    await write('/card unblock 1234 found it');
    await message('Unblocked').last().waitFor();
    expect(await pay('84.10')).toContain('Declined: Transaction exceeded daily spend limit');

    await write('/card limit 1234 daily 400');
    await message('Limit changed').waitFor();
    expect(await cardInService(demo, sam)).toEqual({ status: 'Active', daily: 400 });

    // Sam retries without further input.
    await go(channelId.spend);
    await message(/Spent: \$84\.10 at .*Sam Rivera/)
      .first()
      .waitFor();
    expect(await pay('84.10')).toContain('Approved');
    expect(await pay('300')).toContain('Declined: Transaction exceeded daily spend limit');
  });

  it('records who did what', async () => {
    await go(channelId.audit);

    await message(/Otto Lang was not allowed to block/).waitFor();
    await message(/Olga Brandt blocked Sam Rivera/).waitFor();
    await message(/Ana Ferreira unblocked Sam Rivera/).waitFor();
    await message(/Ana Ferreira changed the limit.*\$150\.00.*\$400\.00/).waitFor();
  });

  it('shows many simultaneous declines in one message whose menu opens any of them', async () => {
    const till = await newPage();
    await till.goto(demo.till);
    await till.getByRole('button', { name: '12 declines' }).click();
    await till.getByTestId('receipt').first().getByText('12 shops').waitFor();
    await till.close();

    await go(channelId.declines);
    const batch = message(/\d+ declines/).last();
    expect(await batch.innerText()).toMatch(/One message, because more arrived at once/);
    await batch.locator('[data-action-id=open_alert]').click();
    await page.locator('.popup-option').first().click();
    await message('Only visible to you').getByText('Declined: ').last().waitFor();
  });

  it('leaves no process, port or file behind after Ctrl-C', async () => {
    const children = childrenOf(demo.pid);
    const ports = [demo.page, demo.web, demo.sandbox, demo.till].map((url) => Number(new URL(url).port));
    await page.close();

    demo.process.kill('SIGINT');
    const code = await demo.ended;

    expect(code).toBe(0);
    expect(demo.complaints()).toBe('');
    expect(children).toHaveLength(3);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await Promise.all(ports.map(isFree))).toEqual([true, true, true, true]);
    expect(existsSync(demo.folder)).toBe(false);
    expect(opsIssues).toEqual([]);
  });
});

it('the demo exits with 1 and prints the last log lines of a process that died', async () => {
  const demo = await startRunningDemo('--no-story');
  const children = childrenOf(demo.pid);

  process.kill(childWith(demo.pid, 'worker.js'), 'SIGKILL');

  const code = await demo.ended;

  expect(code).toBe(1);
  expect(demo.complaints()).toMatch(/the worker process stopped: signal SIGKILL\n {2}\| .*"msg":"worker runs"/s);
  expect(children.filter(isAlive)).toEqual([]);
  expect(existsSync(demo.folder)).toBe(false);
});

it('the demo stops cleanly on SIGTERM during startup', async () => {
  const child = spawnDemo('--json', '--port', '0');
  await expect.poll(() => childrenOf(child.pid as number).length, POLL).toBeGreaterThan(0);
  const children = childrenOf(child.pid as number);

  child.kill('SIGTERM');

  expect(await endOf(child)).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

it.each([['--speed', 'fast'], ['--port', '70000'], ['--nonsense']])(
  'the demo refuses the flags %s %s',
  async (...flags) => {
    const child = spawnDemo(...flags);
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });

    expect(await endOf(child)).toBe(64);
    expect(complaint).toContain('Usage: npm run demo');
  },
);
