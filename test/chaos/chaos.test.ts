import { expect, it } from 'vitest';
import { broken, runChaos } from './chaos.ts';

/** The short form of `npm run test:chaos`. */
it('nothing is lost and nothing is posted twice while everything is killed, frozen, slow and wrong', async () => {
  const lines: string[] = [];
  const report = await runChaos({
    seed: 7,
    events: 30,
    seconds: 10,
    drainSeconds: 90,
    timeScale: 240,
    postsPerSecond: 1,
    idleConnections: 200,
    isShort: true,
    say: (line) => void lines.push(line),
  });

  expect(broken(report), lines.join('\n')).toEqual([]);
  expect(report.events).toBe(30);
  expect(Object.keys(report.disturbances).length).toBeGreaterThan(2);
}, 180_000);
