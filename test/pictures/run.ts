/** Retakes the pictures in `docs/pictures`, and writes `docs/what-people-see.md`: `npm run pictures [-- NAME …]`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium } from 'playwright-core';
import { findOrInstall } from '../../local/system-package.ts';
import { cutOut, FOLDER } from './cut-out.ts';
import { DEMO_PICTURES } from './demo-pictures.ts';
import { createDemoStage, type DemoAddresses } from './demo-stage.ts';
import { PICTURES, pictureDocument } from './document.ts';
import { EXAMPLE_PICTURES } from './example-pictures.ts';
import { createExampleStage } from './example-stage.ts';
import type { Picture, PictureSection } from './picture.ts';

const wanted = process.argv.slice(2);
const isWanted = ({ name }: Picture): boolean => wanted.length === 0 || wanted.includes(name);

const picturesOf = <P extends Picture>(sections: readonly PictureSection<P>[]): P[] =>
  sections.flatMap(({ pictures }) => pictures);

/** Takes a picture. Reports a failure, and lets the others continue. */
async function attempt({ name }: Picture, take: () => Promise<void>): Promise<void> {
  try {
    await take();
    process.stdout.write(`${name}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `pictures: ${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`,
    );
  }
}

async function takeExamples(browser: Browser): Promise<void> {
  const stage = await createExampleStage(browser);
  for (const picture of picturesOf(EXAMPLE_PICTURES).filter(isWanted))
    await attempt(picture, async () => cutOut(await stage.show(picture.shows()), picture.name));
  await stage.close();
}

/** A time zone in which it is about 1 PM, because nobody has lunch at midnight. */
function zoneAtLunch(): string {
  const ahead = 13 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Uses one demo for all. Each picture starts in the state left by the previous one, so earlier ones are replayed too. */
async function takeDemo(browser: Browser): Promise<void> {
  const pictures = picturesOf(DEMO_PICTURES);
  const last = pictures.findLastIndex(isWanted);
  if (last < 0) return;
  const demo = spawn(process.execPath, ['dist/bin/demo.js', '--json', '--port', '0', '--no-story'], {
    env: { ...process.env, TZ: zoneAtLunch() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  try {
    const [line] = (await once(createInterface(demo.stdout), 'line')) as [string];
    const stage = createDemoStage(browser, JSON.parse(line) as DemoAddresses);
    for (const picture of pictures.slice(0, last + 1))
      await attempt(picture, async () => {
        const what = await picture.take(stage);
        if (isWanted(picture)) await cutOut(what, picture.name);
      });
    await stage.close();
  } finally {
    demo.kill('SIGINT');
    await ended;
  }
}

const executablePath = findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
await takeExamples(browser);
await takeDemo(browser);
await browser.close();

const names = new Set(picturesOf(PICTURES).map(({ name }) => `${name}.png`));
for (const file of readdirSync(FOLDER)) if (!names.has(file)) rmSync(join(FOLDER, file));
writeFileSync('docs/what-people-see.md', pictureDocument());
