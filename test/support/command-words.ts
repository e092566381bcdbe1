import { entryOf, verbNames } from '../../src/dispatch/verbs.ts';

/** All first words after `/card` that the help shows. */
export const commandWords: readonly string[] = [
  'help',
  ...new Set(verbNames.flatMap((verb) => entryOf(verb).command?.usage.split(' ', 1) ?? [])),
];
