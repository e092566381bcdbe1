import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'cardbell-coverage-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
mkdirSync(join(project, 'test'));
const row = { row: 'a hold is released', file: 'test/hold.test.ts', title: 'a hold > is released after %s' };
writeFileSync(
  join(project, 'vitest.config.ts'),
  `import { specCoverage } from ${JSON.stringify(join(import.meta.dirname, 'coverage-reporter.ts'))};
export default { test: { reporters: ['default', specCoverage([${JSON.stringify(row)}])] } };`,
);

/** Runs a file of tests in a project of its own, whose coverage table has one row. */
function run(tests: string, ...args: string[]): { status: number | null; stderr: string } {
  writeFileSync(
    join(project, row.file),
    `import { describe, expect, it } from 'vitest';
it('another', () => expect(1).toBe(1));
describe('a hold', () => {${tests}});`,
  );
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stderr } = spawnSync(process.execPath, [vitest, 'run', ...args], { cwd: project, encoding: 'utf8' });
  return { status, stderr };
}

describe('a run whose tests', () => {
  const proof = "it.each([5, 7])('is released after %s', () => expect(1).toBe(1));";

  it('prove every row succeeds', () => {
    const { status, stderr } = run(proof);

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });

  it.each([
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
  ])('%s fails, although no test failed, and names the row', (_what, tests, what) => {
    const { status, stderr } = run(tests);

    expect(status).toBe(1);
    expect(stderr).toContain('“a hold is released” is not proved');
    expect(stderr).toContain(what);
  });

  it('fail fails, and names the row', () => {
    const { status, stderr } = run(proof.replace('toBe(1)', 'toBe(2)'));

    expect(status).toBe(1);
    expect(stderr).toContain('“a hold is released” is not proved: the test “a hold > is released after 5”');
  });

  it('are some by name only is not asked for the others', () => {
    const { status, stderr } = run(proof, '-t', 'another');

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });
});
