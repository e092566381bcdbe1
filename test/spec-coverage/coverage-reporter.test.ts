import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'cardbell-coverage-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
const title = 'a hold > is released after %s';
const proof = "it.each([5, 7])('is released after %s', () => expect(1).toBe(1));";

/** Runs a file of tests for each row, in a project whose coverage table has these rows. */
function run(tests: Readonly<Record<string, string>>, ...args: string[]) {
  rmSync(join(project, 'test'), { recursive: true, force: true });
  mkdirSync(join(project, 'test'));
  const rows = Object.keys(tests).map((row, index) => ({ row, file: `test/${index}.test.ts`, title }));
  writeFileSync(
    join(project, 'vitest.config.ts'),
    `import { specCoverage } from ${JSON.stringify(join(import.meta.dirname, 'coverage-reporter.ts'))};
export default { test: { reporters: ['default', specCoverage(${JSON.stringify(rows)})] } };`,
  );
  for (const { row, file } of rows) {
    writeFileSync(
      join(project, file),
      `import { describe, expect, it } from 'vitest';
describe('a hold', () => {it('another', () => expect(1).toBe(1)); ${tests[row]}});`,
    );
  }
  // In CI, too, a run with `.only` is one that leaves tests out.
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stderr } = spawnSync(process.execPath, [vitest, 'run', '--allowOnly', ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  return { status, stderr, of: (row: string) => stderr.split('\n').filter((line) => line.includes(`“${row}”`)) };
}

describe('a run whose tests', () => {
  it('prove every row succeeds', () => {
    const { status, stderr } = run({ 'a hold is released': proof });

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });

  const lacking = [
    ['leave one out', proof.replace('it.each', 'it.skip.each'), 'was not run'],
    [
      'leave all of its group out',
      `describe.skip('', () => {}); it.skip.each([5, 7])('is released after %s', () => {});`,
      'was not run',
    ],
    ['run only others', `it.only('is new', () => {}); ${proof}`, 'was not run'],
    ['have one deleted', '', 'is missing'],
    ['have one under another name', proof.replace('released', 'freed'), 'is missing'],
    ['only plan one', "it.todo('is released after 5');", 'was not run'],
  ] as const;
  // One run for all of them: starting it takes most of the time.
  let all: ReturnType<typeof run> | undefined;

  it.each(lacking)('%s fails, although no test failed, and names the row', (row, _tests, what) => {
    all ??= run(Object.fromEntries(lacking));

    expect(all.status).toBe(1);
    expect(all.stderr, 'a test failed').not.toContain('FAIL');
    expect(all.of(row)).toEqual([expect.stringMatching(`“${row}” is not proved.* ${what}`)]);
  });

  it('fail fails, and names the row', () => {
    const { status, stderr } = run({ 'a hold is released': proof.replace('toBe(1)', 'toBe(2)') });

    expect(status).toBe(1);
    expect(stderr).toContain('“a hold is released” is not proved: the test “a hold > is released after 5”');
  });

  it('are some by name only is not asked for the others', () => {
    const { status, stderr } = run({ 'a hold is released': proof }, '-t', 'another');

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });
});
