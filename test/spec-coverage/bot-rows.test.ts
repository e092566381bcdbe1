import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOT_ROWS } from './bot-rows.ts';

describe('each row of the specification that is Cardbell’s', () => {
  it.each(BOT_ROWS.map(({ row, file, test }) => [row, file, test] as const))('%s', (_row, file, test) => {
    const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");

    expect(source).toContain(test);
  });
});
