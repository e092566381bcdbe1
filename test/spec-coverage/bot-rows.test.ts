import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOT_ROWS } from './bot-rows.ts';
import { NOT_SHOWN } from './not-shown.ts';

describe('each row of the specification that is Cardbell’s', () => {
  it.each(BOT_ROWS.map(({ row, file, test }) => [row, file, test] as const))('%s', (_row, file, test) => {
    const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");

    expect(source).toContain(test);
  });
});

describe('each gap of the specification', () => {
  it.each(NOT_SHOWN.map(({ row, file, assumptions }) => [row, file, assumptions] as const))(
    '%s: is filled by assumptions that are named in %s',
    (_row, file, assumptions) => {
      const source = readFileSync(file, 'utf8');

      for (const name of assumptions) expect(source).toMatch(new RegExp(`^  ${name}: `, 'm'));
    },
  );
});
