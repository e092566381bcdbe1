import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Candidate, candidatesOf, isSame } from './candidates.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { NAMED_MUTANTS } from './named-mutants.ts';
import { createRelatedTests } from './related-tests.ts';
import { DECIDING, EVERYTHING } from './targets.ts';
import { createTestRunner, type TestRunner, TIME_IS_UP } from './test-runner.ts';

const usage = `Changes the code that decides about money, time, identity, limits, policy and redaction, and the engine of the
sandbox, one place at a time, and runs the part tests that load it: a test has to notice.

  npm run test:mutation                               the named mutants, then at most 300 random ones in 30 minutes
  npm run test:mutation -- --minutes 60 --seed 7      other ones, for longer
  npm run test:mutation -- --mutants 0                the named mutants only
  npm run test:mutation -- --only src/core/money.ts   mutants of this file or folder only
  npm run test:mutation -- --everything               mutants of all of src and templates

  npm run test:mutation -- --again                    those that survived the last run, after tests were added

Writes test/mutation/result.json, unless with --only or --everything, or to --result FILE. Ends after --minutes, or after
--mutants. Exit code: 0 when every named mutant and 90 % of the others were killed, else 1.
`;

const root = resolve(import.meta.dirname, '../..');
/** Time limit for the tests of one mutant. A longer run is in an endless loop. */
const TIMEOUT_MS = 120_000;
/** Test files slower than this are run last. */
const SLOW_MS = 3000;

interface Result {
  readonly seed: number;
  /** All mutants of this code, of which `tried` were chosen. */
  readonly mutants: number;
  readonly tried: number;
  readonly killed: number;
  readonly percent: number;
  /** Killed only because the tests timed out twice. */
  readonly timedOut: readonly string[];
  readonly named: readonly { readonly name: string; readonly killedBy: string | null }[];
  readonly survivors: readonly Survivor[];
}

interface Survivor extends Omit<Candidate, 'original' | 'mutated'> {
  /** Why no test can detect it, or null when a test is missing. */
  readonly reason: string | null;
}

/** A copy of the repository for the mutants, so that the real one stays unchanged. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'cardbell-mutation-'));
  const linked = ['node_modules', 'dist'];
  for (const name of readdirSync(root)) {
    if (![...linked, '.git'].includes(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  for (const name of linked) if (existsSync(join(root, name))) symlinkSync(join(root, name), join(copy, name));
  return copy;
}

interface Bench {
  readonly copy: string;
  readonly runner: TestRunner;
  readonly testsOf: (file: string) => string[];
  /** Whether a test file passes without any mutant. One that fails proves nothing. */
  readonly passesUnchanged: Map<string, boolean>;
}

/** @returns the test that detects the mutant, or null. */
async function noticedBy(
  bench: Bench,
  mutant: Pick<Candidate, 'file' | 'original' | 'mutated'>,
): Promise<string | null> {
  const { file, original, mutated } = mutant;
  const { copy, runner, testsOf, passesUnchanged } = bench;
  const tests = testsOf(file).filter((test) => passesUnchanged.get(test) !== false);
  const slowLast = tests.toSorted(
    (one, two) => Number(runner.durationOf(one) > SLOW_MS) - Number(runner.durationOf(two) > SLOW_MS),
  );
  if (tests.length === 0) return null;
  writeFileSync(join(copy, file), mutated);
  let failed = await runner.run({ changed: file, tests: slowLast });
  // The machine may just have been busy, so this retries once in a new process.
  if (failed === TIME_IS_UP) failed = await runner.run({ changed: file, tests: slowLast });
  writeFileSync(join(copy, file), original);
  runner.forget(file);
  const test = tests.find((path) => failed?.startsWith(path));
  if (test === undefined || passesUnchanged.get(test)) return failed;
  const failedUnchanged = await runner.run({ changed: null, tests: [test] });
  passesUnchanged.set(test, failedUnchanged === null);
  if (failedUnchanged === null) return failed;
  process.stdout.write(`fails without any mutant and is skipped: ${failedUnchanged}\n`);
  return noticedBy(bench, mutant);
}

