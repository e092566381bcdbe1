import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Names that several files export. The list may only get shorter. */
const known: readonly string[] = [
  'Approval',
  'Cell',
  'DECLINES_MAX',
  'DECLINES_SHOWN',
  'OpenRequest',
  'chooseCard',
  'endOf',
  'explainDecline',
  'plainText',
  'shared',
];

const exported = /^export (?:async )?(?:const|function|type|interface|class) (\w+)/gm;

it('each exported name has one meaning', () => {
  const files = ['src', 'handlers', 'templates'].flatMap((area) =>
    readdirSync(area, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(area, path)),
  );
  // A schema and its type have the same name, in the same file.
  const names = files.flatMap((file) => [
    ...new Set([...readFileSync(file, 'utf8').matchAll(exported)].map(([, name = '']) => name)),
  ]);

  expect(names.length).toBeGreaterThan(2000);
  const several = names.filter((name, index) => names.indexOf(name) !== index);
  expect([...new Set(several)].sort()).toEqual(known);
});
