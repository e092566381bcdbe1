import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { findOrInstall } from '../../local/system-package.ts';

export const FOLDER = 'docs/pictures';

/** Tall enough for a long message, and narrow enough to leave no empty space on the right. */
export const PAGE = {
  viewport: { width: 860, height: 1300 },
  deviceScaleFactor: 1.25,
  colorScheme: 'light',
} as const;

const BYTES_MAX = 70_000;
/** Color counts to try until a picture is small enough. */
const COLORS = [128, 64, 32, 16];
/** Shows only the messages, the form or App Home, without hover marks. */
const ALONE = `.cards, .sidebar, .channel-head, .day, .day-line, .composer-place, .reply-button, .shortcut-button { display: none !important }
  html, body, .app, .main, .scroll { height: auto !important; overflow: visible !important }
  .app { grid-template-columns: 1fr !important } .scroll { flex: none !important; padding-top: 20px !important }
  .message:hover { background: none !important }`;

/** Takes a picture of one thing on a page, small enough for the repository. */
export async function cutOut(what: Locator, name: string): Promise<void> {
  const page = what.page();
  await what.first().waitFor();
  // The page may still be changing after a button press.
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
  throw new Error(`${statSync(path).size} bytes are too many: cut out a smaller part`);
}
