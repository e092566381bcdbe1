#!/usr/bin/env node
import './unexpected-error.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { type Demo, startDemo } from '../local/demo.ts';
import { DEMO_USAGE, type DemoFlags, readDemoFlags, storyAfterSeconds } from '../local/demo-flags.ts';
import { guide } from '../local/guide.ts';
import { createTeardown, InterruptedError } from '../local/teardown.ts';
import { EXIT_USAGE, UsageError } from '../sandbox/cli-flags.ts';

/** From 07:30 to 17:30. */
const STORY_MINUTES = 600;
/** npm passes on a Ctrl-C that the terminal has already sent to us: two signals in quick succession are one press. */
const SAME_PRESS_MS = 500;
const EXIT_FORCED = 130;

const say = (text: string): void => void process.stdout.write(text);
const complain = (error: unknown): void =>
  void process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);

async function main(flags: DemoFlags): Promise<void> {
  const teardown = createTeardown(complain);
  const telling = new AbortController();
  const isLive = process.stdout.isTTY === true && !flags.json;
  let pressedAt: number | undefined;
  const onSignal = (): void => {
    if (pressedAt !== undefined && Date.now() - pressedAt < SAME_PRESS_MS) return;
    if (pressedAt !== undefined) process.exit(EXIT_FORCED);
    pressedAt = Date.now();
    if (isLive) say('\r\x1b[K\nStopping …\n');
    void end(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

  async function end(code: number): Promise<void> {
    telling.abort();
    await teardown.run();
    // Something that is still starting is stopped as soon as it runs.
    await starting.catch(() => {});
    if (!flags.json) say('Stopped. Nothing is left behind.\n');
    process.exit(code);
  }

  if (isLive) say('Starting …');
  const starting = startDemo(flags.ports, teardown);
  let demo: Demo;
  try {
    demo = await starting;
  } catch (error) {
    if (error instanceof InterruptedError || pressedAt !== undefined) return;
    if (isLive) say('\r\x1b[K');
    complain(error);
    return await end(1);
  }
  if (pressedAt !== undefined) return;
  void demo.died.then((error) => {
    if (pressedAt !== undefined) return;
    complain(error);
    void end(1);
  });
  const page = await demo.begin().catch((error: unknown) => {
    complain(error);
    return demo.page;
  });
  if (pressedAt !== undefined) return;

  const { web, sandbox, till, folder } = demo;
  const afterSeconds = storyAfterSeconds(flags.speed);
  if (flags.json) say(`${JSON.stringify({ ready: true, page, web, sandbox, till, folder })}\n`);
  else {
    const story = { minutes: STORY_MINUTES / flags.speed, afterSeconds };
    if (isLive) say('\r\x1b[K');
    say(
      guide(
        { ...demo, page },
        { isColored: isLive && process.env.NO_COLOR === undefined, story: flags.hasStory ? story : null },
      ),
    );
  }
  if (!flags.hasStory) return;
  await Promise.race([demo.acted, wait(afterSeconds * 1000, undefined, { signal: telling.signal }).catch(() => {})]);
  await demo.tellStory(flags.speed, telling.signal, (time, text) => {
    if (isLive) say(`\r\x1b[K${time}  ${text}`.slice(0, (process.stdout.columns || 80) + 3));
  });
  if (isLive && !telling.signal.aborted) say('\r\x1b[KThe day is over. The cash register stays open.\n');
}

try {
  const flags = readDemoFlags(process.argv.slice(2));
  if (flags.help) say(DEMO_USAGE);
  else await main(flags);
} catch (error) {
  complain(error);
  if (error instanceof UsageError) process.stderr.write(`\n${DEMO_USAGE}`);
  process.exit(error instanceof UsageError ? EXIT_USAGE : 1);
}
