import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const EVENTS = 100;
/** So many that one lost or posted twice in a hundred is noticed, whichever it is. */
const CALM = { events: 150 };

/** The short form of `npm run test:chaos`. What it finds, self-test.test.ts shows. */
it('nothing is lost, doubled or counted wrongly while everything is killed, frozen, slow and wrong', async () => {
  const lines: string[] = [];
  const report = await runChaos({
    seed: 7,
    events: EVENTS,
    seconds: 8,
    calm: CALM,
    stuckSeconds: 120,
    acknowledged: 0,
    timeScale: 240,
    // Most events get a message of their own, so that one in a hundred can be told.
    postsPerSecond: 20,
    clickEveryMs: 300,
    idleConnections: 200,
    isShort: true,
    shards: 1,
    say: (line) => void lines.push(line),
  });

  expect(report.broken, lines.join('\n')).toEqual([]);
  expect(report.events).toBeGreaterThanOrEqual(EVENTS + CALM.events);
  expect(report.messages, 'so many messages that one in a hundred can be told').toBeGreaterThan(200);
  expect(Object.keys(report.disturbances).length).toBeGreaterThan(2);
}, 180_000);
