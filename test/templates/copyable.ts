import { expect } from 'vitest';
import { slashCommand } from '../../src/core/installation.ts';
import { parseCommand, readSlashText } from '../../src/dispatch/command.ts';
import { clock } from '../support/clock.ts';
import { commandWords } from '../support/command-words.ts';

/** Placeholders that the reader replaces; the help explains them. */
const placeholder =
  /\b(?:CARD|EVENT|AMOUNT|PERIOD|DURATION|DATE|COUNTRY|NAME|KIND|HOURS|FROM|UNTIL|SINCE|MESSAGE LINK)\b|[[\]|…]/;

/** Every command in a text, which is formatted as code so that it can be copied. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    .filter((code) => code === slashCommand() || code.startsWith(`${slashCommand()} `));
}

/** Expects no invisible characters in commands that people copy. */
export function expectVisible(text: string): void {
  for (const command of commandsIn(text)) expect(command).toMatch(/^[ -~\p{L}\p{M}\p{N}’…–]+$/u);
}

/** Expects that commands can be parsed when people paste them. */
export function expectCopyable(text: string): void {
  expectVisible(text);
  for (const command of commandsIn(text)) {
    const typed = command.slice(slashCommand().length).trim();
    // A bare command name is a mention and not meant to be copied.
    if (placeholder.test(typed) || commandWords.includes(typed)) continue;
    const escaped = readSlashText(typed.replaceAll('@jane', '<@U0JANE|jane>'));
    expect(parseCommand(escaped, clock), command).not.toMatchObject({ kind: 'unclear' });
  }
}
