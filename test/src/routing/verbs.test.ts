import { expect, it } from 'vitest';
import { readWhy, routingVerbs } from '../../../src/routing/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = routingVerbs.travel.command;

it('parses a command into an action of its verb', () => {
  expect(read(['4242', 'Spain', 'until', 'friday'], clock)).toMatchObject({
    verb: 'travel',
    target: { kind: 'words', words: ['4242'] },
    input: { details: 'ES until friday' },
  });
});

it('gives a usage hint when it cannot parse a command', () => {
  expect(read(['4242', 'until', 'friday'], clock)).toMatchObject({
    kind: 'unclear',
    usage: expect.stringMatching(/^[a-z]/),
  });
});

it.each(['why evt_89nnxsnv9c553dm1', 'WHY Evt_89NNXSNV9C553DM1', 'why `evt_89nnxsnv9c553dm1`'])(
  'finds the event id in %j, whatever the letter case',
  (text) => {
    expect(readWhy(text)).toMatchObject({ verb: 'why', target: { kind: 'channel', text: 'evt_89nnxsnv9c553dm1' } });
  },
);
