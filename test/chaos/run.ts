import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';
import { kinds } from './disturbances.ts';

/**
 * `npm run test:chaos -- [--seed N] [--seconds N] [--events N] [--shards N] [--recording FILE]`: runs for ten minutes,
 * then until nothing is in flight. Exits with 1 when anything is wrong. FILE receives the judged recording and all logs.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    events: { type: 'string' },
    shards: { type: 'string' },
    recording: { type: 'string' },
  },
});
/** Number of acknowledged clicks. */
const CLICKS_MIN = 2000;
const isLong = values.seconds === undefined && values.events === undefined;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const seconds = Number(values.seconds ?? 420);
const events = Number(values.events ?? 20_000);
const shards = Number(values.shards ?? 1);
const startedAt = performance.now();
const say = (line: string): void => {
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
};

say(
  `seed ${seed}: ${events} events in ${seconds} s. To repeat: npm run test:chaos -- --seed ${seed} --shards ${shards}`,
);
const report = await runChaos({
  seed,
  events,
  seconds,
  calm: { events: 20 },
  // Two attempts may be two minutes apart.
  stuckSeconds: 300,
  acknowledged: isLong ? CLICKS_MIN : 0,
  timeScale: 60,
  // Each click adds a line to one channel: at one a second, the lines of 2,000 clicks would take half an hour.
  postsPerSecond: 4,
  clickEveryMs: 300,
  idleConnections: 2000,
  isShort: false,
  shards,
  say,
  keep(recording, logs) {
    if (values.recording !== undefined)
      writeFileSync(values.recording, JSON.stringify({ ...recording, archived: [...recording.archived], logs }));
  },
});
const faults = [
  ...report.broken,
  ...kinds.filter((kind) => report.disturbances[kind] === undefined).map((kind) => `never happened: ${kind}`),
  ...(isLong && report.acknowledged < CLICKS_MIN
    ? [`${report.acknowledged} clicks were acknowledged, expected ${CLICKS_MIN}`]
    : []),
  // A step at which no process was killed has probably been renamed.
  ...(isLong ? report.notStruck.map((name) => `no process was killed ${name}`) : []),
];
const { broken: _, ...figures } = report;
process.stdout.write(
  `${JSON.stringify({ ...figures, lost: report.lost.length, twice: report.twice.length }, null, 2)}\n`,
);
say(
  `events in ${report.events}, posted ${report.posted} (joined ${report.batch}), quarantined ${report.quarantined}, lost ${report.lost.length}, twice ${report.twice.length}, clicks ${report.clicks} (acknowledged ${report.acknowledged}), writes ${report.writes}`,
);
for (const fault of faults) say(`NOT GOOD: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
