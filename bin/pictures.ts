#!/usr/bin/env node
/** Takes the pictures of `docs/pictures` anew in a demo, and writes `docs/what-people-see.md`: `npm run pictures [-- NAME …]`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Locator } from 'playwright-core';
import { pictureDocument } from '../local/picture-document.ts';
import { createPictureStage, type DemoAddresses } from '../local/picture-stage.ts';
import { PICTURES } from '../local/pictures.ts';
import { findOrInstall } from '../local/system-package.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/pictures');
const BYTES_MAX = 60_000;
/** Fewer and fewer colors, until a picture is small enough. */
const COLORS = [128, 64, 32, 16];
/** Nothing but the message, the form or App Home; no hover marks. */
const ALONE = `.cards, .sidebar, .channel-head, .day, .day-line, .composer-place, .reply-button, .shortcut-button { display: none !important }
  .app { grid-template-columns: 1fr !important } .scroll { padding-top: 20px !important }
  .message:hover { background: none !important }`;

/** A zone in which it is about one o'clock: nobody has lunch at midnight. */
function zoneAtLunch(): string {
  const ahead = 13 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

async function cutOut(what: Locator, name: string): Promise<void> {
  const page = what.page();
  await what.first().waitFor();
  // What was just pressed may still be changing.
  await page.waitForTimeout(700);
  const style = await page.addStyleTag({ content: ALONE });
  await page.mouse.move(0, 0);
  const path = join(FOLDER, `${name}.png`);
  await what.first().scrollIntoViewIfNeeded();
  await what.first().screenshot({ path, animations: 'disabled', caret: 'hide' });
  await style.evaluate((element) => (element as unknown as { remove(): void }).remove());
  const pngquant = findOrInstall(['pngquant'], 'pngquant');
  for (const colors of COLORS) {
    execFileSync(pngquant, ['--force', '--strip', '--nofs', '--speed', '1', '--ext', '.png', String(colors), path]);
    if (statSync(path).size <= BYTES_MAX) return;
  }
  throw new Error(`${statSync(path).size} bytes are too many: cut out less`);
}

async function takePictures(at: DemoAddresses, wanted: readonly string[]): Promise<string[]> {
  const executablePath = findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const stage = createPictureStage(browser, at);
  const failures: string[] = [];
  for (const { name, take } of PICTURES.flatMap(({ pictures }) => pictures)) {
    try {
      const what = await take(stage);
      if (wanted.length === 0 || wanted.includes(name)) await cutOut(what, name);
      process.stdout.write(`${name}\n`);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  await stage.close();
  await browser.close();
  return failures;
}

const wanted = process.argv.slice(2);
const demo = spawn(process.execPath, ['dist/bin/demo.js', '--json', '--port', '0', '--no-story'], {
  cwd: ROOT,
  env: { ...process.env, TZ: zoneAtLunch() },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(demo, 'exit');
try {
  const [line] = (await once(createInterface(demo.stdout), 'line')) as [string];
  const failures = await takePictures(JSON.parse(line) as DemoAddresses, wanted);
  for (const failure of failures) process.stderr.write(`pictures: ${failure}\n`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  demo.kill('SIGINT');
  await ended;
}
const names = new Set(PICTURES.flatMap(({ pictures }) => pictures).map(({ name }) => `${name}.png`));
for (const file of readdirSync(FOLDER)) if (!names.has(file)) rmSync(join(FOLDER, file));
writeFileSync(join(ROOT, 'docs/what-people-see.md'), pictureDocument(PICTURES));
