import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOrInstall } from '../../local/system-package.ts';
import { browserFlags } from '../support/browser.ts';
import { layoutFaults } from '../workspace/layout.ts';
import { type PrintedDemo, startPrintedDemo } from './running-demo.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' } as const;
/** Generous, for a busy machine. */
const POLL = { timeout: 60_000, interval: 20 };

/** A newcomer with a phone follows the printed guide and nothing else, while the day's story continues. */
describe('the printed guide', () => {
  let demo: PrintedDemo;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const opsIssues: string[] = [];

  beforeAll(async () => {
    const executablePath = findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
    [demo, browser] = await Promise.all([startPrintedDemo(), chromium.launch({ executablePath, args: browserFlags })]);
    context = await browser.newContext(PHONE);
    page = await context.newPage();
    page.on('pageerror', (error) => opsIssues.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && opsIssues.push(message.text())));
  });

  afterAll(async () => {
    await browser.close();
    demo.process.kill('SIGINT');
    expect(await demo.ended).toBe(0);
  });

  const message = (text: string | RegExp): Locator =>
    page.locator('#scroll').getByTestId('message').filter({ hasText: text });
  const firstDecline = (): Locator => page.locator('.pointed');

  /** Text printed in the guide, which the page must therefore show. */
  function printed(words: string): string {
    expect(demo.guide.replaceAll(/\s+/g, ' '), 'printed in the guide').toContain(words);
    return words;
  }

  async function openMenu(): Promise<void> {
    const menu = page.getByTestId('menu-button');
    if ((await menu.getAttribute('aria-expanded')) === 'false') await menu.click();
  }

  async function become(name: string): Promise<void> {
    await openMenu();
    const people = page.getByLabel('You are');
    const labels = await people.locator('option').allInnerTexts();
    const [id] = await people.selectOption({ label: labels.find((label) => label.startsWith(name)) ?? name });
    // The page is drawn for this person. The selection alone changes at once.
    await page.waitForURL((url) => url.searchParams.get('user') === id);
  }

  async function open(place: string): Promise<void> {
    await openMenu();
    await page.locator('.channel-link').filter({ hasText: place }).click();
    await page.locator('#sidebar').waitFor({ state: 'hidden' });
  }

  async function press(words: string, within: Locator): Promise<void> {
    // By the visible text, because the accessible label also names the card.
    await within
      .locator('button')
      .filter({ hasText: printed(words) })
      .first()
      .click();
  }

  async function looksFine(): Promise<void> {
    expect(await layoutFaults(page)).toEqual({ brokenWords: [], tooWide: [] });
  }

  it('step 1: the link opens the decline, and the story waits', async () => {
    await page.goto(demo.link('Start here'));
    await firstDecline().getByText('Declined: $84.10 at Corner Diner').waitFor();

    expect(await firstDecline().innerText()).toContain('Over the daily limit');
    await looksFine();
    expect(demo.story(), 'no action yet, and less than a minute has passed').toEqual([]);
  });

  it('step 2: Sam requests a raise', async () => {
    await become('Sam');
    await open(printed('Cardbell messages'));
    await message('Declined: $84.10 at Corner Diner').waitFor();
    await looksFine();
    await press('Ask for more…', message('Declined: $84.10 at Corner Diner'));
    await page.getByTestId('modal').waitFor();
    await looksFine();
    await page.getByLabel('Reason').fill('Lunch with a client');
    await page
      .getByTestId('modal')
      .getByRole('button', { name: printed('Ask'), exact: true })
      .click();
    await page.getByTestId('modal').waitFor({ state: 'detached' });

    await expect.poll(() => demo.story().length, POLL).toBeGreaterThan(0);
  });

  it('step 3: Ana approves, Sam pays, and the limit is restored', async () => {
    await become('Ana');
    await open('card-approvals');
    const request = message('Lunch with a client');
    await request
      .getByRole('button', { name: printed('Approve') })
      .first()
      .click();
    await request.getByText('Approved by').waitFor();
    await looksFine();
    await open(printed('#card-spend').slice(1));

    await message(/Spent: \$84\.10 at Corner Diner · Sam Rivera/).waitFor();
  });

  it('step 4: Olga blocks the card and undoes it, and Otto is refused', async () => {
    await page.goto(demo.link('Start here'));
    await press('Block card', firstDecline());
    await page.getByTestId('confirm-yes').click();
    await press('Undo', firstDecline());
    await firstDecline().getByText('Unblocked').waitFor();
    await become('Otto');
    await page.keyboard.press('Escape');
    await press('Block card', message('Declined: $84.10 at Corner Diner'));
    await page.getByTestId('confirm-yes').click();

    await message('Only operators and approvers may block cards').waitFor();
  });

  it('step 5: many declines share one message whose menu opens each', async () => {
    const till = await context.newPage();
    await till.goto(demo.link('Cash register'));
    expect(await layoutFaults(till)).toEqual({ brokenWords: [], tooWide: [] });
    await till.getByRole('button', { name: printed('12 declines') }).click();
    await till.getByText('12 shops').waitFor();
    await till.close();
    const menu = message('One message, because more arrived at once').last().locator('[data-action-id=open_alert]');
    await menu.waitFor();
    await menu.click();
    await page.locator('.popup-option').first().click();

    await message('Only visible to you').getByText('Declined: ').last().waitFor();
  });

  it('step 6: a digest, the path of an alert, and who did what', async () => {
    await become('Ana');
    await open('card-declines');
    for (const [command, answer] of [
      [printed('/card digest now'), 'Declines of the last day'],
      [printed('/card why 1234'), 'Sam Rivera'],
    ] as const) {
      await page.getByTestId('composer').fill(command);
      await page.getByTestId('composer').press('Enter');
      await message(answer).last().waitFor();
    }
    await open(printed('#card-audit').slice(1));
    await message(/Otto Lang was not allowed to block/).waitFor();
  });

  it('in the end the first decline still has a separate message, not absorbed by a warning', async () => {
    await page.goto(demo.link('Start here'));
    await firstDecline().getByText('Declined: $84.10 at Corner Diner').waitFor();

    expect(await firstDecline().isVisible()).toBe(true);
    expect(await message(/[Cc]ard testing/).count()).toBe(0);
    expect(opsIssues).toEqual([]);
  });
});

it('the story begins by itself after the time printed in the guide', async () => {
  const demo = await startPrintedDemo('--speed', '6000');

  expect(demo.guide).toContain('or after 2 seconds, a day at');
  await expect.poll(() => demo.story().length, POLL).toBeGreaterThan(0);

  demo.process.kill('SIGINT');
  expect(await demo.ended).toBe(0);
});
