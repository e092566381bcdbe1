import { spawnSync } from 'node:child_process';
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
import { mutantsOf } from './mutate.ts';
import { NAMED_MUTANTS } from './named-mutants.ts';

const usage = `Changes the code that decides about money, time, identity, limits and policy, one place at a time, and runs the tests
of that file: a test has to notice.

  npm run test:mutation                               the named mutants, then random ones for ten minutes
  npm run test:mutation -- --minutes 60 --seed 7      other ones, for longer
  npm run test:mutation -- --minutes 0                the named mutants only

Writes test/mutation/result.json. Exit code: 0 when every named mutant and 90 % of the others were killed, else 1.
`;

/** What decides about money, time, identity, limits, policy and redaction, and the engine of the sandbox. */
const targets = [
  'sandbox/engine',
  'src/policy',
  ...['transaction', 'virtual-card', 'card-status', 'step-time', 'payload', 'quarantine'].map(
    (name) => `src/webhooks/${name}.ts`,
  ),
  ...['money', 'service-time', 'gap', 'card-number', 'exact-json'].map((name) => `src/core/${name}.ts`),
  ...['remedy', 'binding-limit', 'raise-amount', 'limit-window'].map((name) => `src/limits/${name}.ts`),
  'src/recovery/recover-gap.ts',
  'src/alerts/purchase-timeline.ts',
];
const root = resolve(import.meta.dirname, '../..');

interface Outcome {
  readonly file: string;
  readonly what: string;
  readonly line: number;
  readonly isKilled: boolean;
}

/** A copy of the repository to change: whoever works in the real one must not see a mutant. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'cardbell-mutation-'));
  const left = new Set(['node_modules', 'dist', '.git']);
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'dist']) {
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(copy, name));
  }
  return copy;
}

/** The mirrored test, or the tests of the folder. */
function testsOf(file: string): string {
  if (file.startsWith('sandbox/')) return 'test/sandbox/';
  const own = `test/${file.replace(/\.ts$/, '.test.ts')}`;
  return existsSync(join(root, own)) ? own : own.slice(0, own.lastIndexOf('/') + 1);
}

function passes(copy: string, tests: string): boolean {
  const args = ['vitest', 'run', '--project', 'parts', '--bail', '1', '--maxWorkers', '1', tests];
  const { status } = spawnSync('npx', args, { cwd: copy, stdio: 'ignore', timeout: 180_000 });
  return status === 0;
}

function tryOut(copy: string, file: string, mutated: string): boolean {
  const original = readFileSync(join(root, file), 'utf8');
  writeFileSync(join(copy, file), mutated);
  const isKilled = !passes(copy, testsOf(file));
  writeFileSync(join(copy, file), original);
  return isKilled;
}

function filesOf(target: string): string[] {
  if (target.endsWith('.ts')) return [target];
  return readdirSync(join(root, target)).flatMap((name) => (name.endsWith('.ts') ? [`${target}/${name}`] : []));
}

/** Numbers that are the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function runNamed(copy: string): { name: string; isKilled: boolean }[] {
  return NAMED_MUTANTS.map(({ name, file, from, to }) => {
    const source = readFileSync(join(root, file), 'utf8');
    const parts = source.split(from);
    if (parts.length < 2) throw new Error(`${name}: ${file} does not hold ${from} any more`);
    // Of several places it is the first: that is the one the fault was in.
    const isKilled = tryOut(copy, file, source.replace(from, to));
    process.stdout.write(`${isKilled ? 'killed  ' : 'SURVIVED'}  ${name}\n`);
    return { name, isKilled };
  });
}

function runRandom(copy: string, minutes: number, seed: number): Outcome[] {
  const next = random(seed);
  const all = targets.flatMap(filesOf).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ file, source, mutant, order: next() }));
  });
  const until = Date.now() + minutes * 60_000;
  const outcomes: Outcome[] = [];
  for (const { file, source, mutant } of all.toSorted((one, other) => one.order - other.order)) {
    if (Date.now() >= until) break;
    const mutated = source.slice(0, mutant.start) + mutant.to + source.slice(mutant.end);
    const line = source.slice(0, mutant.start).split('\n').length;
    const isKilled = tryOut(copy, file, mutated);
    outcomes.push({ file, line, what: mutant.what, isKilled });
    process.stdout.write(`${isKilled ? 'killed  ' : 'SURVIVED'}  ${file}:${line}  ${mutant.what}\n`);
  }
  process.stdout.write(`${outcomes.length} of ${all.length} mutants tried\n`);
  return outcomes;
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});
if (values.help === true) {
  process.stdout.write(usage);
} else {
  const copy = copyOfRepository();
  try {
    if (!passes(copy, 'test/sandbox/')) throw new Error('the tests fail without any mutant');
    const named = runNamed(copy);
    const tried = runRandom(copy, Number(values.minutes), Number(values.seed));
    const killed = tried.filter(({ isKilled }) => isKilled).length;
    const result = {
      seed: Number(values.seed),
      minutes: Number(values.minutes),
      named,
      tried: tried.length,
      killed,
      survivors: tried.filter(({ isKilled }) => !isKilled).map(({ file, line, what }) => `${file}:${line} ${what}`),
    };
    writeFileSync(join(root, 'test/mutation/result.json'), `${JSON.stringify(result, null, 2)}\n`);
    const isGood = named.every(({ isKilled }) => isKilled) && killed >= 0.9 * tried.length;
    process.exitCode = isGood ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
