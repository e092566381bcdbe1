import { expect, it } from 'vitest';
import { runCommandForm } from '../../../handlers/dispatch/card-command.ts';
import { parseCommand } from '../../../src/dispatch/command.ts';
import { commandInput } from '../../../templates/dispatch/command-form.ts';
import { clock } from '../../support/clock.ts';

it.each([
  [
    'help limit',
    /^“limit” sets a daily.* Write \/card limit CARD PERIOD AMOUNT \[for DURATION \| until DATE\] \[reason\]\.$/,
  ],
  ['limit 4242 daily lots', /^“lots” is not an amount.* Write \/card limit CARD .*AMOUNT/],
])('the form shows how the command is typed next to “%s”', async (typed, why) => {
  const acked: unknown[] = [];
  const deps = { readCommand: (text: string) => parseCommand(text, clock) };
  const values = { words: { [commandInput.words]: { value: typed } } };
  const args = { ack: async (answer: unknown) => void acked.push(answer), view: { state: { values } } };

  await runCommandForm(deps as unknown as Parameters<typeof runCommandForm>[0])(args as never);

  expect(acked).toEqual([{ response_action: 'errors', errors: { words: expect.stringMatching(why) } }]);
});
