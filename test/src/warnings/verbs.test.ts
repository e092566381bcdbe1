import { expect, it } from 'vitest';
import { parseCommand } from '../../../src/dispatch/command.ts';

it.each([
  ['warnings off', { kinds: ['expiring-cards', 'failing-subscriptions', 'low-balance'], isOn: false }],
  ['warnings on balance', { kinds: ['low-balance'], isOn: true }],
  ['warnings OFF Subscriptions', { kinds: ['failing-subscriptions'], isOn: false }],
])('parses /card %s', (text, input) => {
  expect(parseCommand(text, { now: new Date('2026-11-20T15:00:00Z'), zone: 'America/New_York' })).toMatchObject({
    input,
  });
});

it.each(['warnings', 'warnings maybe', 'warnings off everything', 'warnings on balance now'])(
  'asks back about %s',
  (text) => {
    const read = parseCommand(text, { now: new Date('2026-11-20T15:00:00Z'), zone: 'America/New_York' });

    expect(read).toMatchObject({ kind: 'unclear' });
  },
);
