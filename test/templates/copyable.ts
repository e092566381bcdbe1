import { expect } from 'vitest';
import { slashCommand } from '../../src/core/installation.ts';
import { commandWords, parseCommand, readSlashText } from '../../src/dispatch/command.ts';
import { clock } from '../support/clock.ts';

/** Stand for something that the reader puts in their place; the help explains them. */
const placeholder =
  /\b(?:CARD|EVENT|AMOUNT|PERIOD|DURATION|DATE|COUNTRY|NAME|KIND|HOURS|FROM|UNTIL|SINCE|MESSAGE LINK)\b|[[\]|…]/;

/** Every command in a text: as code, so that it can be copied. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    .filter((code) => code === slashCommand() || code.startsWith(`${slashCommand()} `));
}

/** What people copy has no character that they do not see. */
export function expectVisible(text: string): void {
  for (const command of commandsIn(text)) expect(command).toMatch(/^[ -~\p{L}\p{M}\p{N}’…–]+$/u);
}

/** What people copy can be read when they paste it. */
export function expectCopyable(text: string): void {
  expectVisible(text);
  for (const command of commandsIn(text)) {
    const typed = command.slice(slashCommand().length).trim();
    // A command by its name alone is spoken of, not copied.
    if (placeholder.test(typed) || commandWords.includes(typed)) continue;
    const escaped = readSlashText(typed.replaceAll('@jane', '<@U0JANE|jane>'));
    expect(parseCommand(escaped, clock), command).not.toMatchObject({ kind: 'unclear' });
  }
}
