import { expect, it } from 'vitest';
import { broken, runChaos } from './chaos.ts';

/** So many that one lost in a hundred is noticed. */
const EVENTS = 150;
const CALM = { events: 200, seconds: 20 };

/** The short form of `npm run test:chaos`. */
it('nothing is lost and nothing is posted twice while everything is killed, frozen, slow and wrong', async () => {
  const lines: string[] = [];
  const report = await runChaos({
    seed: 7,
    events: EVENTS,
    seconds: 10,
    calm: CALM,
    drainSeconds: 90,
    timeScale: 240,
    // Most events get a message of their own, so that one in a hundred can be told.
    postsPerSecond: 10,
    idleConnections: 200,
    isShort: true,
    say: (line) => void lines.push(line),
  });

  expect(broken(report), lines.join('\n')).toEqual([]);
  expect(report.events).toBe(EVENTS + CALM.events);
  expect(Object.keys(report.disturbances).length).toBeGreaterThan(2);
}, 180_000);
