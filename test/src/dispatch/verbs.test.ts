import { expect, it } from 'vitest';
import { parseCommand, readSlashText } from '../../../src/dispatch/command.ts';
import { entryOf, helpFor, refusedTo, verbNames } from '../../../src/dispatch/verbs.ts';
import { clock } from '../../support/clock.ts';

const everyRole = ['holder', 'operator', 'approver'] as const;

it.each(verbNames)('%s: what it permits and what was refused are told in words', (verb) => {
  expect(entryOf(verb).permission.doing).toMatch(/^[a-z]/);
  expect(refusedTo(verb)).not.toMatch(/_/);
});

it.each(helpFor(everyRole).own.map(({ example }) => example))('%s, an example of the help, can be read', (example) => {
  // As Slack delivers it: a person who was picked from its list is a token.
  const escaped = readSlashText(example.replace('@jane', '<@U0JANE|jane>'));
  expect(parseCommand(escaped, clock).kind).toMatch(/^(read|help)$/);
});
