import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';
import { SHORT_KINDS } from './disturbances.ts';

const EVENTS = 100;
/** Enough to detect one lost or duplicated event in a hundred. */
const CALM = { events: 200 };

/** The short form of `npm run test:chaos`. self-test.test.ts shows which faults it finds. */
it('nothing is lost, duplicated or miscounted while processes are killed, frozen and slow and calls fail', async () => {
  const lines: string[] = [];
  const report = await runChaos({
    seed: 7,
    events: EVENTS,
    seconds: 8,
    calm: CALM,
    stuckSeconds: 120,
    acknowledged: 0,
    timeScale: 240,
    // Most events get a separate message, so that one fault in a hundred is detected.
    postsPerSecond: 20,
    clickEveryMs: 300,
    idleConnections: 200,
    isShort: true,
    shards: 1,
    say: (line) => void lines.push(line),
  });

  expect(report.broken, lines.join('\n')).toEqual([]);
  expect(report.events).toBeGreaterThanOrEqual(EVENTS + CALM.events);
  expect(report.messages, 'enough messages to detect one fault in a hundred').toBeGreaterThan(200);
  expect(Object.keys(report.disturbances).length).toBeGreaterThanOrEqual(SHORT_KINDS);
  // A run that is stuck ends itself.
}, 1_800_000);
