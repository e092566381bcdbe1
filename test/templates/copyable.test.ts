import { expect, it } from 'vitest';
import { EXAMPLE_PICTURES } from '../pictures/example-pictures.ts';
import { commandsIn, expectCopyable } from './copyable.ts';
import { texts } from './shown.ts';

it.each(EXAMPLE_PICTURES.flatMap(({ pictures }) => pictures.map((picture) => [picture.name, picture] as const)))(
  'every command shown in the picture “%s” can be copied and parsed',
  (_name, { shows }) => {
    const shown = shows();
    const read = 'blocks' in shown ? texts(shown.blocks) : shown.flatMap(({ blocks }) => texts(blocks));
    for (const { type, text } of read) if (type === 'mrkdwn') expectCopyable(text);
  },
);

it('finds commands among other code', () => {
  expect(commandsIn('Use `/card show 4242` or `npm run demo`: `/card`')).toEqual(['/card show 4242', '/card']);
  expect(() => expectCopyable('`/card show 42\u200b42`')).toThrow();
  expect(() => expectCopyable('`/card frobnicate`')).toThrow();
});
