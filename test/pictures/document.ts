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
Slack’s blocks by Slack’s rules. The first six sections are from one demo, the others are rendered by templates from examples. For the
wording, see [templates/STYLE.md](../templates/STYLE.md).`,
    ...parts,
    `Charts are Slack blocks. A workspace that refuses them gets the same numbers as text bars, which every client shows and
screen readers skip.`,
  ].join('\n\n')}\n`;
}
