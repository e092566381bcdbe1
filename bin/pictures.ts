#!/usr/bin/env node
/** Retakes the pictures of `docs/pictures` from a demo: `npm run build && node dist/bin/pictures.js`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { channelId, HERO_LAST4, userId } from '../local/cast.ts';
import { findOrInstall } from '../local/system-package.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/pictures');
/** Room around what is cut out, in pixels. */
const MARGIN = 14;
/** Narrow enough that a message leaves no empty right side. */
const NARROW = { width: 860, height: 900 };
/** A long message at once. */
const TALL = { width: 860, height: 1300 };
const WIDE = { width: 1240, height: 820 };
/** Nothing but the message, nothing but the form. */
const ALONE = `.sidebar, .channel-head, .day, .day-line, .composer-place { display: none !important }
  .app { grid-template-columns: 1fr !important } .scroll { padding-top: 20px !important }`;
const ON_GRAY = '#app { visibility: hidden }';

/** A zone in which it is about one o'clock: nobody has lunch at midnight. */
function zoneAtLunch(): string {
  const ahead = 13 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Where the page and the cash register of a demo are. */
interface Addresses {
  readonly page: string;
  readonly till: string;
}

async function withDemo(flags: readonly string[], work: (at: Addresses) => Promise<void>): Promise<void> {
  const demo = spawn(process.execPath, ['dist/bin/demo.js', '--json', '--port', '0', ...flags], {
    cwd: ROOT,
    env: { ...process.env, TZ: zoneAtLunch() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  try {
    const [line] = (await once(createInterface(demo.stdout), 'line')) as [string];
    await work(JSON.parse(line) as Addresses);
  } finally {
    demo.kill('SIGINT');
    await ended;
  }
}

async function open(
  browser: Browser,
  url: string,
  options: { viewport: { width: number; height: number }; scale: number },
): Promise<Page> {
  const page = await browser.newPage({ viewport: options.viewport, deviceScaleFactor: options.scale });
  await page.goto(url);
  await page.locator('body[data-ready]').waitFor();
  return page;
}

async function cutOut(page: Page, what: Locator, name: string): Promise<void> {
  // It may just be drawn anew.
  await what.scrollIntoViewIfNeeded().catch(() => what.scrollIntoViewIfNeeded());
  // No hover marks, and the avatar is there.
  await page.mouse.move(0, 0);
  await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => {});
  const box = await what.boundingBox();
  if (box === null) throw new Error(`nothing to see for ${name}`);
  const clip = {
    x: Math.max(0, box.x - MARGIN),
    y: Math.max(0, box.y - MARGIN),
    width: box.width + 2 * MARGIN,
    height: box.height + 2 * MARGIN,
  };
  await page.screenshot({ path: join(FOLDER, name), clip });
}

async function takeAlert(browser: Browser, pageUrl: string): Promise<void> {
  const page = await open(browser, pageUrl, { viewport: NARROW, scale: 2 });
  const alert = page.getByTestId('message').filter({ hasText: 'Declined: $84.10' }).first();
  await alert.locator('[data-action-id=block_card]').waitFor();
  await page.addStyleTag({ content: ALONE });
  await cutOut(page, alert, 'decline.png');

  const asAna = await open(browser, pageUrl.replace(userId.olga, userId.ana), { viewport: NARROW, scale: 2 });
  await asAna.locator('[data-action-id=approve_remedy]').first().click();
  await asAna.getByTestId('modal-submit').waitFor();
  await asAna.addStyleTag({ content: ON_GRAY });
  await cutOut(asAna, asAna.getByTestId('modal'), 'raise-limit.png');
  await asAna.close();

  await alert.locator('[data-action-id=block_card]').click();
  await page.getByTestId('confirm-yes').click();
  await alert.getByText('Blocked by').waitFor();
  await cutOut(page, alert, 'decline-blocked.png');
  await page.close();
}

async function as(browser: Browser, { page: url }: Addresses, user: string, channel: string): Promise<Page> {
  const at = url.replace(userId.olga, user).replace(channelId.declines, channel);
  return await open(browser, at, { viewport: TALL, scale: 1.5 });
}

/** With nothing beside it, on a page that goes on being used. */
async function cutOutAlone(page: Page, what: Locator, name: string): Promise<void> {
  await what.waitFor();
  const style = await page.addStyleTag({ content: ALONE });
  await cutOut(page, what, name);
  await style.evaluate((element) => (element as unknown as { remove(): void }).remove());
}

const messageOf = (page: Page, text: string | RegExp): Locator =>
  page.getByTestId('message').filter({ hasText: text }).last();

async function write(page: Page, text: string): Promise<void> {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer-send').click();
}

async function rush(browser: Browser, { till }: Addresses, declines: number): Promise<void> {
  const page = await browser.newPage();
  await page.goto(till);
  await page.getByRole('button', { name: `${declines} declines` }).click();
  await page.getByTestId('receipt').first().waitFor();
  await page.close();
}

async function takeHome(page: Page, name: string): Promise<void> {
  await page.locator('.channel-link').filter({ hasText: 'Home' }).click();
  await page.getByTestId('home').getByText('It is drawn anew').waitFor();
  await cutOutAlone(page, page.getByTestId('home'), name);
}

/** What else people see: holders, approvers, many at once, the digest. */
async function takeTour(browser: Browser, at: Addresses): Promise<void> {
  const declines = await as(browser, at, userId.olga, channelId.declines);
  await messageOf(declines, 'Declined: $84.10').waitFor();

  const sam = await as(browser, at, userId.sam, `D${userId.sam.slice(1)}`);
  await cutOutAlone(sam, messageOf(sam, 'Your card was declined'), 'holder.png');
  await takeHome(sam, 'home-holder.png');

  const ana = await as(browser, at, userId.ana, channelId.declines);
  await write(ana, `/card limit ${HERO_LAST4} daily 400 for 2h client lunch`);
  await cutOutAlone(ana, messageOf(ana, 'Limit changed'), 'temporary.png');
  await write(ana, '/card limit EMP-1103 monthly 4000 trade fair');
  const ben = await as(browser, at, userId.ben, channelId.approvals);
  await messageOf(ben, '1 of 2').waitFor();
  await cutOutAlone(ben, messageOf(ben, '1 of 2'), 'request.png');
  await takeHome(ben, 'home-approver.png');

  await rush(browser, at, 12);
  await cutOutAlone(declines, messageOf(declines, 'One message, because'), 'joined.png');
  await write(ana, '/card digest now');
  await cutOutAlone(ana, messageOf(ana, 'Declines of the last day'), 'digest.png');
  await rush(browser, at, 144);
  await cutOutAlone(declines, messageOf(declines, 'Every row is in the thread'), 'flood.png');
  for (const page of [declines, sam, ana, ben]) await page.close();
}

async function takeOverview(browser: Browser, pageUrl: string): Promise<void> {
  const page = await open(browser, pageUrl, { viewport: WIDE, scale: 1.5 });
  // By then something has happened in most channels.
  await page.locator(`.channel-link[data-channel-id=${channelId.virtual}] .count`).getByText('2').waitFor();
  await page.getByTestId('message').first().scrollIntoViewIfNeeded();
  await page.locator('#scroll').evaluate((scroll) => scroll.scrollTo(0, 0));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(FOLDER, 'channels.png') });
  await page.close();
}

const executablePath = findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  await withDemo(['--no-story'], ({ page }) => takeAlert(browser, page));
  await withDemo(['--no-story'], (at) => takeTour(browser, at));
  await withDemo(['--speed', '900'], ({ page }) => takeOverview(browser, page));
} finally {
  await browser.close();
}
