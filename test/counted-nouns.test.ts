import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A value followed by a word that ends with s: `${count} jobs`, `${left} more steps`. */
const counted = /\$\{((?:[^{}`]|`[^`]*`)*)\} (?:(?:more|other|new|open|late|failed|recent|waiting) )?([a-z]+s)\b/g;

/** Verbs, and units that are the same for one. Add a word only if it is no noun that is counted. */
const notCounted: ReadonlySet<string> = new Set(
  'is was has as this does says asks gets goes begins closes ends finds holds lists lowers shows stands stops process runs ms'.split(
    ' ',
  ),
);

/** Values that are never one, or no number. */
const exceptions: ReadonlySet<string> = new Set([
  'countWords[stopping.length] ?? stopping.length',
  'filter.form',
  'approvalsAbove(standard.approval)',
  "isOn ? 'on' : 'off'",
]);

it('counts nouns with countOf, so that nobody reads “1 jobs”', () => {
  const wrong = ['bin', 'src', 'handlers', 'templates'].flatMap((area) =>
    readdirSync(area, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const file = join(area, name);
        return [...readFileSync(file, 'utf8').matchAll(counted)]
          .filter(([, value = '', word = '']) => {
            // A constant is known to the writer of the text.
            const isConstant = /^(?:count\()?[A-Z_]+\)?$/.test(value);
            return !isConstant && !notCounted.has(word) && !exceptions.has(value);
          })
          .map(([whole]) => `${file}: ${whole}`);
      }),
  );

  expect(wrong).toEqual([]);
});
