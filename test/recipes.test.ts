import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Files of the product in which a text occurs. */
function filesWith(text: RegExp, ...areas: readonly string[]): string[] {
  return areas
    .flatMap((area) => readdirSync(area, { recursive: true, encoding: 'utf8' }).map((name) => join(area, name)))
    .filter((path) => path.endsWith('.ts') && text.test(readFileSync(path, 'utf8')))
    .toSorted();
}

/** The recipes in CONTRIBUTING promise how many files a change touches. The existing code shows whether this is true. */
describe('the number of files that a recipe touches', () => {
  it('is at most 10 for a webhook kind with all features of shipments', () => {
    const files = filesWith(/'card-shipping'/, 'src', 'handlers', 'templates');

    expect(files.length, `files that mention the kind: ${files.join(', ')}`).toBeLessThanOrEqual(10);
  });

  it('is 2 for an ops notification: its text, and its trigger', () => {
    const files = filesWith(/\bopsIssue\.noFiles\b|function noFiles\b/, 'src');

    expect(files).toEqual(['src/ops/issue.ts', 'src/outbox/attach-rows.ts']);
  });
});
