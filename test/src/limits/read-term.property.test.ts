import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCommand } from '../../../src/dispatch/command.ts';
import { examples } from '../../support/examples.ts';

/** Monday, 10 AM in New York. */
const clock = { now: new Date('2026-11-23T15:00:00Z'), zone: 'America/New_York' };

const times = [
  ['until friday', 'till Fri', 'til monday 9am', 'until May 9', 'until 12/24', 'until 2026-12-24', 'until noon'],
  ['until: friday', 'until, friday', 'until next week', 'until the weekend', 'until the end of the month'],
  ['through friday', 'through next week', 'by friday', 'before Dec 1', 'for 4h', 'for 2 days', 'for two hours'],
  ['for a week', 'for a while', 'for a few days', 'for 3 months', '2h', '90 min', 'for minus 2 days', 'every day'],
  ['today', 'tonight', 'tomorrow', 'tmrw', 'tomorrow 9am', 'this weekend', 'next week', 'next month', 'this friday'],
  ['friday', 'Fri', 'fridays', 'monday morning', 'in december', 'Dec 1', '1 Dec', '2026-12-01', '12/1', '24.12.2026'],
  ['17:00', '5pm', '5 p.m.', 'five pm', 'noon', 'EOB', 'EOD', 'week-long', 'weeklong', 'halfday', 'remaining week'],
  ['overnight', 'the 24th', 'in may', 'for q4', 'bis Freitag', 'hasta el viernes', 'pour 2 heures'],
].flat();
const wrappings = [
  ['X', '(X)', '[X]', '{X}', '<X>', '"X"', '“X”', '‘X’', '«X»', '*X*', '_X_', '~X~', '`X`', '|X|', '( X )', '“ X ”'],
  [
    '…X',
    '...X',
    '• X',
    '•X',
    '- X',
    '– X',
    '→ X',
    '/ X',
    ': X',
    '!X!',
    '#X',
    '@X',
    '=X',
    '+ X',
    'X…',
    'X?!',
    'X;',
    'X:',
  ],
  ['X 🙏', '🙏X🙏', ':pray: X', '(valid X)', '((X))', 'end:X', 'exp=X', 'ends/X'],
].flat();
const heads = ['', 'team lunch ', 'client visit, ', 'hotel – ', 'revert '];
const tails = [
  '',
  ' please',
  ', client',
  ' with client',
  ' in Denver',
  ' - thanks!',
  ' 🙏',
  ', then hotel',
  '. Thanks',
];

const changeIn = (text: string) => {
  const read = parseCommand(`limit 4242 daily 450 ${text}`, clock);
  return read.kind === 'read' ? read.input['changeRequest'] : null;
};

it('a time in a limit is its end or asked about, whatever stands around it', () => {
  const choices = [times, wrappings, heads, tails].map((each) => fc.constantFrom(...each));
  fc.assert(
    fc.property(fc.tuple(...choices), ([time = '', wrapping = '', head = '', tail = '']) => {
      const alone = changeIn(time);
      const change = changeIn(`${head}${wrapping.replace('X', time)}${tail}`);
      if (change === null) return;
      expect(change).not.toMatchObject({ term: { kind: 'permanent' } });
      if (alone !== null) expect(change).toEqual(alone);
    }),
    { numRuns: examples(2000) },
  );
});
