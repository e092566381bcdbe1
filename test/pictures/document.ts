import { DEMO_PICTURES } from './demo-pictures.ts';
import { EXAMPLE_PICTURES } from './example-pictures.ts';
import type { PictureSection } from './picture.ts';

/** Every section of the page in order. */
export const PICTURES: readonly PictureSection[] = [...DEMO_PICTURES, ...EXAMPLE_PICTURES];

/** `docs/what-people-see.md`, as Markdown. */
export function pictureDocument(): string {
  const parts = PICTURES.flatMap(({ title, pictures }) => [
    `## ${title}`,
    ...pictures.flatMap(({ name, words, alt, templates }) => [
      words,
      `![${alt}](pictures/${name}.png)`,
      ...(templates.length === 0
        ? []
        : [`<sub>${templates.map((each) => `\`templates/${each}.ts\``).join(' · ')}</sub>`]),
    ]),
  ]);
  return `${[
    '# What people see',
    `Taken by \`npm run pictures\`, which also writes this page: change the files in \`test/pictures\`. The local workspace draws
Slack’s blocks by Slack’s rules. The first six sections are one demo, the others what templates make of examples. How the
words are chosen: [templates/STYLE.md](../templates/STYLE.md).`,
    ...parts,
    `A chart is Slack’s own block. A workspace that refuses it gets the same numbers as bars made of text, which every client
shows and a screen reader passes over to the number.`,
  ].join('\n\n')}\n`;
}