async function runNamed(bench: Bench): Promise<{ name: string; killedBy: string | null }[]> {
  const results: { name: string; killedBy: string | null }[] = [];
  for (const { name, file, from, to } of NAMED_MUTANTS) {
    const source = readFileSync(join(root, file), 'utf8');
    const places = source.split(from).length - 1;
    if (places !== 1) throw new Error(`${name}: ${file} holds ${from} ${places} times, not once`);
    const killedBy = await noticedBy(bench, { file, original: source, mutated: source.replace(from, to) });
    process.stdout.write(
      `${killedBy === null ? 'SURVIVED' : 'killed  '}  ${name}  (${killedBy ?? 'no test noticed'})\n`,
    );
    results.push({ name, killedBy });
  }
  return results;
}

async function runRandom(
  bench: Bench,
  candidates: readonly Candidate[],
  until: number,
): Promise<{ tried: number; timedOut: string[]; survivors: Survivor[] }> {
  const survivors: Survivor[] = [];
  const timedOut: string[] = [];
  let tried = 0;
  for (const { original, mutated, ...place } of candidates) {
    if (Date.now() >= until) break;
    const killedBy = await noticedBy(bench, { file: place.file, original, mutated });
    tried += 1;
    const verdict = killedBy === null ? 'SURVIVED' : 'killed  ';
    process.stdout.write(`${verdict}  ${place.file}:${place.line}  ${place.what}  ${killedBy ?? place.text}\n`);
    if (killedBy === TIME_IS_UP) timedOut.push(`${place.file}:${place.line}  ${place.what}`);
    if (killedBy !== null) continue;
    survivors.push(toSurvivor({ ...place, original, mutated }));
  }
  return { tried, timedOut, survivors };
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    mutants: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    everything: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    result: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const isWhole = values.only === undefined && !values.everything;
  const resultFile = values.result ?? (isWhole ? join(root, 'test/mutation/result.json') : null);
  const last = values.again && resultFile !== null ? (JSON.parse(readFileSync(resultFile, 'utf8')) as Result) : null;
  const seed = last?.seed ?? Number(values.seed);
  const all = candidatesOf(root, values.only ?? (values.everything ? EVERYTHING : DECIDING), seed);
  const chosen =
    last === null
      ? all.slice(0, Number(values.mutants))
      : last.survivors.flatMap((survivor) => all.find((mutant) => isSame(survivor, mutant)) ?? []);
  const until = Date.now() + Number(values.minutes) * 60_000;
  const copy = copyOfRepository();
  const runner = createTestRunner(copy, TIMEOUT_MS);
  process.once('SIGTERM', runner.stop);
  try {
    const bench: Bench = { copy, runner, testsOf: createRelatedTests(copy), passesUnchanged: new Map() };
    const named = isWhole ? await runNamed(bench) : [];
    const { tried: triedNow, timedOut: timedOutNow, survivors: survivorsNow } = await runRandom(bench, chosen, until);
    // A survivor whose line is gone was a mutant of other code, and no longer counts.
    const gone = last === null ? 0 : last.survivors.length - chosen.length;
    const tried = last === null ? triedNow : last.tried - gone;
    // Untried survivors of the last run remain survivors.
    const untried = last === null ? [] : chosen.slice(triedNow).map(toSurvivor);
    const survivors = [...survivorsNow, ...untried];
    const killed = tried - survivors.length;
    const percent = tried === 0 ? 100 : Math.floor((killed / tried) * 1000) / 10;
    const timedOut = [...(last?.timedOut ?? []), ...timedOutNow];
    const counts = { seed, mutants: last?.mutants ?? all.length, tried, killed, percent };
    const result: Result = { ...counts, timedOut, named, survivors };
    if (resultFile !== null) writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
    report(result);
    process.exitCode = named.every(({ killedBy }) => killedBy !== null) && percent >= 90 ? 0 : 1;
  } finally {
    runner.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}

function toSurvivor({ original: _original, mutated: _mutated, ...place }: Candidate): Survivor {
  return { ...place, reason: EQUIVALENT.find((mutant) => isSame(mutant, place))?.reason ?? null };
}

function report({ mutants, tried, killed, percent, timedOut, survivors }: Result): void {
  process.stdout.write(
    `\n${tried} of ${mutants} mutants tried, ${killed} killed (${percent} %), ${survivors.length} survived:\n`,
  );
  for (const mutant of timedOut) process.stdout.write(`  no end within the time limit: ${mutant}\n`);
  for (const { file, line, what, text, reason } of survivors) {
    process.stdout.write(`  ${file}:${line}  ${what}\n    ${text}\n    ${reason ?? 'no test notices: write one'}\n`);
  }
}

if (values.help) process.stdout.write(usage);
else await main();
