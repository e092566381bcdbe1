import { numberFlag, parseFlags, portFlag } from '../sandbox/cli-flags.ts';
import type { DemoPorts } from './demo.ts';

export const DEMO_USAGE = `Usage: npm run demo [-- flags]

Cardbell, a local Slack workspace and a stand-in for the card service on this machine, without any account.

  --port N     port of the workspace's page on 127.0.0.1 (4000; 0 takes free ports for everything)
  --speed N    plays the story of a day N times faster than real time (200: three minutes)
  --no-story   nothing happens except one decline and what you do
  --json       prints one line of JSON instead of the guide, when everything is ready
  --help       prints this

  DEMO_REDIS_URL  an empty Redis to use, in place of one that the demo starts itself
`;

/** Fixed ports, so that people find the pages again. A port that is in use is replaced by a free one. */
const PORTS: DemoPorts = { page: 4000, web: 3000, sandbox: 4010, till: 4001 };
const FREE_PORTS: DemoPorts = { page: 0, web: 0, sandbox: 0, till: 0 };
const SPEED = 200;

export type DemoFlags = ReturnType<typeof readDemoFlags>;

/**
 * How long the story waits for a visitor who is reading: a minute, or less when the day runs faster. It starts as soon
 * as someone does something.
 */
export function storyAfterSeconds(speed: number): number {
  return Math.ceil(60 * Math.min(1, SPEED / speed));
}

/** The command line of the demo. @throws UsageError */
export function readDemoFlags(args: readonly string[]) {
  const flags = parseFlags(args, {
    port: { type: 'string' },
    speed: { type: 'string' },
    'no-story': { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  });
  const page = portFlag(flags.port);
  return {
    ports: page === 0 ? FREE_PORTS : { ...PORTS, page: page ?? PORTS.page },
    speed: numberFlag('speed', flags.speed, { least: 1, most: 100_000 }) ?? SPEED,
    hasStory: flags['no-story'] !== true,
    json: flags.json ?? false,
    help: flags.help ?? false,
  };
}
