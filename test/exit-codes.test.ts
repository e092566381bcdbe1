import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const told = new Set(
  [...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| `(\d+)` \|/gm)].map(([, code]) => Number(code)),
);

/** Exit codes of a file, from its constants and its `process.exit` calls. */
function codesIn(path: string): number[] {
  const text = readFileSync(path, 'utf8');
  const patterns = [/\b(?:EX_\w+|EXIT_\w+) = (\d+)/g, /process\.exit\((\d+)\)/g, /process\.exitCode = (\d+)/g];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, code]) => Number(code)));
}

it('the table in docs/operations.md lists exactly the exit codes of the processes and commands', () => {
  const files = ['bin', 'src', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const used = new Set([0, ...files.flatMap(codesIn)]);

  expect([...told].toSorted((a, b) => a - b)).toEqual([...used].toSorted((a, b) => a - b));
});
